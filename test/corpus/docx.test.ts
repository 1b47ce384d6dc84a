import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import mammoth from 'mammoth';
import { describe, expect, test, vi } from 'vitest';
import { ReaderError } from '../../src/contract/index.ts';
import { type Converted, convertWord } from '../processors/documents/word-file.ts';

// Works through real files.
vi.setConfig({ testTimeout: 180_000 });

const CORPUS = process.env['LECTERN_CORPUS'];
const FOLDER = path.join(CORPUS ?? '.', 'docx');
/** Files that nobody can read: passwords, and packages without their end. */
const REFUSED = /password|protected_passtika|clusterfuzz|truncated/;

function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const name = path.join(folder, entry.name);
    return entry.isDirectory() ? filesIn(name) : entry.name.endsWith('.docx') ? [name] : [];
  });
}

const words = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** The words of HTML, those of one word in several styles joined. */
const wordsOfHtml = (html: string): string[] =>
  words(
    html
      .replace(/<\/?(?:strong|em|a|su[bp]|s|i|b)\b[^>]*>/g, '')
      .replace(/<[^>]*>/g, ' ')
      .replace(/&lt;/g, '<')
      .replace(/&gt;/g, '>')
      .replace(/&quot;/g, '"')
      .replace(/&amp;/g, '&')
      // Where a word may be parted, not where it is.
      .replace(/\u00ad/g, ''),
  );

/** Words of `wanted` that `text` lacks, whether its marks stand inside words or between them. */
function missing(wanted: readonly string[], text: string): string[] {
  const inside = new Set(lacking(wanted, text, ''));
  return lacking(wanted, text, ' ').filter((word) => inside.has(word));
}

function lacking(wanted: readonly string[], text: string, mark: string): string[] {
  const plain = text
    .replace(/\]\([^)]*\)/g, ' ')
    .replace(/<\/?su[bp]>|\\?(?:\*|~~)/g, mark)
    .replace(/\\(?=[!-/:-@[-`{-~])/g, '');
  const bag = new Map<string, number>();
  for (const word of words(plain)) bag.set(word, (bag.get(word) ?? 0) + 1);
  return wanted.filter((word) => {
    const left = bag.get(word) ?? 0;
    bag.set(word, left - 1);
    return left <= 0;
  });
}

describe.runIf(CORPUS !== undefined)('Word documents of others', () => {
  const files = CORPUS === undefined ? [] : filesIn(FOLDER);

  test('there are some', () => {
    expect(files.length).toBeGreaterThan(50);
  });

  test.each(files)('reads %s or says why not', async (file) => {
    const bytes = readFileSync(file);
    let converted: Converted;
    try {
      converted = await convertWord(bytes);
    } catch (error) {
      expect(error).toBeInstanceOf(ReaderError);
      expect(file).toMatch(REFUSED);
      return;
    }
    for (const block of converted.blocks) {
      expect(block.endsWith('\n')).toBe(true);
      if (!block.startsWith('```')) expect(block).not.toMatch(/\n\n|^\n/);
    }
    let html: string;
    try {
      html = (await mammoth.convertToHtml({ buffer: bytes })).value.replace(/<img[^>]*>/g, '');
    } catch {
      // What the other reader cannot open is no measure.
      return;
    }
    const hidden = converted.warnings.some(({ code }) => code === 'HIDDEN_TEXT');
    if (!hidden) expect(missing(wordsOfHtml(html), converted.text)).toEqual([]);
  });
});
