// Pictures made to fit: truly within the bounds, upright, decodable, and untouched where they fit already.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { describe, expect, it, vi } from 'vitest';
import { fitImage } from '../../../processors/image/fit/fit.ts';
import type { FitOptions } from '../../../processors/image/fit/plan.ts';
import { animation, pixels } from '../../support/pictures.ts';

// Works through large and hostile files.
vi.setConfig({ testTimeout: 180_000 });

const LIMITS: FitOptions = { maxBytes: 40_000, maxEdge: 600 };

async function fitted(bytes: Uint8Array, options: Partial<FitOptions> = {}) {
  const bounds = { ...LIMITS, ...options };
  const result = await fitImage(bytes, bounds);
  expect(result.data.length).toBeLessThanOrEqual(bounds.maxBytes);
  const { width, height, shown } = {
    ...(await sharp(result.data, { failOn: 'error' }).metadata()),
    shown: result.shown,
  };
  expect([shown.width, shown.height]).toEqual([width, height]);
  if (bounds.maxEdge !== undefined) expect(Math.max(width, height)).toBeLessThanOrEqual(bounds.maxEdge);
  expect(shown.bytes).toBe(result.data.length);
  await sharp(result.data, { failOn: 'error', pages: -1 }).raw().toBuffer();
  return result;
}

describe('is within the bounds', () => {
  it.each([
    ['noise as PNG', () => pixels(900, 700, 3, 'noise').png()],
    ['noise with alpha as PNG', () => pixels(900, 700, 4, 'noise').png()],
    ['grey noise as PNG', () => pixels(900, 700, 1, 'noise').png()],
    ['a palette PNG', () => pixels(900, 700, 3, 'blocks').png({ palette: true })],
    ['a palette PNG of noise', () => pixels(590, 500, 3, 'noise').png({ palette: true })],
    ['1 bit of noise', () => pixels(590, 590, 1, 'noise').png({ palette: true, colours: 2 })],
    ['a 16 bit PNG', () => pixels(500, 400, 3, 'noise').toColourspace('rgb16').png()],
    ['a JPEG of noise', () => pixels(900, 700, 3, 'noise').jpeg({ quality: 100 })],
    ['a CMYK JPEG', () => pixels(900, 700, 3, 'noise').toColourspace('cmyk').jpeg()],
    ['a lossless WebP', () => pixels(900, 700, 4, 'noise').webp({ lossless: true, effort: 0 })],
    ['a TIFF', () => pixels(900, 700, 3, 'blocks').tiff()],
    ['an AVIF', () => pixels(300, 200, 3, 'blocks').avif({ effort: 0 })],
  ] as const)('holds for %s', async (_name, make) => {
    const { untouched, shown } = await fitted(await make().toBuffer());
    expect(untouched).toBe(false);
    expect(shown.width * shown.height).toBeGreaterThan(2000);
  });

  it('a picture of one column keeps its pixel', async () => {
    const { shown } = await fitted(await pixels(1, 20_000, 3, 'noise').png().toBuffer());
    expect(shown).toMatchObject({ width: 1, height: 600 });
  });

  it('bounds base64 as it is written', async () => {
    const { data } = await fitted(await pixels(500, 400, 3, 'noise').jpeg().toBuffer(), {
      maxBytes: 1_000_000,
      maxBase64Bytes: 40_000,
    });
    expect(Buffer.from(data).toString('base64').length).toBeLessThanOrEqual(40_000);
    expect(data.length).toBeGreaterThan(15_000);
  });

  it('says so when nothing is small enough', async () => {
    await expect(
      fitImage(await pixels(9, 9, 3, 'noise').png().toBuffer(), { maxBytes: 10 }),
    ).rejects.toMatchObject({
      code: 'LIMIT_EXCEEDED',
    });
  });
});

describe('untouched', () => {
  it.each([
    ['PNG', () => pixels(90, 70, 4, 'blocks').png()],
    ['JPEG', () => pixels(90, 70, 3, 'blocks').jpeg()],
    ['WebP', () => pixels(90, 70, 3, 'blocks').webp()],
    ['GIF', () => pixels(90, 70, 3, 'blocks').gif()],
    ['progressive JPEG', () => pixels(90, 70, 3, 'blocks').jpeg({ progressive: true })],
  ] as const)('%s that fits', async (_name, make) => {
    const bytes = await make().toBuffer();
    const result = await fitted(bytes);
    expect(result.untouched).toBe(true);
    expect(result.data).toBe(bytes);
  });

  it('an animation that fits, with all its frames', async () => {
    for (const format of ['gif', 'webp'] as const) {
      const bytes = await animation(format, 40, 30, 5, 'blocks');
      const { untouched, shown } = await fitted(bytes);
      expect({ untouched, frames: shown.frames }).toEqual({ untouched: true, frames: 5 });
    }
  });
});

