// Windows bitmaps of each kind, written here, read to the pixels they were made of.

import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { decodeBmp } from '../../../processors/image/bmp.ts';
import { createReader } from '../../../src/index.ts';

const MAX = 1_000_000;
const RED = [255, 0, 0] as const;
const GREEN = [0, 255, 0] as const;
const BLUE = [0, 0, 255] as const;
const WHITE = [255, 255, 255] as const;
/** Two rows of three. */
const PIXELS = [RED, GREEN, BLUE, WHITE, RED, GREEN].flat();
const PALETTE = [RED, GREEN, BLUE, WHITE];

interface Made {
  readonly bits: number;
  readonly rows: readonly (readonly number[])[];
  readonly compression?: number;
  readonly topDown?: boolean;
  readonly core?: boolean;
  readonly masks?: readonly number[];
  readonly palette?: readonly (readonly number[])[];
  readonly size?: number;
}

/** `rows` as they are in the file, without their padding. */
function bmp({
  bits,
  rows,
  compression = 0,
  topDown,
  core,
  masks = [],
  palette = [],
  size = 40,
}: Made): Buffer {
  const header = Buffer.alloc(core ? 12 : size);
  header.writeUInt32LE(header.length, 0);
  if (core) {
    header.writeUInt16LE(3, 4);
    header.writeUInt16LE(2, 6);
    header.writeUInt16LE(1, 8);
    header.writeUInt16LE(bits, 10);
  } else {
    header.writeInt32LE(3, 4);
    header.writeInt32LE(topDown ? -2 : 2, 8);
    header.writeUInt16LE(1, 12);
    header.writeUInt16LE(bits, 14);
    header.writeUInt32LE(compression, 16);
    header.writeUInt32LE(palette.length, 32);
    if (size > 40) for (const [i, mask] of masks.entries()) header.writeUInt32LE(mask, 40 + 4 * i);
  }
  const after = size > 40 ? [] : masks.map((mask) => Buffer.from(Uint32Array.of(mask).buffer));
  const colors = palette.map(([red = 0, green = 0, blue = 0]) =>
    Buffer.from(core ? [blue, green, red] : [blue, green, red, 0]),
  );
  const data = rows.map((row) => Buffer.concat([Buffer.from(row), Buffer.alloc((4 - (row.length % 4)) % 4)]));
  const file = Buffer.alloc(14);
  file.write('BM');
  const before = Buffer.concat([header, ...after, ...colors]);
  file.writeUInt32LE(14 + before.length, 10);
  return Buffer.concat([
    file,
    before,
    ...(compression === 1 || compression === 2 ? rows.map((row) => Buffer.from(row)) : data),
  ]);
}

const bgr = (...colors: readonly (readonly number[])[]): number[] =>
  colors.flatMap(([red = 0, green = 0, blue = 0]) => [blue, green, red]);
const LOWER = [WHITE, RED, GREEN];
const UPPER = [RED, GREEN, BLUE];

