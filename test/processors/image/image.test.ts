// Pictures through the reader: what a model is told, what is given, how to go on, and what is refused.

import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { createReader, type ReadSuccess } from '../../../src/index.ts';
import { animation, pixels } from '../../support/pictures.ts';
import { readOk, walk } from '../../support/walk.ts';

const reader = createReader({ environment: {} });
const binaries = ({ content }: ReadSuccess) => content.filter((part) => part.kind === 'binary');

it('a picture that fits is given as it is, beside a line about it', async () => {
  const bytes = await pixels(90, 70, 4, 'blocks').png().toBuffer();
  const result = await readOk(reader, { name: 'a.png', bytes });
  expect(result).toMatchObject({
    fileType: 'image',
    processor: 'image',
    text: `PNG image, 90 x 70 pixels, ${bytes.length} bytes. Shown unchanged.\n`,
    content: [{ kind: 'binary', mimeType: 'image/png', at: [] }],
    truncation: null,
    metadata: {
      width: 90,
      height: 70,
      format: 'png',
      frames: 1,
      hasAlpha: true,
      orientation: 1,
      mimeType: 'image/png',
    },
    warnings: [],
  });
  expect(binaries(result)[0]?.data).toEqual(new Uint8Array(bytes));
});

it('a picture that is made smaller tells both sizes, in words and in data', async () => {
  const bytes = await pixels(700, 500, 3, 'noise').jpeg().withMetadata({ orientation: 6 }).toBuffer();
  const small = createReader({ environment: {}, limits: { maxImageBytes: 30_000, maxImageEdge: 400 } });
  const result = await readOk(small, { name: 'a.jpg', bytes });
  const shown = result.metadata['shown'];
  expect(shown).toMatchObject({ mimeType: 'image/jpeg' });
  const [part] = binaries(result);
  const { width, height } = await sharp(part?.data).metadata();
  expect(shown).toMatchObject({ width, height, bytes: part?.data.length });
  expect(result.text).toBe(
    `JPEG image, 500 x 700 pixels, ${bytes.length} bytes. Shown: turned upright, ${width} x ${height} pixels of JPEG, ${part?.data.length} bytes.\n`,
  );
  const all = await readOk(small, { name: 'a.jpg', bytes }, { all: true });
  expect((await sharp(binaries(all)[0]?.data).metadata()).width).toBe(500);
});

it('tells less in a small budget, and gives the picture all the same', async () => {
  const bytes = await pixels(90, 70, 3, 'blocks').jpeg().toBuffer();
  for (let maxTokens = 1; maxTokens < 30; maxTokens += 1)
    expect(binaries(await readOk(reader, { name: 'a.jpg', bytes }, { maxTokens }))).toHaveLength(1);
  expect(binaries(await readOk(reader, { name: 'a.jpg', bytes }, { maxTokens: 0 }))).toHaveLength(0);
});

it('crops a region, and names the real size when it lies outside', async () => {
  const bytes = await pixels(90, 70, 3, 'blocks').png().toBuffer();
  const result = await readOk(reader, { name: 'a.png', bytes }, { region: '10,20,30,40' });
  expect(result.metadata['shown']).toMatchObject({ width: 30, height: 40 });
  expect(await reader.read({ name: 'a.png', bytes }, { region: '80,0,11,1' })).toMatchObject({
    success: false,
    error: { code: 'BAD_INPUT', message: expect.stringContaining('90 x 70 pixels') },
  });
});