describe('upright', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])('orientation %i', async (orientation) => {
    // A dark corner at the top left of the upright picture.
    const upright = await pixels(80, 60, 3, 'slope').png().toBuffer();
    const turns: Record<number, (image: Sharp) => Sharp> = {
      2: (image) => image.flop(),
      3: (image) => image.rotate(180),
      4: (image) => image.flip(),
      5: (image) => image.rotate(90).flip(),
      6: (image) => image.rotate(270),
      7: (image) => image.rotate(270).flip(),
      8: (image) => image.rotate(90),
    };
    const stored = await (turns[orientation]?.(sharp(upright)) ?? sharp(upright)).png().toBuffer();
    const bytes = await sharp(stored).jpeg({ quality: 100 }).withMetadata({ orientation }).toBuffer();
    const { data, original, shown, untouched } = await fitted(bytes);
    expect(untouched).toBe(orientation === 1);
    expect([original.width, original.height, shown.width, shown.height]).toEqual([80, 60, 80, 60]);
    const { data: got, info } = await sharp(data).raw().toBuffer({ resolveWithObject: true });
    const at = (x: number, y: number): number => got[(y * info.width + x) * info.channels] ?? 0;
    expect(at(1, 1)).toBeLessThan(at(78, 1));
    expect(at(1, 1)).toBeLessThan(at(1, 58));
    expect(at(78, 1)).toBeLessThan(at(78, 58));
  });

  it('crops in pixels of the upright picture', async () => {
    const bytes = await pixels(80, 60, 3, 'slope').jpeg().withMetadata({ orientation: 6 }).toBuffer();
    const { shown, original } = await fitted(bytes, { region: { left: 10, top: 20, width: 30, height: 50 } });
    expect([original.width, original.height]).toEqual([60, 80]);
    expect([shown.width, shown.height]).toEqual([30, 50]);
    await expect(
      fitImage(bytes, { ...LIMITS, region: { left: 31, top: 0, width: 30, height: 1 } }),
    ).rejects.toMatchObject({ code: 'BAD_INPUT', message: expect.stringContaining('60 x 80') });
  });
});

describe('animations', () => {
  it('keep their frames while they fit', async () => {
    const bytes = await animation('gif', 300, 200, 6, 'blocks');
    const { shown, untouched } = await fitted(bytes, { maxEdge: 100, maxBytes: 200_000 });
    expect({ untouched, frames: shown.frames, width: shown.width }).toEqual({
      untouched: false,
      frames: 6,
      width: 100,
    });
  });

  it('show one frame where all are too much', async () => {
    const bytes = await animation('webp', 200, 200, 8, 'noise');
    const { shown } = await fitted(bytes, { maxPixels: 100_000 });
    expect(shown).toMatchObject({ first: 1, frames: 1 });
    expect((await fitted(bytes, { frame: 3 })).shown).toMatchObject({ first: 3, frames: 1 });
    await expect(fitImage(bytes, { ...LIMITS, frame: 9 })).rejects.toMatchObject({ code: 'BAD_INPUT' });
  });
});

describe('detail', () => {
  it('low is a thumbnail, full keeps pixels', async () => {
    const bytes = await pixels(1000, 800, 3, 'noise').jpeg({ quality: 95 }).toBuffer();
    const low = await fitted(bytes, { detail: 'low', maxBytes: 5_000_000 });
    expect(low.shown.width).toBe(512);
    const auto = await fitted(bytes, { maxBytes: 300_000, maxEdge: 8000 });
    const full = await fitted(bytes, { maxBytes: 300_000, maxEdge: 8000, detail: 'full' });
    expect(full.shown.width).toBeGreaterThan(auto.shown.width);
  });
});

