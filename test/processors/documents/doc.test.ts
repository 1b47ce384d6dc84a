// Word 97 documents: text in pieces, styles, lists, tables, fields and notes as Word writes them, and files that lie.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createReader, type FileExtractionResult } from '../../../src/index.ts';
import { compoundOf } from '../../support/compound.mjs';
import { survivesDamage } from '../../support/damage.ts';
import { contentOf } from '../../support/walk.ts';
import { sprm, styleSheet, u16, u32, type Word97, word97 } from './word97-file.ts';

const reader = createReader({ environment: {} });
const read = (bytes: Uint8Array, name = 'a.doc'): Promise<FileExtractionResult> =>
  reader.read({ name, bytes }, { all: true });
const codesOf = (result: FileExtractionResult): string[] =>
  result.success ? result.warnings.map(({ code }) => code) : [];
const textOf = (result: FileExtractionResult): string =>
  result.success ? contentOf([result]) : `${result.error.code}: ${result.error.message}`;
const markdown = async (file: Word97): Promise<string> => textOf(await read(word97(file)));

const STYLES = styleSheet([
  [0, 1, 0xfff, 'Normal'],
  [1, 1, 0, 'Überschrift 1', Buffer.alloc(0), sprm(0x0835, 1)],
  [0xffe, 1, 1, 'Kapitel'],
  [0xffe, 2, 0xfff, 'Fett', Buffer.alloc(0), sprm(0x0835, 1)],
  [62, 1, 0, 'Titel'],
  [0xffe, 1, 0, 'Gliederung', sprm(0x2640, 1)],
]);

describe('text', () => {
  it('in pieces of one and two bytes per character, out of order in the stream', async () => {
    const pieces = [
      { text: 'Gr\u00fc\u00dfe, ', narrow: true },
      { text: '中文 – Łódź' },
      { text: ' \u0093quoted\u0094\r', narrow: true },
    ];
    expect(await markdown({ pieces, order: [2, 0, 1] })).toBe('Grüße, 中文 – Łódź “quoted”\n');
  });

  it('changed by a fast save, as a list and in short form', async () => {
    const pieces = [
      { text: 'one ', narrow: true },
      { text: 'bold', narrow: true, changes: sprm(0x0835, 1) },
      { text: ' and ', narrow: true },
      { text: 'slanted', changes: [86, 1] as const },
      { text: '.\r', narrow: true },
    ];
    expect(await markdown({ pieces })).toBe('one **bold** and *slanted*.\n');
  });

  it('hidden, deleted, in symbol fonts, and with signs', async () => {
    const fonts = Buffer.concat([
      u16(1, 0),
      Buffer.from([53]),
      Buffer.alloc(39),
      Buffer.from('Symbol\0', 'utf16le'),
    ]);
    const result = await read(
      word97({
        pieces: [{ text: 'a secret gone (\u001eb\u000bc\u001fd\r' }],
        characters: [
          ['secret ', sprm(0x083c, 1)],
          ['gone ', sprm(0x0800, 1)],
          ['(', Buffer.concat([sprm(0x6a09, 0, 0, 0x61, 0xf0), sprm(0x0855, 1)])],
        ],
        tables: { 15: fonts },
      }),
    );
    expect(textOf(result)).toBe('a α-b  \ncd\n');
    expect(codesOf(result)).toEqual(['HIDDEN_TEXT', 'SKIPPED_CONTENT']);
  });

  it('with tracked changes marked', async () => {
    const bytes = word97({
      pieces: [{ text: 'the old new word\r' }],
      characters: [
        ['old ', sprm(0x0800, 1)],
        ['new', sprm(0x0801, 1)],
      ],
    });
    const result = await reader.read({ name: 'a.doc', bytes }, { changes: 'mark' });
    expect(textOf(result)).toContain('the {--old --}{++new++} word');
  });

  it('of fields: results without codes, links with their target, states of forms', async () => {
    const field = (code: string, result: string): string => `\u0013${code}\u0014${result}\u0015`;
    expect(
      await markdown({
        pieces: [
          {
            text: `See ${field(' HYPERLINK "https://example.org/a" \\l "b" ', 'here')}, page ${field(' PAGE ', '3')}${field(' HYPERLINK "javascript:x()" ', '!')}\r`,
          },
        ],
      }),
    ).toBe('See [here](https://example.org/a#b), page 3!\n');
  });
});