describe('bitmaps', () => {
  it.each<[string, Made]>([
    ['24 bits', { bits: 24, rows: [bgr(...LOWER), bgr(...UPPER)] }],
    ['24 bits, top down', { bits: 24, topDown: true, rows: [bgr(...UPPER), bgr(...LOWER)] }],
    ['24 bits of OS/2', { bits: 24, core: true, rows: [bgr(...LOWER), bgr(...UPPER)] }],
    ['1 bit', { bits: 1, palette: [RED, GREEN], rows: [[0b0100_0000], [0b0100_0000]] }],
    [
      '4 bits',
      {
        bits: 4,
        palette: PALETTE,
        rows: [
          [0x30, 0x10],
          [0x01, 0x20],
        ],
      },
    ],
    [
      '8 bits',
      {
        bits: 8,
        palette: PALETTE,
        rows: [
          [3, 0, 1],
          [0, 1, 2],
        ],
      },
    ],
    [
      '8 bits of OS/2',
      {
        bits: 8,
        core: true,
        palette: PALETTE,
        rows: [
          [3, 0, 1],
          [0, 1, 2],
        ],
      },
    ],
    [
      '16 bits',
      {
        bits: 16,
        rows: [
          [0xff, 0x7f, 0, 0x7c, 0xe0, 0x03],
          [0, 0x7c, 0xe0, 0x03, 0x1f, 0],
        ],
      },
    ],
    [
      '16 bits with masks',
      {
        bits: 16,
        compression: 3,
        masks: [0xf800, 0x07e0, 0x001f],
        rows: [
          [0xff, 0xff, 0, 0xf8, 0xe0, 0x07],
          [0, 0xf8, 0xe0, 0x07, 0x1f, 0],
        ],
      },
    ],
    [
      'run lengths of 8 bits',
      {
        bits: 8,
        compression: 1,
        palette: PALETTE,
        rows: [
          [1, 3, 0, 0],
          [0, 2, 0, 0],
          [0, 3, 0, 1, 2, 0],
          [0, 1],
        ],
      },
    ],
  ])('of %s', (name, made) => {
    const picture = decodeBmp(bmp(made), MAX);
    const expected =
      name === '1 bit'
        ? [RED, GREEN, RED, RED, GREEN, RED].flat()
        : name.startsWith('run')
          ? undefined
          : PIXELS;
    expect(picture).toMatchObject({ width: 3, height: 2, channels: 3 });
    if (expected) expect([...(picture?.pixels ?? [])]).toEqual(expected);
  });

  it('of run lengths keep literal runs, repeated ones and the end of lines', () => {
    const rows = [
      [1, 3, 2, 0],
      [0, 0],
      [0, 3, 0, 1, 2, 0],
      [0, 1],
    ];
    const picture = decodeBmp(bmp({ bits: 8, compression: 1, palette: PALETTE, rows }), MAX);
    expect([...(picture?.pixels ?? [])]).toEqual([RED, GREEN, BLUE, WHITE, RED, RED].flat());
  });

  it('of 4 bits in run lengths alternate two colours', () => {
    const rows = [
      [3, 0x30],
      [0, 0],
      [0, 3, 0x01, 0x20],
      [0, 1],
    ];
    const picture = decodeBmp(bmp({ bits: 4, compression: 2, palette: PALETTE, rows }), MAX);
    expect([...(picture?.pixels ?? [])]).toEqual([RED, GREEN, BLUE, WHITE, RED, WHITE].flat());
  });

  it('of 32 bits with alpha keep it', () => {
    const rows = [
      [0, 0, 255, 128, 0, 255, 0, 255, 255, 0, 0, 0],
      [0, 0, 255, 255, 0, 255, 0, 255, 255, 0, 0, 255],
    ];
    const masks = [0xff0000, 0xff00, 0xff, 0xff000000];
    const picture = decodeBmp(bmp({ bits: 32, compression: 3, size: 56, masks, rows }), MAX);
    expect(picture?.channels).toBe(4);
    expect([...(picture?.pixels ?? [])].slice(12)).toEqual([255, 0, 0, 128, 0, 255, 0, 255, 0, 0, 255, 0]);
  });

  it('that state more pixels than they have or than are allowed are refused', () => {
    const made = bmp({ bits: 24, rows: [bgr(...LOWER), bgr(...UPPER)] });
    expect(decodeBmp(made, 5)).toBeUndefined();
    made.writeInt32LE(900, 18);
    made.writeInt32LE(900, 22);
    expect(() => decodeBmp(made, MAX)).toThrow('Hardly any');
  });

  it('cut off or damaged anywhere end', () => {
    const made = bmp({
      bits: 8,
      compression: 1,
      palette: PALETTE,
      rows: [
        [200, 3],
        [0, 2, 255, 255],
        [0, 255],
      ],
    });
    for (let length = 0; length < made.length; length += 1) decodeBmp(made.subarray(0, length), MAX);
    for (let at = 0; at < made.length; at += 1)
      for (const value of [0, 1, 255]) {
        const bytes = Buffer.from(made);
        bytes[at] = value;
        try {
          decodeBmp(bytes, MAX);
        } catch (error) {
          expect(error).toMatchObject({ message: 'Hardly any of the pixels are there.' });
        }
      }
  });
});

it('a bitmap is shown as PNG, within limits', async () => {
  const bytes = bmp({ bits: 24, rows: [bgr(...LOWER), bgr(...UPPER)] });
  const answer = await createReader({ cache: false }).read({ name: 'a.bmp', bytes });
  expect(answer).toMatchObject({ success: true, warnings: [{ code: 'CONVERTED' }] });
  const part = answer.success ? answer.content.find(({ kind }) => kind === 'binary') : undefined;
  if (part?.kind !== 'binary') throw new Error('There is a picture.');
  const { data } = await sharp(part.data).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  expect([part.mimeType, ...data]).toEqual(['image/png', ...PIXELS]);
});

it('a bitmap that is cut off is shown with a warning', async () => {
  const made = bmp({ bits: 24, rows: [bgr(...LOWER), bgr(...UPPER)] });
  const answer = await createReader({ cache: false }).read({
    name: 'a.bmp',
    bytes: made.subarray(0, made.length - 6),
  });
  expect(answer).toMatchObject({
    success: true,
    warnings: [{ code: 'CONVERTED' }, { message: expect.stringContaining('damaged') }],
  });
});

it('HEIC names the package that decodes it', async () => {
  const box = (type: string, ...content: Buffer[]): Buffer => {
    const body = Buffer.concat(content);
    const head = Buffer.alloc(8);
    head.writeUInt32BE(8 + body.length, 0);
    head.write(type, 4);
    return Buffer.concat([head, body]);
  };
  const bytes = box('ftyp', Buffer.from('heic\0\0\0\0mif1'));
  const answer = await createReader({ cache: false }).read({ name: 'a.heic', bytes });
  expect(answer).toMatchObject({
    success: false,
    error: { code: 'UNSUPPORTED_FORMAT', hint: expect.stringContaining('`libheif-js`') },
  });
});
