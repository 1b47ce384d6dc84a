// What the reader does with an engine that reads the text of pictures: scanned pages and pictures, here and in child
// processes, with the cache, under a budget, and with engines that fail.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { afterAll, describe, expect, it } from 'vitest';
import {
  createMemoryCache,
  createReader,
  createReadPool,
  type Ocr,
  type OcrLine,
  ReaderError,
  type ReadSuccess,
} from '../../src/index.ts';
import { pdfFile } from '../support/pdf.ts';

const FIXTURES = fileURLToPath(new URL('../../fixtures/', import.meta.url));
const SCAN = `${FIXTURES}documents/gauges-scan.pdf`;
const pool = createReadPool({ limits: { maxProcesses: 1 } });
afterAll(() => pool.close());

const line = (text: string, left: number, top: number, width = text.length * 12): OcrLine => ({
  text,
  left,
  top,
  right: left + width,
  bottom: top + 30,
  confidence: 0.9,
});

/** Answers for a page of 875 pixels. */
const PAGE: readonly OcrLine[] = [
  line('Levels are given in centimetres above the zero', 120, 300),
  line('of the gauge, which is checked each spring.', 120, 340),
  ...[
    ['Gauge', 'Morning', 'Evening'],
    ['Mill bridge', '212', '219'],
    ['Old lock', '187', '190'],
    ['Ferry landing', '305', '301'],
  ].flatMap((cells, row) => cells.map((cell, column) => line(cell, 120 + column * 360, 460 + row * 60))),
];

function engine(lines: unknown = PAGE, name = 'scripted'): Ocr & { readonly calls: number[][] } {
  const calls: number[][] = [];
  return {
    name,
    calls,
    // What a caller's function returns is checked by the reader.
    recognize: async ({ data, width, height, mimeType }) => {
      const facts = await sharp(data).metadata();
      expect([facts.width, facts.height, mimeType]).toEqual([width, height, 'image/png']);
      calls.push([width, height]);
      return lines as readonly OcrLine[];
    },
  };
}

const success = (answer: { readonly success: boolean }): ReadSuccess => {
  expect(answer).toMatchObject({ success: true });
  return answer as ReadSuccess;
};
const codes = ({ warnings }: ReadSuccess) => warnings.map(({ code }) => code);