describe('damaged and hostile', () => {
  it('a picture cut off is shown as far as it goes', async () => {
    for (const make of [
      () => pixels(200, 150, 3, 'blocks').png(),
      () => pixels(200, 150, 3, 'blocks').jpeg(),
    ]) {
      const bytes = await make().toBuffer();
      const result = await fitted(bytes.subarray(0, bytes.length * 0.6));
      expect(result).toMatchObject({ untouched: false, damaged: true });
    }
  });

  it('more pixels than allowed are not decoded', async () => {
    const bytes = await pixels(400, 300, 3, 'slope').png().toBuffer();
    await expect(fitImage(bytes, { ...LIMITS, maxPixels: 100_000 })).rejects.toMatchObject({
      code: 'LIMIT_EXCEEDED',
      message: expect.stringContaining('400 x 300'),
    });
  });

  it('a header that claims 2^31 pixels a side is no reason to reserve them', async () => {
    const bytes = await pixels(4, 4, 3, 'slope').png().toBuffer();
    bytes.writeUInt32BE(0x7fffffff, 16);
    bytes.writeUInt32BE(0x7fffffff, 20);
    await expect(fitImage(bytes, LIMITS)).rejects.toMatchObject({
      code: expect.stringMatching(/CORRUPT_FILE|LIMIT_EXCEEDED/),
    });
  });
});

describe('drawings', () => {
  const svg = (inside: string, size = 'width="40" height="20"'): Buffer =>
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${size}>${inside}</svg>`,
    );

  it('are drawn large enough to see', async () => {
    const bytes = svg('<rect width="40" height="20" fill="red"/>');
    const { shown, mimeType } = await fitted(bytes, { maxEdge: 8000 });
    expect({ mimeType, width: shown.width, height: shown.height }).toEqual({
      mimeType: 'image/png',
      width: 1024,
      height: 512,
    });
    const part = await fitted(bytes, { maxEdge: 8000, region: { left: 0, top: 0, width: 10, height: 10 } });
    expect([part.shown.width, part.shown.height]).toEqual([1024, 1024]);
  });

  it('read no file beside them and ask no server', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lectern-svg-'));
    let asked = 0;
    const server = createServer((_request, response) => {
      asked += 1;
      response.end();
    }).listen(0);
    try {
      writeFileSync(
        join(folder, 'red.png'),
        await sharp({ create: { width: 40, height: 20, channels: 3, background: 'red' } })
          .png()
          .toBuffer(),
      );
      writeFileSync(join(folder, 'secret.txt'), 'secret');
      const address = server.address();
      const port = typeof address === 'object' && address ? address.port : 0;
      const images = [
        `file://${folder}/red.png`,
        `${folder}/red.png`,
        'red.png',
        `http://127.0.0.1:${port}/x.png`,
      ]
        .map((href) => `<image width="40" height="20" href="${href}" xlink:href="${href}"/>`)
        .join('');
      const bytes = svg(
        `${images}<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" parse="text" href="secret.txt"/>`,
      );
      const here = process.cwd();
      const { data } = await fitted(bytes);
      expect(process.cwd()).toBe(here);
      const { channels } = await sharp(data).stats();
      // Nothing is drawn: every pixel is transparent.
      expect(channels[3]?.max).toBe(0);
      expect(asked).toBe(0);
    } finally {
      server.close();
      rmSync(folder, { recursive: true });
    }
  });

  it('of a million units are drawn small', async () => {
    const { shown } = await fitted(svg('<rect width="9" height="9"/>', 'width="100000" height="100000"'));
    expect(shown.width).toBe(600);
  });

  it.each([
    [
      'entities',
      '<!DOCTYPE svg [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;"><!ENTITY e "&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;">]><svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text>&e;</text></svg>',
    ],
    [
      'a long text',
      `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text>${'a'.repeat(50_000)}</text></svg>`,
    ],
    [
      'a file as entity',
      '<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]><svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text>&x;</text></svg>',
    ],
    [
      'depth',
      `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">${'<g>'.repeat(100_000)}${'</g>'.repeat(100_000)}</svg>`,
    ],
  ])('hostile: %s', async (_name, text) => {
    const result = await fitImage(Buffer.from(text), LIMITS).catch((error: unknown) => error);
    if (result instanceof Error)
      expect(result).toMatchObject({ code: expect.stringMatching(/CORRUPT_FILE|LIMIT_EXCEEDED/) });
    else expect(result).toMatchObject({ mimeType: 'image/png' });
  });
});

it('the fixtures are as their makers left them', async () => {
  const bytes = readFileSync(new URL('../../../fixtures/image/photo.jpg', import.meta.url));
  expect((await fitted(bytes)).data).toBe(bytes);
});
