// The structure of an EPUB (EPUB 3.3, OCF and package document; OPF 2.0.1): the text files and their order, metadata,
// and which files are encrypted.

import { type FormatFacts, ReaderError, type Source } from '../../../src/contract/index.ts';
import { cleanText } from '../../../src/document/index.ts';
import { decodeStandard } from '../../../src/encoding/index.ts';
import { CUT_OFF, readXml, type XmlElement, ZipFile } from '../../../src/package/index.ts';
import type { ConvertContext } from '../document.ts';

/** A text file of the book. */
export interface Chapter {
  /** Path inside the container. */
  readonly path: string;
  readonly mediaType: string;
  /** True for a table of contents that is also a page of the book. */
  readonly isNavigation: boolean;
}

/** Maximum size of one part: a chapter, a package document. */
const MAX_PART_BYTES = 64 * 1024 * 1024;
const MAX_CHAPTERS = 20_000;
const MAX_VALUE = 1000;

/** Font obfuscation, which does not affect text (EPUB 3.3, 4.3). */
const FONT_OBFUSCATION: ReadonlySet<string> = new Set([
  'http://www.idpf.org/2008/embedding',
  'http://ns.adobe.com/pdf/enc#RC',
]);

/** An open book. */
export class EpubPackage {
  readonly facts: FormatFacts;
  readonly chapters: readonly Chapter[];
  /** Spine items that are missing from the book, or outside it. */
  readonly missing: readonly string[];
  /** The EPUB 3 navigation document or the EPUB 2 NCX; undefined if there is none. */
  readonly navigation: { readonly path: string; readonly isNcx: boolean } | undefined;
  readonly #zip: ZipFile;
  readonly #encrypted: ReadonlySet<string>;
  readonly #context: ConvertContext;

  private constructor(
    zip: ZipFile,
    context: ConvertContext,
    encrypted: ReadonlySet<string>,
    path: string,
    root: XmlElement,
  ) {
    this.#zip = zip;
    this.#context = context;
    this.#encrypted = encrypted;
    const items = itemsOf(root, path);
    const missing: string[] = [];
    const chapters: Chapter[] = [];
    const spine = root.child('spine');
    for (const reference of spine?.elements('itemref') ?? []) {
      if (chapters.length >= MAX_CHAPTERS) break;
      const id = reference.get('idref') ?? '';
      const item = items.get(id);
      if (item?.path !== undefined && zip.get(item.path))
        chapters.push({
          path: item.path,
          mediaType: item.mediaType,
          isNavigation: item.properties.includes(' nav '),
        });
      else missing.push(item?.href ?? id);
    }
    this.chapters = chapters;
    this.missing = missing;
    this.facts = factsOf(root.child('metadata'));
    const nav = [...items.values()].find((item) => item.properties.includes(' nav '));
    const ncx =
      items.get(spine?.get('toc') ?? '') ??
      [...items.values()].find((item) => item.mediaType === 'application/x-dtbncx+xml');
    const found = nav ?? ncx;
    this.navigation = found?.path === undefined ? undefined : { path: found.path, isNcx: found !== nav };
  }

  /** @throws {ReaderError} CORRUPT_FILE without a package document; ENCRYPTED_FILE; as `ZipFile` */
  static async open(source: Source, context: ConvertContext): Promise<EpubPackage> {
    const zip = await ZipFile.open(source, context);
    if (zip.salvaged) context.warn(CUT_OFF);
    const path = await packagePath(zip, context);
    const entry = path === undefined ? undefined : zip.get(path);
    if (zip.salvaged && !entry)
      throw new ReaderError(
        'CORRUPT_FILE',
        'The file is truncated before the package document of the book.',
        'Get a complete copy of the file.',
      );
    if (path === undefined || !entry)
      throw new ReaderError(
        'CORRUPT_FILE',
        'The zip archive is not an EPUB book: it has no package document (`.opf`).',
        'Read it as a zip archive, or get another copy of the book.',
      );
    const root = readXml(decodeText(await zip.bytes(entry, MAX_PART_BYTES, context.signal)));
    return new EpubPackage(zip, context, await encryptedNames(zip, context), path, root);
  }

  /** True for a file protected by DRM. */
  isEncrypted(path: string): boolean {
    return this.#encrypted.has(path) || this.#zip.get(path)?.encrypted === true;
  }

  has(path: string): boolean {
    return this.#zip.get(path) !== undefined;
  }

