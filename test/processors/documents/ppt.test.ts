// PowerPoint 97 presentations: what programs other than PowerPoint do not write (several saves, texts in the list of
// slides, one byte per character), and files that lie.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createReader, type FileExtractionResult } from '../../../src/index.ts';
import { compoundOf } from '../../support/compound.mjs';
import { survivesDamage } from '../../support/damage.ts';
import { contentOf } from '../../support/walk.ts';
import { u16, u32 } from './word97-file.ts';

const reader = createReader({ environment: {} });
const read = (bytes: Uint8Array, name = 'a.ppt'): Promise<FileExtractionResult> =>
  reader.read({ name, bytes }, { all: true });
const textOf = (result: FileExtractionResult): string =>
  result.success ? contentOf([result]) : `${result.error.code}: ${result.error.message}`;
const codesOf = (result: FileExtractionResult): string[] =>
  result.success ? result.warnings.map(({ code }) => code) : [];

/** A record: a container with version 15, or an atom. */
const record = (type: number, content: Buffer | Buffer[], instance = 0): Buffer => {
  const isContainer = !Buffer.isBuffer(content);
  const body = Buffer.isBuffer(content) ? content : Buffer.concat(content);
  return Buffer.concat([u16((instance << 4) | (isContainer ? 15 : 0), type), u32(body.length), body]);
};
const wide = (text: string): Buffer => record(0xfa0, Buffer.from(text, 'utf16le'));
const narrow = (text: string): Buffer => record(0xfa8, Buffer.from(text, 'latin1'));
const head = (type: number): Buffer => record(0xf9f, u32(type));

/** A shape with its place (left, top in master units) and the records of its text. */
const shape = (left: number, top: number, ...text: Buffer[]): Buffer =>
  record(0xf004, [
    record(0xf00a, u32(1, 0), 1),
    record(0xf010, u16(top, left, left + 1000, top + 300)),
    record(0xf00d, text),
  ]);
const slide = (...shapes: Buffer[]): Buffer => page(0x3ee, 0, ...shapes);
/** A slide, or a master with type 0x3f8; one with a `master` shows its shapes. */
const page = (type: number, master: number, ...shapes: Buffer[]): Buffer =>
  record(type, [
    record(
      0x3ef,
      Buffer.concat([u32(0), Buffer.alloc(8), u32(master, 0), u16(master === 0 ? 0 : 1), Buffer.alloc(2)]),
    ),
    record(0x40c, [
      record(0xf002, [record(0xf003, [record(0xf004, [record(0xf00a, u32(0, 5))]), ...shapes])]),
    ]),
  ]);
const slideEntry = (reference: number, ...texts: Buffer[]): Buffer =>
  Buffer.concat([record(0x3f3, u32(reference, 0, texts.length, 256 + reference, 0)), ...texts]);
const documentOf = (...entries: Buffer[]): Buffer =>
  record(0x3e8, [record(0x3e9, u32(5760, 4320, 0, 0, 0, 0, 0, 0, 0, 0)), record(0xff0, entries)]);

/** One save: objects by id, appended with their directory. */
type Save = Readonly<Record<number, Buffer>>;

/** A file of several saves; in a `circle` the first one follows the last. */
function presentation(saves: readonly Save[], options: { circle?: boolean; token?: number } = {}): Buffer {
  const pieces: Buffer[] = [];
  let at = 0;
  const add = (bytes: Buffer): number => {
    const place = at;
    pieces.push(bytes);
    at += bytes.length;
    return place;
  };
  let edit = 0;
  let first: number | undefined;
  for (const save of saves) {
    const places = Object.entries(save).map(([id, bytes]) => [Number(id), add(bytes)] as const);
    const directory = add(
      record(0x1772, Buffer.concat(places.map(([id, place]) => u32((1 << 20) | id, place)))),
    );
    edit = add(record(0xff5, u32(256, 3, edit, directory, 1, 100, 0)));
    first ??= edit;
  }
  const stream = Buffer.concat([...pieces, Buffer.alloc(4096)]);
  if (options.circle) stream.writeUInt32LE(edit, (first ?? 0) + 16);
  return compoundOf([
    {
      name: 'Current User',
      data: Buffer.concat([u16(0, 0xff6), u32(20, 20, options.token ?? 0xe391c05f, edit), u16(0, 0, 0, 0)]),
    },
    { name: 'PowerPoint Document', data: stream },
  ]);
}