describe('paragraphs', () => {
  it('are headings by number and ancestors of their style, and by outline level', async () => {
    expect(
      await markdown({
        pieces: [{ text: 'One\rTwo\rThree\rFour\rFive\r', narrow: true }],
        paragraphs: [
          ['One', 4],
          ['Two', 1],
          ['Three', 2],
          ['Four', 0, sprm(0x2640, 2)],
          ['Five', 5],
        ].map(([text, style, change]) => [text, style, change] as [string, number, Buffer]),
        tables: { 1: STYLES },
      }),
    ).toBe('# One\n\n# Two\n\n# Three\n\n### Four\n\n## Five\n');
  });

  it('show emphasis only where it differs from the style', async () => {
    expect(
      await markdown({
        pieces: [{ text: 'a strong one\r' }],
        characters: [['strong', sprm(0x4a30, 3, 0)]],
        tables: { 1: STYLES },
      }),
    ).toBe('a **strong** one\n');
  });

  it('are list items with the numbers Word shows', async () => {
    const level = (format: number, text: string, start = 1): Buffer =>
      Buffer.concat([
        u32(start),
        Buffer.from([format, 0]),
        Buffer.alloc(18),
        Buffer.from([0, 0, 0, 0]),
        u16(text.length),
        Buffer.from(text, 'utf16le'),
      ]);
    const levels = [level(0, '\0.'), level(4, '\u0001)'), ...Array.from({ length: 7 }, () => level(23, '•'))];
    const head = Buffer.concat([u16(1), u32(77, 0), Buffer.alloc(20)]);
    const lists = Buffer.concat([head, ...levels]);
    const overrides = Buffer.concat([u32(1), u32(77, 0, 0), Buffer.alloc(4), u32(0)]);
    const item = (depth: number): Buffer => Buffer.concat([sprm(0x260a, depth), sprm(0x460b, 1, 0)]);
    expect(
      await markdown({
        pieces: [{ text: 'first\rinner\rdeeper\rsecond\r' }],
        paragraphs: [
          ['first', 0, item(0)],
          ['inner', 0, item(1)],
          ['deeper', 0, item(2)],
          ['second', 0, item(0)],
        ],
        tables: { 74: overrides, 73: lists },
      }),
    ).toBe('1. first\n   - a) inner\n     - deeper\n2. second\n');
  });
});

/** Modifiers of the end of a row with cells between these edges; `flags` by cell. */
function rowEnd(edges: readonly number[], flags: readonly number[] = []): Buffer {
  const count = edges.length - 1;
  const cells = Buffer.concat(
    Array.from({ length: count }, (_, at) => Buffer.concat([u16(flags[at] ?? 0), Buffer.alloc(18)])),
  );
  const body = Buffer.concat([Buffer.from([count]), u16(...edges), cells]);
  return Buffer.concat([sprm(0x2416, 1), sprm(0x2417, 1), sprm(0xd608), u16(body.length + 1), body]);
}

describe('tables', () => {
  const cell = sprm(0x2416, 1);

  it('take their columns from the edges of cells', async () => {
    const text =
      'wide\u0007end\u0007\u0001\u0007up\u0007b\u0007c\u0007\u0002\u0007\u0003\u0007d\u0007e\u0007\u0004\u0007after\r';
    expect(
      await markdown({
        pieces: [{ text }],
        paragraphs: [
          ['wide', 0, cell],
          ['end', 0, cell],
          ['\u0001', 0, rowEnd([0, 2000, 3000])],
          ['up', 0, cell],
          ['b', 0, cell],
          ['c\u0007', 0, cell],
          ['\u0002', 0, rowEnd([5, 1000, 2000, 3000], [0x60])],
          ['\u0003', 0, cell],
          ['d', 0, cell],
          ['e\u0007', 0, cell],
          ['\u0004', 0, rowEnd([0, 1000, 2000, 3000], [0x20])],
        ].map(([one, style, change]) => [one, style, change] as [string, number, Buffer]),
      }),
    ).toBe('| wide | wide | end |\n| --- | --- | --- |\n| up | b | c |\n| up | d | e |\n\nafter\n');
  });
});

describe('notes', () => {
  it('stand at the end, comments with their author', async () => {
    const body = 'word\u0002 and text\u0005.\r\r';
    const footnote = '\u0002 a note\r\r';
    const comment = '\u0005why?\r\r';
    const about = Buffer.concat([Buffer.alloc(20), u16(0), Buffer.alloc(8)]);
    expect(
      await markdown({
        pieces: [{ text: body + footnote + comment }],
        stories: [footnote.length, 0, 0, comment.length],
        tables: {
          2: Buffer.concat([u32(4, body.length), u16(1)]),
          3: u32(0, footnote.length - 1, footnote.length),
          4: Buffer.concat([u32(14, body.length), about]),
          5: u32(0, comment.length - 1, comment.length),
          36: Buffer.concat([u16(3), Buffer.from('Ida', 'utf16le')]),
        },
      }),
    ).toBe('word[^1] and text[^c1].\n\n[^1]: a note\n\n[^c1]: Ida: why?\n');
  });
});