describe('a scanned page', () => {
  it.each(['inline', 'process'] as const)('is laid out like any page (%s)', async (place) => {
    const ocr = engine();
    const isolation = place === 'inline' ? 'inline' : pool;
    const answer = success(await createReader({ ocr, cache: false, isolation }).read(SCAN));
    expect(answer.text).toContain(
      'Levels are given in centimetres above the zero of the gauge, which is checked each spring.\n',
    );
    expect(answer.text).toContain('| Mill bridge | 212 | 219 |\n| Old lock | 187 | 190 |\n');
    expect(codes(answer)).toEqual(['OCR_TEXT']);
    expect(answer.warnings[0]?.message).toBe(
      'Page 1 of 1: text recognized from a scan by `scripted` (confidence 0.90); it can contain errors.',
    );
    expect(ocr.calls).toEqual([[875, 1240]]);
  });

  it('is recognized once for each engine while the cache keeps it', async () => {
    const cache = createMemoryCache();
    const [first, other] = [engine(), engine([line('Other words', 100, 100)], 'other')];
    for (const ocr of [first, first, other]) success(await createReader({ ocr, cache }).read(SCAN));
    expect([first.calls.length, other.calls.length]).toEqual([1, 1]);
    expect(success(await createReader({ ocr: first, cache }).read(SCAN)).text).toContain('Mill bridge');
    expect(codes(success(await createReader({ cache }).read(SCAN)))).toEqual(['SCANNED_PAGES']);
  });

  it('stays a scan if there is no text on it, or only noise', async () => {
    const noise = { ...line('.~', 10, 10), confidence: 0.1 };
    for (const lines of [[], [noise], [line('   ', 10, 10)], [line('outside', -500, -500, 100)]])
      expect(codes(success(await createReader({ ocr: engine(lines), cache: false }).read(SCAN)))).toEqual([
        'SCANNED_PAGES',
      ]);
  });

  it('is not recognized for facts alone', async () => {
    const ocr = engine();
    const reader = createReader({ ocr, cache: false });
    await reader.inspect(SCAN);
    expect(ocr.calls).toEqual([]);
  });

  it.each([
    ['throws', () => Promise.reject(new Error('no such model')), '`broken` failed to read a picture.'],
    [
      'returns no array',
      async () => 'text',
      '`broken` returned an invalid result; expected an array of lines.',
    ],
    ['returns no boxes', async () => [{ text: 'a' }], 'expected a text, a box in pixels and a confidence'],
  ])('stays a scan if the engine %s', async (_what, recognize, message) => {
    const cache = createMemoryCache();
    // A function of a caller who does not use types.
    const broken = { name: 'broken', recognize } as unknown as Ocr;
    for (const isolation of ['inline', pool] as const) {
      const answer = success(await createReader({ ocr: broken, cache, isolation }).read(SCAN));
      expect(codes(answer)).toEqual(['OCR_FAILED', 'SCANNED_PAGES']);
      expect(answer.warnings[0]?.message).toContain(message);
    }
    // The failure is not kept.
    const answer = success(await createReader({ ocr: engine(PAGE, 'broken'), cache }).read(SCAN));
    expect(codes(answer)).toEqual(['OCR_TEXT']);
  });

  it('ends when the caller aborts', async () => {
    const controller = new AbortController();
    const ocr: Ocr = {
      name: 'slow',
      recognize: () => {
        controller.abort();
        return new Promise(() => undefined);
      },
    };
    for (const isolation of ['inline', pool] as const)
      expect(
        await createReader({ ocr, cache: false, isolation }).read(SCAN, { signal: controller.signal }),
      ).toMatchObject({ error: { code: 'ABORTED' } });
  });
});