describe('slides', () => {
  it('have titles as headings, and shapes in reading order', async () => {
    const one = slide(
      shape(3000, 2000, head(4), narrow('right')),
      shape(100, 2000, head(4), wide('left Ł')),
      shape(100, 100, head(0), narrow('The gr\u00f6\u00dfte')),
    );
    expect(textOf(await read(presentation([{ 1: documentOf(slideEntry(2)), 2: one }])))).toBe(
      '## The größte\n\nleft Ł\n\nright\n',
    );
  });

  it('show the texts of their master once', async () => {
    const placeholder = record(0xf011, [record(0xbc3, Buffer.concat([u32(0), Buffer.from([1, 0, 0, 0])]))]);
    const prompt = record(0xf004, [
      record(0xf00a, u32(0, 0)),
      placeholder,
      record(0xf00d, [head(0), narrow('Click to edit')]),
    ]);
    const master = page(0x3f8, 0, prompt, shape(100, 4000, head(4), narrow('Confidential')));
    const one = (text: string, of: number): Buffer => page(0x3ee, of, shape(100, 100, head(0), narrow(text)));
    const masters = record(0xff0, slideEntry(9), 1);
    const document = record(0x3e8, [
      record(0x3e9, u32(5760, 4320, 0, 0, 0, 0, 0, 0, 0, 0)),
      masters,
      record(0xff0, [slideEntry(2), slideEntry(3), slideEntry(4)]),
    ]);
    const objects = { 1: document, 2: one('A', 265), 3: one('B', 265), 4: one('C', 0), 9: master };
    expect(textOf(await read(presentation([objects])))).toBe(
      '## A\n\nSlide footer: Confidential\n\n## B\n\n## C\n',
    );
  });

  it('take texts from the list of slides', async () => {
    const entry = slideEntry(2, head(0), narrow('Listed'), head(1), narrow('body\rnext\u000bline'));
    const one = slide(shape(100, 100, record(0xf9e, u32(0))), shape(100, 900, record(0xf9e, u32(1))));
    expect(textOf(await read(presentation([{ 1: documentOf(entry), 2: one }])))).toBe(
      '## Listed\n\nbody\n\nnext  \nline\n',
    );
  });

  it('have bullets, levels and emphasis by their styles', async () => {
    const text = 'one\rtwo strong';
    const styles = Buffer.concat([
      u32(4),
      u16(0),
      u32(1),
      u16(1),
      u32(text.length - 3),
      u16(1),
      u32(1),
      u16(1),
      u32(8, 0),
      u32(7, 1),
      u16(1),
    ]);
    const one = slide(shape(100, 100, head(1), wide(text), record(0xfa1, styles)));
    expect(textOf(await read(presentation([{ 1: documentOf(slideEntry(2)), 2: one }])))).toBe(
      '- one\n  - two **strong**\n',
    );
  });

  it('are those of the last save', async () => {
    const first = slide(shape(100, 100, head(4), narrow('old')));
    const second = slide(shape(100, 100, head(4), narrow('new')));
    const kept = slide(shape(100, 100, head(4), narrow('kept')));
    const bytes = presentation([
      { 1: documentOf(slideEntry(2), slideEntry(3)), 2: first, 3: kept },
      { 2: second },
      { 1: documentOf(slideEntry(3), slideEntry(2)) },
    ]);
    expect(textOf(await read(bytes))).toBe('kept\n\nnew\n');
  });
});

describe('files that lie', () => {
  const one = slide(shape(100, 100, head(4), narrow('text')));

  it('with saves in a circle end', async () => {
    const bytes = presentation([{ 1: documentOf(slideEntry(2)), 2: one }, { 3: one }], {
      circle: true,
    });
    expect(textOf(await read(bytes))).toBe('text\n');
  });

  it('that list a slide again and again show it once', async () => {
    const entries = Array.from({ length: 50 }, () => slideEntry(2));
    const result = await read(presentation([{ 1: documentOf(...entries), 2: one }]));
    expect(textOf(result).trim()).toBe('text');
    expect(codesOf(result)).toContain('SKIPPED_CONTENT');
  });

  it('without a list of slides give the slides that are found', async () => {
    const result = await read(presentation([{ 1: documentOf(), 2: one }]));
    expect(textOf(result)).toBe('text\n');
    expect(codesOf(result)).toEqual(['SKIPPED_CONTENT']);
  });

  it('are refused if they are encrypted, or have nothing to read', async () => {
    expect(textOf(await read(presentation([{ 1: documentOf() }], { token: 0xf3d1c4df })))).toBe(
      'ENCRYPTED_FILE: The presentation is protected with a password.',
    );
    expect(
      textOf(await read(compoundOf([{ name: 'PowerPoint Document', data: Buffer.alloc(5000) }]))),
    ).toMatch(/^CORRUPT_FILE/);
  });

  it('give what is there, or an error, and no crash', async () => {
    const whole = readFileSync(new URL('../../../fixtures/documents/weirs.ppt', import.meta.url));
    await survivesDamage(whole, read);
  });
});

describe('files of another kind', () => {
  it.each(['a.ppt', 'a.pps', 'a.pot', 'a', 'a.doc'])(
    'are recognised by their content as %s',
    async (name) => {
      const bytes = readFileSync(new URL('../../../fixtures/documents/gates.ppt', import.meta.url));
      expect(textOf(await read(bytes, name))).toContain('## The gates');
    },
  );

  it('under the name .ppt go to their own reader', async () => {
    const bytes = readFileSync(new URL('../../../fixtures/documents/gates.pptx', import.meta.url));
    expect(textOf(await read(bytes))).toContain('## The gates');
    expect(textOf(await read(Buffer.from('<html><body><h1>Two</h1></body></html>')))).toContain('# Two');
  });
});