describe('files of another kind', () => {
  const named = async (name: string, bytes: Uint8Array | string): Promise<string> => {
    const result = await read(Buffer.from(bytes), name);
    return result.success ? (result.metadata.mimeType ?? '') : result.error.code;
  };
  const fixture = (path: string): Buffer =>
    readFileSync(new URL(`../../../fixtures/${path}`, import.meta.url));

  it('under the name .doc go to their own reader', async () => {
    expect(textOf(await read(Buffer.from('{\\rtf1\\ansi one {\\b two}\\par}')))).toContain('one **two**');
    expect(
      textOf(await read(Buffer.from('<!DOCTYPE html><html><body><h1>One</h1></body></html>'))),
    ).toContain('# One');
    expect(textOf(await read(fixture('documents/survey.docx')))).toContain('# Harbour crane survey');
    expect(textOf(await read(Buffer.from('just a few words\n')))).toContain('just a few words');
    expect(textOf(await read(fixture('mail/meeting.msg')))).not.toContain('CORRUPT');
  });

  it('are recognised without a name', async () => {
    expect(await named('report', fixture('documents/river.doc'))).toBe('application/msword');
    expect(await named('letter.dot', fixture('documents/river.doc'))).toBe('application/msword');
  });

  it('leave graphs named .dot to the text reader', async () => {
    const result = await read(Buffer.from('digraph { a -> b }\n'), 'a.dot');
    expect([textOf(result), codesOf(result)]).toEqual(['digraph { a -> b }\n', []]);
  });

  it('are refused with a reason', async () => {
    expect(textOf(await read(word97({ pieces: [{ text: 'x\r' }], flags: 0x100 })))).toBe(
      'ENCRYPTED_FILE: The document is protected with a password.',
    );
    expect(textOf(await read(compoundOf([{ name: 'WordDocument', data: Buffer.alloc(5000) }])))).toMatch(
      /^CORRUPT_FILE/,
    );
  });

  it('of Word 95 give their text', async () => {
    const word = Buffer.alloc(6000);
    word.writeUInt16LE(0xa5dc, 0);
    word.writeUInt16LE(104, 2);
    const text = Buffer.from(
      'Gr\u00fc\u00dfe\rcell\u0007two\u0007\u0007see \u0013 PAGE \u00143\u0015\r',
      'latin1',
    );
    text.copy(word, 768);
    word.writeUInt32LE(768, 24);
    word.writeUInt32LE(768 + text.length, 28);
    word.writeUInt32LE(text.length, 52);
    const result = await read(compoundOf([{ name: 'WordDocument', data: word }]));
    expect(textOf(result)).toBe('Grüße\n\n| cell | two |\n| --- | --- |\n\nsee 3\n');
    expect(codesOf(result)).toEqual(['SKIPPED_CONTENT']);
    // The same bytes in the code page of another system.
    Buffer.from('cef2f7e5f2', 'hex').copy(word, 768);
    const russian = await read(compoundOf([{ name: 'WordDocument', data: word }]));
    expect(textOf(russian)).toMatch(/^Отчет\n/);
    expect(codesOf(russian)).toContain('ENCODING_GUESSED');
  });
});

describe('damaged files', () => {
  it('with pieces that state the same text again and again stay small', async () => {
    const text = 'a'.repeat(1000);
    const positions = Array.from({ length: 2001 }, (_, at) => at * 1000);
    const data = Array.from({ length: 2000 }, () => Buffer.concat([u16(0), u32(2048), u16(0)]));
    const plex = Buffer.concat([u32(...positions), ...data]);
    const result = await read(
      word97({
        pieces: [{ text }],
        tables: { 33: Buffer.concat([Buffer.from([2]), u32(plex.length), plex]) },
      }),
    );
    expect(textOf(result).length).toBeLessThan(20_000);
  });

  it('give what is there, or an error, and no crash', async () => {
    const whole = readFileSync(new URL('../../../fixtures/documents/river.doc', import.meta.url));
    await survivesDamage(whole, read);
  });
});