describe('a scan of many pages', () => {
  const scanOf = async (count: number) => {
    const bytes = await sharp({ create: { width: 100, height: 140, channels: 3, background: '#fff' } })
      .jpeg()
      .toBuffer();
    const kids = Array.from({ length: count }, (_, i) => `${5 + i} 0 R`).join(' ');
    return {
      name: 'scan.pdf',
      bytes: pdfFile([
        '<< /Type /Catalog /Pages 2 0 R >>',
        `<< /Type /Pages /Kids [${kids}] /Count ${count} >>`,
        {
          dictionary:
            '/Type /XObject /Subtype /Image /Width 100 /Height 140 /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode',
          bytes,
        },
        { bytes: 'q 600 0 0 840 0 0 cm /I Do Q' },
        ...Array.from(
          { length: count },
          () =>
            '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 840] /Contents 4 0 R /Resources << /XObject << /I 3 0 R >> >> >>',
        ),
      ]),
    };
  };

  it('shows the pages that were recognized for an answer', async () => {
    const ocr: Ocr = { name: 'scripted', recognize: async () => [line('Some words', 10, 10, 60)] };
    const answer = success(await createReader({ ocr, cache: false }).read(await scanOf(18)));
    expect(answer.text.match(/Some words/g)).toHaveLength(16);
    expect(answer.warnings.find(({ code }) => code === 'OCR_TEXT')?.message).toContain(
      'Pages 1-16 of 18: text',
    );
    expect(answer.truncation?.next?.request).toEqual({ pages: '17-18' });
  });

  it('is recognized but for a page on which the engine fails', async () => {
    let calls = 0;
    const ocr: Ocr = {
      name: 'moody',
      recognize: async () => {
        calls += 1;
        if (calls === 2) throw new Error('odd picture');
        return [line('Some words', 10, 10, 60)];
      },
    };
    const answer = success(await createReader({ ocr, cache: false }).read(await scanOf(4)));
    expect(calls).toBe(4);
    expect(answer.warnings.map(({ message }) => message)).toEqual([
      expect.stringContaining('Pages 1,3-4 of 4: text recognized'),
      expect.stringContaining('Page 2 of 4: the text of the scan was not recognized. `moody` failed'),
      expect.stringContaining('Page 2 of 4: a scan'),
    ]);
  });

  it.each(['MISSING_DEPENDENCY', 'TIMED_OUT'] as const)(
    'does not ask an engine again after %s',
    async (code) => {
      let calls = 0;
      const ocr: Ocr = {
        name: 'missing',
        recognize: () => {
          calls += 1;
          return Promise.reject(new ReaderError(code, 'There is no engine.', 'Install one.'));
        },
      };
      const answer = success(await createReader({ ocr, cache: false }).read(await scanOf(3)));
      expect(calls).toBe(1);
      expect(answer.warnings.map(({ message }) => message)).toEqual([
        expect.stringContaining('Pages 1-3 of 3: the text of the scan was not recognized.'),
        expect.stringContaining('Pages 1-3 of 3: a scan'),
      ]);
    },
  );

  it('keeps the lines at the edges of a page', async () => {
    const lines = Array.from({ length: 9 }, (_, i) =>
      line(`Body line ${i} of the page`, 10, 20 + i * 8, 80),
    ).map((one) => ({ ...one, bottom: one.top + 5 }));
    const total = { ...line('Total due: 12.50', 10, 133, 40), bottom: 138 };
    const ocr: Ocr = { name: 'scripted', recognize: async () => [...lines, total] };
    expect(success(await createReader({ ocr, cache: false }).read(await scanOf(1))).text).toContain(
      'Total due',
    );
  });
});

/** A page that is dark at its top edge and light at its bottom edge, turned clockwise. */
const gradient = async (turn: number) => {
  const [width, height] = [400, 560];
  const pixels = Buffer.alloc(width * height, 0);
  for (let y = 0; y < height; y += 1) pixels.fill(Math.round((y / height) * 255), y * width, (y + 1) * width);
  return sharp(pixels, { raw: { width, height, channels: 1 } })
    .rotate(turn)
    .jpeg({ quality: 95 })
    .toBuffer({ resolveWithObject: true });
};

const TEXT = [
  'The level of the river',
  'is read at the gauge',
  'every morning at eight',
  'and noted in the book',
];

/** Reads pages as engines do: unsure of upside-down lines, and sideways lines are tall. */
const directional = (): Ocr & { readonly sizes: string[] } => {
  const sizes: string[] = [];
  return {
    name: 'directional',
    sizes,
    recognize: async ({ data, width, height }) => {
      sizes.push(`${width}x${height}`);
      const { data: bytes } = await sharp(data)
        .grayscale()
        .resize(2, 2, { fit: 'fill' })
        .raw()
        .toBuffer({ resolveWithObject: true });
      const [a = 0, b = 0, c = 0, d = 0] = bytes;
      const [down, right] = [c + d - a - b, b + d - a - c];
      const [sideways, wrong] = [
        Math.abs(right) > Math.abs(down),
        Math.max(down, right) < Math.max(-down, -right),
      ];
      return TEXT.map((text, index) => {
        const [from, to] = [(height / 10) * (index + 1), (height / 10) * (index + 1) + height / 20];
        const [start, end] = [(width / 10) * (index + 1), (width / 10) * (index + 1) + width / 20];
        return {
          text: sideways || wrong ? text.replaceAll('e', '~') : text,
          confidence: wrong ? 0.35 : 0.95,
          ...(sideways
            ? { left: start, right: end, top: 0.1 * height, bottom: 0.9 * height }
            : { left: 0.1 * width, right: 0.9 * width, top: from, bottom: to }),
        };
      });
    },
  };
};

