// Converts an EPUB book to blocks: the text of its files in reading order, as one section.

import { plural, quoted, ReaderError, throwIfAborted, type Warning } from '../../../src/contract/index.ts';
import { type Block, headingBlock, markdownOf, memberMark } from '../../../src/document/index.ts';
import type { ConvertContext, Converter, Section } from '../document.ts';
import { htmlToBlocks } from '../html/blocks.ts';
import { NoteLabels } from '../html/notes.ts';
import { decodedPath, isCorrupt, resolvePath } from '../xml-parts.ts';
import { type Contents, contentsOf } from './navigation.ts';
import { type Chapter, EpubPackage } from './package.ts';

export const epubConverter: Converter = {
  async open(source, context) {
    const book = await EpubPackage.open(source, context);
    const encrypted = book.chapters.filter((chapter) => book.isEncrypted(chapter.path));
    if (book.chapters.length > 0 && encrypted.length === book.chapters.length)
      throw new ReaderError(
        'ENCRYPTED_FILE',
        'The text of the book is encrypted (DRM).',
        'Use a copy of the book without DRM.',
      );
    return { facts: book.facts, section: () => convert(book, context) };
  },
};

async function convert(book: EpubPackage, context: ConvertContext): Promise<Section> {
  const warnings: Warning[] = [];
  const contents = await chapterTitles(book, context);
  const pages = new Map<string, Page>();
  const labels = new NoteLabels();
  const seen = new Set<string>();
  const failed: string[] = [];
  const encrypted: string[] = [];
  for (const chapter of book.chapters) {
    throwIfAborted(context.signal);
    // Include a file once, even if the spine repeats it.
    if (seen.has(chapter.path)) continue;
    seen.add(chapter.path);
    if (chapter.isNavigation) continue;
    if (book.isEncrypted(chapter.path)) {
      encrypted.push(chapter.path);
      continue;
    }
    try {
      pages.set(chapter.path, await readChapter(book, chapter, labels, context));
    } catch (error) {
      if (!isCorrupt(error)) throw error;
      failed.push(chapter.path);
    }
  }
  for (const chapter of book.chapters)
    if (labels.late.delete(chapter.path))
      pages.set(chapter.path, await readChapter(book, chapter, labels, context));
  const blocks: Block[] = [];
  for (const [path, page] of pages)
    for (const block of withTitle(page.blocks, contents.get(path))) blocks.push(block);
  const hidden = [...pages.values()].flatMap((page) => page.warnings);
  const skipped = (paths: readonly string[], why: string): void => {
    if (paths.length > 0)
      warnings.push({
        code: 'SKIPPED_CONTENT',
        message: `${plural(paths.length, 'file')} of the book ${paths.length === 1 ? 'is' : 'are'} left out: ${why} (${paths.slice(0, 3).map(quoted).join(', ')}${paths.length > 3 ? ', …' : ''}).`,
      });
  };
  skipped(book.missing, 'listed in the reading order but missing from the book');
  skipped(failed, 'damaged');
  skipped(encrypted, 'encrypted');
  return { blocks, warnings: [...warnings, ...combined(hidden)] };
}

/** The first warnings of each kind, and the number of the others. */
function combined(warnings: readonly Warning[]): Warning[] {
  const codes = new Set(warnings.map(({ code }) => code));
  return [...codes].flatMap((code) => {
    const all = warnings.filter((warning) => warning.code === code);
    const more = all.length - SHOWN_WARNINGS;
    if (more <= 0) return all;
    const what = code === 'HIDDEN_TEXT' ? 'Hidden text is' : 'Content is';
    const message = `${what} left out in ${plural(more, 'more place')} of the book.`;
    return [...all.slice(0, SHOWN_WARNINGS), { code, message }];
  });
}

interface Page {
  readonly blocks: readonly Block[];
  readonly warnings: readonly Warning[];
}

async function readChapter(
  book: EpubPackage,
  chapter: Chapter,
  labels: NoteLabels,
  context: ConvertContext,
): Promise<Page> {
  const text = (await book.text(chapter.path)) ?? '';
  const page = await htmlToBlocks(text, {
    signal: context.signal,
    page: {
      path: chapter.path,
      labels,
      resolve: (address) => {
        const path = resolvePath(chapter.path, address);
        if (path === undefined || !book.has(path)) return undefined;
        return { path, id: decodedHash(address) };
      },
    },
    xml: true,
    picture: (address) => {
      const path = resolvePath(chapter.path, address);
      return path !== undefined && book.has(path) ? memberMark(path) : address;
    },
    // A link inside the book has no target in Markdown.
    link: (address) => (/^(?:https?|mailto|ftp|tel):/i.test(address.trim()) ? address : ''),
  });
  labels.read(chapter.path);
  return page;
}

function decodedHash(address: string): string {
  const hash = address.indexOf('#');
  return hash < 0 ? '' : decodedPath(address.slice(hash + 1));
}

/** The first table of contents entry of each file. */
async function chapterTitles(book: EpubPackage, context: ConvertContext): Promise<Map<string, Contents>> {
  const titles = new Map<string, Contents>();
  const { navigation } = book;
  if (!navigation || book.isEncrypted(navigation.path)) return titles;
  let xml: string | undefined;
  try {
    xml = await book.text(navigation.path);
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    context.warn({
      code: 'SKIPPED_CONTENT',
      message: `The table of contents ${quoted(navigation.path)} is damaged and was left out.`,
    });
  }
  for (const entry of xml === undefined ? [] : contentsOf(xml, navigation.path, navigation.isNcx))
    if (!titles.has(entry.path)) titles.set(entry.path, entry);
  return titles;
}

/** Warnings of one kind that are given in full. */
const SHOWN_WARNINGS = 3;
/** Number of leading blocks searched for a chapter's title. */
const TITLE_WITHIN = 3;

/** Older books set titles as paragraphs: one that matches the table of contents becomes a heading. */
function withTitle(blocks: readonly Block[], entry: Contents | undefined): readonly Block[] {
  if (!entry || blocks.some(({ kind }) => kind === 'heading')) return blocks;
  const title = lettersOf(entry.title);
  const at = blocks.slice(0, TITLE_WITHIN).findIndex((block) => lettersOf(markdownOf(block)) === title);
  const found = blocks[at];
  if (title === '' || found === undefined) return blocks;
  const text = markdownOf(found).replace(/\*\*|[\\*]/g, '');
  return [...blocks.slice(0, at), headingBlock(entry.level, text), ...blocks.slice(at + 1)];
}

function lettersOf(text: string): string {
  return text
    .slice(0, 500)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
}