  /** A part as text, in its declared encoding; undefined if it does not exist. @throws {ReaderError} as `ZipFile` */
  async text(path: string): Promise<string | undefined> {
    const entry = this.#zip.get(path);
    return entry && decodeText(await this.#zip.bytes(entry, MAX_PART_BYTES, this.#context.signal));
  }
}

interface Item {
  readonly href: string;
  /** Undefined for a target outside the container. */
  readonly path: string | undefined;
  readonly mediaType: string;
  /** Each preceded and followed by a space. */
  readonly properties: string;
}

function itemsOf(root: XmlElement, path: string): Map<string, Item> {
  const items = new Map<string, Item>();
  for (const element of root.child('manifest')?.elements('item') ?? []) {
    const href = element.get('href') ?? '';
    items.set(element.get('id') ?? '', {
      href,
      path: resolvePath(path, href),
      mediaType: (element.get('media-type') ?? '').toLowerCase(),
      properties: ` ${element.get('properties') ?? ''} `,
    });
  }
  return items;
}

async function packagePath(zip: ZipFile, context: ConvertContext): Promise<string | undefined> {
  const container = zip.get('META-INF/container.xml');
  if (container) {
    const bytes = await zip.bytes(container, MAX_PART_BYTES, context.signal);
    try {
      for (const file of readXml(decodeText(bytes)).descendants('rootfile')) {
        const path = resolvePath('', file.get('full-path') ?? '');
        if (path !== undefined && zip.get(path)) return path;
      }
    } catch (error) {
      // The container document is not XML, but the package document may still be there.
      if (!(error instanceof ReaderError && error.code === 'CORRUPT_FILE')) throw error;
    }
  }
  for (const name of zip.entries.keys()) if (/\.opf$/i.test(name)) return name;
  return undefined;
}

async function encryptedNames(zip: ZipFile, context: ConvertContext): Promise<Set<string>> {
  const names = new Set<string>();
  const entry = zip.get('META-INF/encryption.xml');
  if (!entry) return names;
  const root = readXml(decodeText(await zip.bytes(entry, MAX_PART_BYTES, context.signal)));
  for (const data of root.descendants('EncryptedData')) {
    const algorithm = data.child('EncryptionMethod')?.get('Algorithm') ?? '';
    if (FONT_OBFUSCATION.has(algorithm)) continue;
    const path = resolvePath('', data.at('CipherData', 'CipherReference')?.get('URI') ?? '');
    if (path !== undefined) names.add(path);
  }
  return names;
}

/** Dublin Core metadata present in the book: title, author, language and so on. */
function factsOf(metadata: XmlElement | undefined): FormatFacts {
  const facts: Record<string, string> = {};
  if (!metadata) return facts;
  const values = (name: string): string[] => {
    // OPF 1 nests them in `dc-metadata`.
    const elements = [metadata, ...metadata.elements('dc-metadata')].flatMap((parent) =>
      parent.elements(name),
    );
    return elements.map((element) => tidy(element.text())).filter((value) => value !== '');
  };
  const add = (fact: string, value: string | undefined): void => {
    if (value !== undefined && value !== '') facts[fact] = value.slice(0, MAX_VALUE);
  };
  add('title', values('title')[0]);
  add('author', values('creator').slice(0, 20).join('; '));
  add('language', values('language')[0]);
  add('publisher', values('publisher')[0]);
  add('published', values('date')[0]);
  add('description', tidy(values('description')[0]?.replace(/<[^<>]{0,200}>/g, ' ') ?? ''));
  for (const meta of metadata.elements('meta'))
    if (meta.get('property') === 'dcterms:modified') add('documentModified', tidy(meta.text()));
  return facts;
}

function tidy(value: string): string {
  return cleanText(value).replace(/\s+/g, ' ').trim();
}

/**
 * The path inside the container that `href` refers to from the part `from`; undefined for external addresses and for
 * paths that leave the container.
 */
export function resolvePath(from: string, href: string): string | undefined {
  const bare = href.replace(/[#?].*/s, '');
  if (bare === '' || /^[A-Za-z][A-Za-z\d+.-]*:|^\/\//.test(bare)) return undefined;
  let path = bare;
  try {
    path = decodeURIComponent(bare);
  } catch {
    // A single percent sign is part of the name.
  }
  const steps = path.startsWith('/') ? [] : from.split('/').slice(0, -1);
  for (const step of path.split('/')) {
    if (step === '..') {
      if (steps.length === 0) return undefined;
      steps.pop();
    } else if (step !== '' && step !== '.') steps.push(step);
  }
  return steps.join('/');
}

/** Decodes text by its byte order mark, else by its declared encoding, else as UTF-8. */
function decodeText(bytes: Uint8Array): string {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 400)).toString('latin1');
  let label = 'utf-8';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) label = 'utf-16le';
  else if (bytes[0] === 0xfe && bytes[1] === 0xff) label = 'utf-16be';
  else if (!head.startsWith('\u00ef\u00bb\u00bf'))
    label = /^\s*<\?xml[^>]{0,200}?\bencoding\s*=\s*["']([\w.:-]{2,40})["']/.exec(head)?.[1] ?? 'utf-8';
  return decodeStandard(bytes, label) ?? new TextDecoder('utf-8').decode(bytes);
}