/** A PDF of one picture, turned on its page or with its page. */
const pageOf = (picture: Buffer, width: number, height: number, rotate = 0) => ({
  name: 'turned.pdf',
  bytes: pdfFile([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [5 0 R] /Count 1 >>',
    {
      dictionary: `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /DCTDecode`,
      bytes: picture,
    },
    { bytes: `q ${width} 0 0 ${height} 0 0 cm /I Do Q` },
    `<< /Type /Page /Parent 2 0 R /Rotate ${rotate} /MediaBox [0 0 ${width} ${height}] /Contents 4 0 R /Resources << /XObject << /I 3 0 R >> >> >>`,
  ]),
});

describe('a picture that is not upright', () => {
  it.each([
    [0, ['400x560']],
    [90, ['560x400', /^400x\d+$/, '400x560']],
    [180, ['400x560', /^400x\d+$/, '400x560']],
    [270, ['560x400', /^400x\d+$/, /^400x\d+$/, '400x560']],
  ])('is turned to be read, on a page and alone (%i degrees)', async (turn, expected) => {
    const { data, info } = await gradient(turn);
    const files = [pageOf(data, info.width, info.height), { name: 'turned.jpg', bytes: data }];
    for (const file of files) {
      const ocr = directional();
      const answer = success(await createReader({ ocr, cache: false }).read(file));
      expect(answer.text.replaceAll('\n', ' ')).toContain(TEXT.join(' '));
      expect(ocr.sizes).toEqual(
        expected.map((size) => (typeof size === 'string' ? size : expect.stringMatching(size))),
      );
    }
  });

  it('is upright if its page is turned', async () => {
    for (const [turn, rotate] of [
      [90, 270],
      [180, 180],
      [270, 90],
    ] as const) {
      const { data, info } = await gradient(turn);
      const ocr = directional();
      const file = pageOf(data, info.width, info.height, rotate);
      expect(success(await createReader({ ocr, cache: false }).read(file)).text).toContain(TEXT.join(' '));
      expect(ocr.sizes).toEqual(['400x560']);
    }
  });

  it.each([
    [90, [308, 40, 504, 360]],
    [180, [40, 308, 360, 504]],
    [270, [56, 40, 252, 360]],
  ])('has its blocks where they are on the page (%i degrees)', async (turn, expected) => {
    const { data, info } = await gradient(turn);
    const file = pageOf(data, info.width, info.height);
    const reader = createReader({ ocr: directional(), cache: false });
    const [part] = success(await reader.read(file, { boxes: true })).content;
    const boxes = part?.kind === 'text' ? part.boxes : undefined;
    expect([boxes?.width, boxes?.height]).toEqual([info.width, info.height]);
    const [{ left = 0, top = 0, right = 0, bottom = 0 } = {}] = boxes?.blocks ?? [];
    for (const [index, edge] of [left, top, right, bottom].entries())
      expect(Math.abs(edge - (expected[index] ?? 0))).toBeLessThan(12);
  });

  it('is left as it is if no direction is better', async () => {
    const { data, info } = await gradient(0);
    const ocr: Ocr = {
      name: 'unsure',
      recognize: async () => TEXT.map((text, i) => ({ ...line(text, 20, 40 * i), confidence: 0.4 })),
    };
    const answer = success(
      await createReader({ ocr, cache: false }).read(pageOf(data, info.width, info.height)),
    );
    expect(answer.text).toContain('The level of the river');
  });
});

it('a page with text is not recognized', async () => {
  const ocr = engine();
  success(await createReader({ ocr, cache: false }).read(`${FIXTURES}documents/gauges.pdf`));
  expect(ocr.calls).toEqual([]);
});