describe('several pictures in a file', () => {
  it('an animation that does not fit shows a frame, and the walk shows the others', async () => {
    const bytes = await animation('webp', 60, 50, 7, 'noise');
    const small = createReader({ environment: {}, limits: { maxImagePixels: 8000 } });
    const answers = await walk(small, () => ({ name: 'a.webp', bytes }));
    expect(answers[0]?.truncation).toMatchObject({
      shown: [{ unit: 'frame', from: 1, to: 1, of: 7 }],
      omitted: [{ unit: 'frame', from: 2, to: 7, of: 7 }],
      next: { request: { pages: '2-7' } },
    });
    expect(answers[0]?.warnings.map(({ code }) => code)).toEqual(['TRUNCATED', 'CONVERTED']);
    expect(answers.flatMap(binaries).map(({ at }) => at[0]?.from)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    const chosen = await readOk(small, { name: 'a.webp', bytes }, { pages: '-2' });
    expect(binaries(chosen).map(({ at }) => at[0]?.from)).toEqual([6, 7]);
    expect(await small.read({ name: 'a.webp', bytes }, { pages: '8' })).toMatchObject({
      success: false,
      error: { code: 'BAD_INPUT' },
    });
  });

  it('a TIFF is shown as PNG', async () => {
    const result = await readOk(reader, {
      name: 'a.tif',
      bytes: await pixels(90, 70, 3, 'blocks').tiff().toBuffer(),
    });
    expect(binaries(result)[0]?.mimeType).toBe('image/png');
    expect(result.warnings).toMatchObject([{ code: 'CONVERTED' }]);
  });
});

describe('drawings', () => {
  const bytes = Buffer.from(
    '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="4"><rect width="8" height="4" fill="red"/></svg>\n',
  );

  it('are text, unless a picture of them is asked for', async () => {
    expect(await readOk(reader, { name: 'a.svg', bytes })).toMatchObject({
      processor: 'xml',
      fileType: 'xml',
    });
    const drawn = await readOk(reader, { name: 'a.svg', bytes }, { detail: 'auto' });
    expect(drawn).toMatchObject({
      fileType: 'image',
      metadata: { format: 'svg', mimeType: 'image/svg+xml', shown: { width: 1024, height: 512 } },
      warnings: [{ code: 'CONVERTED' }],
    });
    const part = await readOk(reader, { name: 'a.svg', bytes }, { region: '0,0,2,2', detail: 'low' });
    expect(part.metadata['shown']).toMatchObject({ width: 512, height: 512 });
  });

  it('other XML has nothing to draw', async () => {
    expect(await reader.read({ name: 'a.xml', bytes }, { region: '0,0,1,1' })).toMatchObject({
      error: { code: 'BAD_INPUT' },
    });
    const result = await readOk(reader, { name: 'a.xml', bytes }, { detail: 'low' });
    expect(result.warnings).toMatchObject([{ code: 'IGNORED_FIELD' }]);
  });
});

describe('what cannot be shown', () => {
  const u32 = (...values: number[]): Buffer => {
    const bytes = Buffer.alloc(values.length * 4);
    for (const [i, value] of values.entries()) bytes.writeUInt32BE(value, i * 4);
    return bytes;
  };
  const bmp = Buffer.alloc(60);
  bmp.write('BM');
  bmp.writeUInt32LE(40, 14);
  bmp.writeInt32LE(640, 18);
  bmp.writeInt32LE(-480, 22);
  const psd = Buffer.concat([
    Buffer.from('8BPS\0\u0001\0\0\0\0\0\0\0\u0003', 'latin1'),
    u32(200, 300),
    Buffer.alloc(40),
  ]);
  const ico = Buffer.concat([
    Buffer.from([0, 0, 1, 0, 2, 0, 16, 16]),
    Buffer.alloc(14),
    Buffer.from([0, 0]),
    Buffer.alloc(30),
  ]);
  const box = (type: string, ...content: Uint8Array[]): Buffer => {
    const inside = Buffer.concat(content);
    return Buffer.concat([u32(inside.length + 8), Buffer.from(type), inside]);
  };
  const heic = Buffer.concat([
    box('ftyp', Buffer.from('heic\0\0\0\0mif1')),
    box(
      'meta',
      u32(0),
      box('iprp', box('ipco', box('ispe', u32(0, 512, 512)), box('ispe', u32(0, 4032, 3024)))),
    ),
  ]);
  const j2k = Buffer.concat([u32(0xff4fff51), Buffer.alloc(4), u32(320, 240, 0, 0), Buffer.alloc(20)]);
  const jp2 = Buffer.concat([
    u32(12),
    Buffer.from('jP  \r\n\u0087\n', 'latin1'),
    box('jp2h', box('ihdr', u32(240, 320))),
  ]);

  it.each([
    ['a.bmp', bmp, 640, 480],
    ['a.psd', psd, 300, 200],
    ['a.ico', ico, 256, 256],
    ['a.heic', heic, 4032, 3024],
    ['a.j2k', j2k, 320, 240],
    ['a.jp2', jp2, 320, 240],
    // Small, 16 times 8 high, twice as wide: bits from the lowest up.
    ['a.jxl', Buffer.from([0xff, 0x0a, 0xdf, 0x01, 0, 0, 0, 0, 0, 0, 0, 0]), 256, 128],
    ['a.qoi', Buffer.concat([Buffer.from('qoif'), u32(7, 9), Buffer.alloc(20)]), 7, 9],
  ])('%s is told by its header', async (name, bytes, width, height) => {
    expect(await reader.read({ name, bytes })).toMatchObject({
      success: false,
      error: { code: 'UNSUPPORTED_FORMAT', message: expect.stringContaining(`${width} x ${height} pixels`) },
    });
    expect(await reader.inspect({ name, bytes })).toMatchObject({
      success: true,
      metadata: { width, height },
    });
  });

  it('more pixels than allowed are named', async () => {
    const small = createReader({ environment: {}, limits: { maxImagePixels: 1000 } });
    const bytes = await pixels(90, 70, 3, 'blocks').png().toBuffer();
    expect(await small.read({ name: 'a.png', bytes })).toMatchObject({
      error: { code: 'LIMIT_EXCEEDED', message: expect.stringContaining('90 x 70') },
    });
  });
});

describe('content beside its name', () => {
  it('wins, and is named', async () => {
    const bytes = await pixels(90, 70, 3, 'blocks').jpeg().toBuffer();
    for (const name of ['a.png', 'a.mp3', 'a.csv', 'a.xlsx']) {
      const result = await readOk(reader, { name, bytes });
      expect(result).toMatchObject({ processor: 'image', metadata: { mimeType: 'image/jpeg' } });
      expect(result.warnings.map(({ code }) => code)).toEqual(['FORMAT_MISMATCH']);
    }
    expect((await readOk(reader, { name: 'nameless', bytes })).warnings).toEqual([]);
  });

  it('a program named .jpg is no picture', async () => {
    const bytes = Buffer.concat([Buffer.from('MZ'), Buffer.alloc(500, 1)]);
    const result = await reader.read({ name: 'a.jpg', bytes });
    expect(result).toMatchObject({ success: false });
  });
});

it('several files under one budget', async () => {
  const bytes = await pixels(90, 70, 3, 'blocks').jpeg().toBuffer();
  const results = await reader.readMany(
    [
      { name: 'a.jpg', bytes },
      { name: 'b.txt', bytes: Buffer.from('words\n') },
    ],
    { maxTokens: 100 },
  );
  expect(results.map((result) => result.success && result.text)).toEqual([
    `==> a.jpg <==\nJPEG image, 90 x 70 pixels, ${bytes.length} bytes. Shown unchanged.\n`,
    '==> b.txt <==\nwords\n',
  ]);
});