describe('a picture', () => {
  const picture = async () => ({
    name: 'notice.png',
    bytes: await sharp({ create: { width: 1240, height: 1754, channels: 3, background: '#fff' } })
      .png()
      .toBuffer(),
  });

  it.each(['inline', 'process'] as const)('gives its text and its description (%s)', async (place) => {
    const reader = createReader({
      ocr: engine(),
      describer: { name: 'model', describe: async () => 'A notice.\nIt hangs at a lock.' },
      cache: false,
      isolation: place === 'inline' ? 'inline' : pool,
    });
    const answer = success(await reader.read(await picture()));
    expect(answer.text).toContain('Shown unchanged.\nLevels are given in centimetres above the zero\n');
    expect(answer.text).toContain(
      '\nOld lock\t187\t190\nFerry landing\t305\t301\nA notice.\nIt hangs at a lock.\n',
    );
    expect(codes(answer)).toEqual(['OCR_TEXT', 'DESCRIBED']);
    expect(answer.content.map(({ kind }) => kind)).toEqual(['binary', 'text']);
  });

  it('whose text does not fit is continued, without the picture', async () => {
    const lines = Array.from({ length: 60 }, (_, i) =>
      line(`This is line ${i + 1} of the notice.`, 100, 20 + i * 28),
    );
    const ocr = engine(lines);
    const reader = createReader({ ocr, cache: createMemoryCache() });
    const input = await picture();
    let text = '';
    let cursor: string | undefined;
    let binaries = 0;
    for (let round = 0; round < 40; round += 1) {
      const answer = success(await reader.read(input, { maxTokens: 150, ...(cursor && { cursor }) }));
      for (const part of answer.content)
        if (part.kind === 'text') text += part.text;
        else binaries += 1;
      cursor = answer.truncation?.next?.cursor;
      if (!cursor) break;
    }
    expect(text).toBe(lines.map((one) => `${one.text}\n`).join(''));
    expect(binaries).toBe(1);
    expect(ocr.calls.length).toBe(1);
  });

  it('with a description longer than the budget is continued inside it', async () => {
    const words = Array.from({ length: 300 }, (_, i) => `word${i}`).join(' ');
    const describer = { name: 'model', describe: async () => `${words}\u0000\u202e` };
    const reader = createReader({ describer, cache: createMemoryCache() });
    const input = await picture();
    let text = '';
    let cursor: string | undefined;
    for (let round = 0; round < 40; round += 1) {
      const answer = success(await reader.read(input, { maxTokens: 200, ...(cursor && { cursor }) }));
      for (const part of answer.content) if (part.kind === 'text') text += part.text;
      cursor = answer.truncation?.next?.cursor;
      if (!cursor) break;
    }
    expect(text.trim().split(/\s+/).join(' ')).toBe(words);
  });

  it('is shown if the engine fails', async () => {
    const ocr: Ocr = { name: 'broken', recognize: () => Promise.reject(new Error('no')) };
    const answer = success(await createReader({ ocr, cache: false }).read(await picture()));
    expect(codes(answer)).toEqual(['OCR_FAILED']);
    expect(answer.content.map(({ kind }) => kind)).toEqual(['binary']);
  });

  it('is decoded before the engine sees it', async () => {
    const seen: number[] = [];
    const ocr: Ocr = {
      name: 'spy',
      recognize: async ({ data }) => {
        seen.push(data[0] ?? 0);
        return [];
      },
    };
    const bytes = readFileSync(`${FIXTURES}image/photo.jpg`);
    success(await createReader({ ocr, cache: false }).read({ name: 'photo.jpg', bytes }));
    expect(seen).toEqual([0x89]);
  });
});

it('an engine without a name is refused', () => {
  const bare = { recognize: async () => [] } as unknown as Ocr; // as a caller without types may pass it
  for (const ocr of [bare, null, 'tesseract'])
    expect(() => createReader({ ocr: ocr as Ocr })).toThrow(
      '`ocr` must have a `name` and a function `recognize`.',
    );
});
