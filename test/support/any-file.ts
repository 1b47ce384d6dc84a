// Files of every kind that someone may attach, from a seed: good ones, ones at the edge of what providers take, broken,
// empty, misnamed and hostile ones. Writes them into a folder; knows nothing of what is made of them.

import { execFileSync } from 'node:child_process';
import { cp, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { crc32, deflateSync } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';
import { manyPages, pdfFile } from './pdf.ts';
import { animation, noise, pixels } from './pictures.ts';
import { adts, box, id3, mp3, u32, wav } from './sounds.ts';
import { zipOf } from './zip.ts';

/** A file that was made. */
export interface AnyFile {
  /** Of what sort it is, for reports. */
  readonly kind: string;
  /** Below the folder. */
  readonly path: string;
  /** Absent when it cannot be opened as a file. */
  readonly bytes?: number;
}

export interface AnyFileOptions {
  readonly seed: number;
  readonly count: number;
  /** Leaves out what takes long to make or to read: sizes above this many bytes. */
  readonly maxBytes?: number;
}

type Random = () => number;

/** Numbers in [0, 1): the same ones for a seed (mulberry32, public domain). */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const pick = <T>(random: Random, from: readonly T[]): T => {
  const one = from[Math.floor(random() * from.length)];
  if (one === undefined) throw new Error('nothing to pick from');
  return one;
};
const between = (random: Random, from: number, to: number): number =>
  from + Math.floor(random() * (to - from + 1));

/** Bytes, or what puts something at the path itself. */
type Made = Uint8Array | string | ((path: string) => Promise<void>);
interface Recipe {
  readonly kind: string;
  readonly extension: string;
  /** About how many bytes, when many. */
  readonly size?: number;
  make(random: Random): Promise<Made> | Made;
}

/** Byte limits that some provider has, on either side of which a file may lie. */
const EDGES = [
  3_750_000, 3_932_160, 4_500_000, 5_000_000, 5_242_880, 7_500_000, 7_864_320, 10_000_000, 10_485_760,
];
const LENGTHS = [1568, 2000, 2001, 2576, 7999, 8000, 8001, 10_001];

function pngChunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  return Buffer.concat([u32(data.length, false), body, u32(crc32(body), false)]);
}

/** The same picture in exactly `length` bytes: a private chunk before the last fills it. */
function pngOf(png: Buffer, length: number): Buffer {
  const end = png.length - 12;
  const spare = length - png.length - 12;
  if (spare < 0) return png;
  return Buffer.concat([png.subarray(0, end), pngChunk('prVt', noise(spare, length)), png.subarray(end)]);
}

/** The same picture in exactly `length` bytes: comments behind the first marker fill it. */
function jpegOf(jpeg: Buffer, length: number): Buffer {
  let spare = length - jpeg.length;
  const comments: Buffer[] = [];
  while (spare >= 4) {
    const size = Math.min(spare, 65_537);
    const part = spare - size < 4 && spare !== size ? size - 4 : size;
    const head = Buffer.from([0xff, 0xfe, 0, 0]);
    head.writeUInt16BE(part - 2, 2);
    comments.push(head, Buffer.alloc(part - 4, 0x61));
    spare -= part;
  }
  return Buffer.concat([jpeg.subarray(0, 2), ...comments, jpeg.subarray(2)]);
}

const plain = (width: number, height: number): Sharp =>
  sharp({ create: { width, height, channels: 3, background: { r: 40, g: 120, b: 200 } } });

/** A picture of one bit a pixel and any size, made without its pixels. */
function bilevel(width: number, height: number): Buffer {
  const rows = Buffer.alloc((Math.ceil(width / 8) + 1) * height);
  const header = Buffer.concat([u32(width, false), u32(height, false), Buffer.from([1, 0, 0, 0, 0])]);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    pngChunk('IHDR', header),
    pngChunk('IDAT', deflateSync(rows)),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

const FORMATS = ['png', 'jpeg', 'gif', 'webp', 'avif', 'tiff'] as const;

function pictures(): Recipe[] {
  const side = (random: Random): number => between(random, 1, 1600);
  const usual = FORMATS.map((format) => ({
    kind: `image ${format}`,
    extension: format,
    make: (random: Random) =>
      pixels(side(random), side(random), pick(random, [3, 4]), pick(random, ['slope', 'blocks'] as const))
        .toFormat(format, format === 'avif' ? { effort: 0 } : {})
        .toBuffer(),
  }));
  return [
    ...usual,
    { kind: 'image 1x1', extension: 'png', make: () => plain(1, 1).png().toBuffer() },
    { kind: 'image thin', extension: 'png', make: () => plain(20_000, 3).png().toBuffer() },
    { kind: 'image tall', extension: 'jpg', make: () => plain(3, 20_000).jpeg().toBuffer() },
    {
      kind: 'image edge',
      extension: 'png',
      make: (random) => {
        const [long, short] = [pick(random, LENGTHS), between(random, 1, 900)];
        return random() < 0.5 ? bilevel(long, short) : bilevel(short, long);
      },
    },
    {
      kind: 'image square edge',
      extension: 'png',
      make: (random) => bilevel(pick(random, LENGTHS), pick(random, LENGTHS)),
    },
    { kind: 'image bomb', extension: 'png', make: () => bilevel(20_000, 20_000) },
    {
      kind: 'image bytes at limit',
      extension: 'png',
      size: 10_485_760,
      make: async (random) =>
        pngOf(
          await pixels(64, 64, 3, 'blocks').png().toBuffer(),
          pick(random, EDGES) + between(random, -1, 1),
        ),
    },
    {
      kind: 'image jpeg bytes at limit',
      extension: 'jpg',
      size: 10_485_760,
      make: async (random) =>
        jpegOf(
          await pixels(300, 200, 3, 'slope').jpeg().toBuffer(),
          pick(random, EDGES) + between(random, -1, 1),
        ),
    },
    {
      kind: 'image noise',
      extension: 'png',
      size: 9_000_000,
      make: (random) =>
        pixels(between(random, 1000, 1700), between(random, 1000, 1700), 3, 'noise')
          .png({ compressionLevel: 0 })
          .toBuffer(),
    },
    {
      kind: 'image palette noise',
      extension: 'png',
      make: (random) =>
        pixels(between(random, 300, 900), 700, 3, 'noise')
          .png({ palette: true, effort: 1 })
          .toBuffer(),
    },
    {
      kind: 'image 16 bit',
      extension: 'png',
      make: () => pixels(300, 200, 3, 'slope').toColourspace('rgb16').png().toBuffer(),
    },
    {
      kind: 'image CMYK',
      extension: 'jpg',
      make: () => pixels(300, 200, 3, 'slope').toColourspace('cmyk').jpeg().toBuffer(),
    },
    {
      kind: 'image turned',
      extension: 'jpg',
      make: (random) =>
        pixels(400, 100, 3, 'slope')
          .jpeg()
          .withMetadata({ orientation: between(random, 1, 8) })
          .toBuffer(),
    },
    {
      kind: 'image animated gif',
      extension: 'gif',
      make: (random) => animation('gif', between(random, 8, 200), 60, between(random, 2, 9), 'blocks'),
    },
    {
      kind: 'image animated webp',
      extension: 'webp',
      make: (random) => animation('webp', between(random, 8, 200), 60, between(random, 2, 9), 'blocks'),
    },
    {
      kind: 'image wrong extension',
      extension: 'jpg',
      make: (random) => pixels(200, 150, 3, 'blocks').toFormat(pick(random, FORMATS)).toBuffer(),
    },
    {
      kind: 'image as text file',
      extension: 'txt',
      make: () => pixels(90, 90, 3, 'slope').png().toBuffer(),
    },
    {
      kind: 'image truncated',
      extension: 'png',
      make: async (random) => {
        const whole = await pixels(400, 300, 3, 'noise')
          .toFormat(pick(random, ['png', 'jpeg', 'gif', 'webp'] as const))
          .toBuffer();
        return whole.subarray(0, between(random, 1, whole.length - 1));
      },
    },
    {
      kind: 'image damaged',
      extension: 'jpg',
      make: async (random) => {
        const whole = Buffer.from(
          await pixels(400, 300, 3, 'slope')
            .toFormat(pick(random, ['png', 'jpeg', 'gif', 'webp'] as const))
            .toBuffer(),
        );
        for (let n = 0; n < 20; n += 1)
          whole[between(random, 20, whole.length - 1)] = between(random, 0, 255);
        return whole;
      },
    },
    {
      kind: 'image with a tail',
      extension: 'png',
      make: async (random) =>
        Buffer.concat([await plain(50, 50).png().toBuffer(), noise(between(random, 1, 5000))]),
    },
    {
      kind: 'image heic header',
      extension: 'heic',
      make: () =>
        Buffer.concat([box('ftyp', Buffer.from('heic\0\0\0\0mif1heic', 'latin1')), box('mdat', noise(3000))]),
    },
    {
      kind: 'image svg',
      extension: 'svg',
      make: (random) =>
        `<svg xmlns="http://www.w3.org/2000/svg" width="${between(random, 1, 9000)}" height="${between(random, 1, 900)}">` +
        `<rect width="50%" height="50%" fill="red"/><text x="9" y="40">seed ${between(random, 0, 999)}</text></svg>\n`,
    },
    {
      kind: 'image svg broken',
      extension: 'svg',
      make: () => '<svg xmlns="http://www.w3.org/2000/svg"><rect',
    },
    {
      kind: 'image bmp header',
      extension: 'bmp',
      make: () => Buffer.concat([Buffer.from('BM'), u32(1078), Buffer.alloc(1072)]),
    },
  ];
}

const csv = (random: Random, rows: number): string => {
  const lines = ['id,name,amount,note'];
  for (let row = 1; row <= rows; row += 1)
    lines.push(
      `${row},"Item ${row}, no ${between(random, 1, 99)}",${(row * 7) % 1000}.50,größer ${row % 13}`,
    );
  return `${lines.join('\n')}\n`;
};

const log = (lines: number): string =>
  Array.from(
    { length: lines },
    (_, line) =>
      `2026-03-0${1 + (line % 9)}T12:00:${String(line % 60).padStart(2, '0')}Z INFO request ${line} done\n`,
  ).join('');

function texts(): Recipe[] {
  const text = (kind: string, extension: string, make: Recipe['make'], size?: number): Recipe => ({
    kind,
    extension,
    make,
    ...(size !== undefined && { size }),
  });
  return [
    text('empty', 'txt', () => ''),
    text('empty image', 'png', () => ''),
    text('empty pdf', 'pdf', () => ''),
    text('blank', 'txt', (random) => ' \n'.repeat(between(random, 1, 50))),
    text('csv', 'csv', (random) => csv(random, between(random, 0, 400))),
    text('csv large', 'csv', (random) => csv(random, 60_000), 2_500_000),
    text('csv huge', 'csv', (random) => csv(random, 700_000), 30_000_000),
    text('log', 'log', (random) => log(between(random, 1, 3000))),
    text('log huge', 'log', () => log(500_000), 22_000_000),
    text('one long line', 'txt', (random) => 'word '.repeat(between(random, 1000, 200_000)), 1_000_000),
    text('json', 'json', (random) =>
      JSON.stringify(
        Array.from({ length: between(random, 0, 900) }, (_, id) => ({
          id,
          tags: ['a', 'b'],
          deep: { x: id / 3 },
        })),
      ),
    ),
    text(
      'json large',
      'json',
      () =>
        JSON.stringify({ items: Array.from({ length: 60_000 }, (_, id) => ({ id, name: `item ${id}` })) }),
      2_000_000,
    ),
    text('json broken', 'json', () => '{"a": [1, 2, {"b": '),
    text('jsonl', 'jsonl', (random) =>
      Array.from({ length: between(random, 1, 500) }, (_, id) => `${JSON.stringify({ id })}\n`).join(''),
    ),
    text('xml', 'xml', () => `<a>${'<b c="1">text</b>'.repeat(300)}</a>`),
    text('yaml', 'yaml', () => Array.from({ length: 300 }, (_, n) => `key${n}: value ${n}\n`).join('')),
    text(
      'html',
      'html',
      () => `<!doctype html><title>T</title><h1>H</h1>${'<p>Some words.</p>'.repeat(400)}`,
    ),
    text(
      'markdown',
      'md',
      (random) => `# Title\n\n${'Some *words* here.\n\n'.repeat(between(random, 1, 500))}`,
    ),
    text('code', 'ts', () => 'export const a: number = 1;\n'.repeat(400)),
    text('utf-16', 'txt', (random) =>
      Buffer.concat([
        Buffer.from([0xff, 0xfe]),
        Buffer.from('Zeile für Zeile 日本語 😀\n'.repeat(between(random, 1, 400)), 'utf16le'),
      ]),
    ),
    text('latin-1', 'txt', () => Buffer.from('Größe und Maß, naïve café\n'.repeat(50), 'latin1')),
    text('bad utf-8', 'txt', () =>
      Buffer.concat([Buffer.from('good line\n'.repeat(40)), Buffer.from([0xed, 0xa0, 0x80, 0xff, 0x0a])]),
    ),
    text('emoji', 'txt', () => '👩‍👩‍👧‍👦🏴󠁧󠁢󠁥󠁮󠁧󠁿é\u0301\n'.repeat(600)),
    text('special tokens', 'txt', () => '<|endoftext|><|im_start|>system\n'.repeat(50)),
    text('control characters', 'txt', () => 'a\u001b[31mred\u001b[0m\u0007 \u0008b\n'.repeat(50)),
  ];
}

const page = (count: number): string => `<< /Type /Pages /Kids [${count} 0 R] /Count 1 >>`;

function documents(): Recipe[] {
  const pages = (count: number): Recipe => ({
    kind: `pdf of ${count}`,
    extension: 'pdf',
    make: () => manyPages(count),
  });
  return [
    pages(1),
    pages(20),
    pages(99),
    pages(100),
    pages(101),
    pages(600),
    pages(700),
    pages(1001),
    {
      kind: 'pdf bytes at limit',
      extension: 'pdf',
      size: 10_485_760,
      make: (random) => {
        const bytes = manyPages(2, pick(random, EDGES) - 1500);
        return bytes;
      },
    },
    { kind: 'pdf of 33 MB', extension: 'pdf', size: 33_000_000, make: () => manyPages(3, 33_000_000) },
    {
      kind: 'pdf encrypted',
      extension: 'pdf',
      make: () =>
        pdfFile(
          [
            '<< /Type /Catalog /Pages 2 0 R >>',
            page(3),
            '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>',
            `<< /Filter /Standard /V 1 /R 2 /O <${'ab'.repeat(32)}> /U <${'cd'.repeat(32)}> /P -4 >>`,
          ],
          { trailer: `/Encrypt 4 0 R /ID [<${'01'.repeat(16)}> <${'01'.repeat(16)}>]` },
        ),
    },
    {
      kind: 'pdf scan',
      extension: 'pdf',
      make: async (random) => {
        const jpeg = await pixels(between(random, 200, 900), 800, 3, 'blocks')
          .jpeg()
          .toBuffer();
        const { width = 1, height = 1 } = await sharp(jpeg).metadata();
        return pdfFile([
          '<< /Type /Catalog /Pages 2 0 R >>',
          page(3),
          '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /XObject << /I 5 0 R >> >> >>',
          { bytes: 'q 600 0 0 800 0 0 cm /I Do Q' },
          {
            dictionary: `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode`,
            bytes: jpeg,
          },
        ]);
      },
    },
    {
      kind: 'pdf truncated',
      extension: 'pdf',
      make: (random) => {
        const whole = manyPages(30);
        return whole.subarray(0, between(random, 20, whole.length - 1));
      },
    },
    {
      kind: 'pdf behind rubbish',
      extension: 'pdf',
      make: () => Buffer.concat([Buffer.from('junk\n'), manyPages(3)]),
    },
    {
      kind: 'pdf without pages',
      extension: 'pdf',
      make: () => pdfFile(['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [] /Count 0 >>']),
    },
    { kind: 'pdf as docx', extension: 'docx', make: () => manyPages(2) },
    {
      kind: 'zip',
      extension: 'zip',
      make: () =>
        zipOf([
          { name: 'a.csv', data: 'x,y\n1,2\n' },
          { name: 'b/c.txt', data: 'words\n' },
        ]),
    },
    { kind: 'zip empty', extension: 'zip', make: () => zipOf([]) },
    {
      kind: 'docx broken',
      extension: 'docx',
      make: () => zipOf([{ name: 'word/document.xml', data: '<w:document' }]),
    },
  ];
}

function sounds(): Recipe[] {
  const sound = (kind: string, extension: string, make: Recipe['make'], size?: number): Recipe => ({
    kind,
    extension,
    make,
    ...(size !== undefined && { size }),
  });
  return [
    sound('wav', 'wav', (random) => wav(between(random, 1, 40), 8000)),
    sound('wav long', 'wav', () => wav(3600, 4000), 28_800_000),
    sound('wav very long', 'wav', () => wav(12 * 3600, 400), 34_560_000),
    sound('wav empty', 'wav', () => wav(0)),
    sound('wav truncated', 'wav', () => wav(5).subarray(0, 3000)),
    sound('mp3', 'mp3', (random) => mp3(between(random, 10, 900))),
    sound('mp3 tagged', 'mp3', () => Buffer.concat([id3(['TIT2', Buffer.from('\u0003A song')]), mp3(200)])),
    sound('mp3 long', 'mp3', () => mp3(60_000), 23_000_000),
    sound('mp3 as wav', 'wav', () => mp3(100)),
    sound('aac', 'aac', () => adts(300)),
    sound('mp4 header', 'mp4', () =>
      Buffer.concat([box('ftyp', Buffer.from('isom\0\0\0\0isom', 'latin1')), box('mdat', noise(5000))]),
    ),
    sound('flac header', 'flac', () => Buffer.concat([Buffer.from('fLaC\0\0\0\x22', 'latin1'), noise(3000)])),
    sound('ogg header', 'ogg', () => Buffer.concat([Buffer.from('OggS\0\x02', 'latin1'), noise(3000)])),
    sound('midi', 'mid', () => Buffer.from('MThd\0\0\0\x06\0\0\0\x01\0\x60', 'latin1')),
    sound('webm header', 'webm', () => Buffer.concat([Buffer.from([0x1a, 0x45, 0xdf, 0xa3]), noise(4000)])),
    sound('binary', 'bin', (random) => noise(between(random, 1, 60_000), 7)),
    sound('binary without name', '', () => Buffer.concat([Buffer.from([0, 1, 2, 3]), noise(9000, 3)])),
    sound('zeros', 'dat', () => Buffer.alloc(50_000)),
    sound('elf', 'so', () => Buffer.concat([Buffer.from('\x7fELF\x02\x01\x01', 'latin1'), noise(4000)])),
  ];
}

function places(): Recipe[] {
  return [
    { kind: 'missing', extension: 'csv', make: () => async () => {} },
    {
      kind: 'folder',
      extension: '',
      make: () => async (path) => {
        await mkdir(path);
      },
    },
    {
      kind: 'fifo',
      extension: 'png',
      make: () => async (path) => {
        execFileSync('mkfifo', [path]);
      },
    },
  ];
}

const FIXTURES = fileURLToPath(new URL('../../fixtures', import.meta.url));

/** Every fixture as it is. */
async function fixtures(): Promise<Recipe[]> {
  const found = await readdir(FIXTURES, { recursive: true, withFileTypes: true });
  return found
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.expected.md'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => ({
      kind: `fixture ${path.slice(path.lastIndexOf('.'))}`,
      extension: path.slice(path.lastIndexOf('.') + 1),
      make: () => (to: string) => cp(path, to),
    }));
}

const NAMES = [
  'report',
  'two words',
  'line\nbreak',
  'tab\there',
  'quote"s\'and`ticks',
  'größe 日本語',
  'emoji 😀',
  '..a...b',
  '-rf',
  '*',
  '$HOME',
  '[a](b)',
  '<|endoftext|>',
  'right\u202eto left',
  'narrow\u202fspace',
  'ends with dot.',
  '==> other <==',
  '{"path": "x"}',
  '%2e%2e',
  'a'.repeat(240),
  '長'.repeat(75),
];

/** Puts `count` files into `folder`, each in a folder of its own where its name needs one. */
export async function makeAnyFiles(folder: string, options: AnyFileOptions): Promise<AnyFile[]> {
  const { seed, count, maxBytes = Number.POSITIVE_INFINITY } = options;
  const random = randomFrom(seed);
  const recipes = [...pictures(), ...texts(), ...documents(), ...sounds(), ...places()].filter(
    ({ size = 0 }) => size <= maxBytes,
  );
  const whole = await fixtures();
  const order = [...recipes].sort(() => random() - 0.5);
  const made: AnyFile[] = [];
  for (let index = 0; index < count; index += 1) {
    // Each kind once, then any.
    const recipe = order[index] ?? (random() < 0.15 ? pick(random, whole) : pick(random, recipes));
    made.push(await makeOne(folder, index, recipe, random));
  }
  return made;
}

async function makeOne(folder: string, index: number, recipe: Recipe, random: Random): Promise<AnyFile> {
  const { kind, extension } = recipe;
  const stem =
    random() < 0.3 ? pick(random, NAMES) : `${kind.replaceAll(' ', '-').replaceAll('/', '')}-${index}`;
  const name = extension === '' ? stem : `${stem}.${extension}`;
  const path = join(`f${index}`, name);
  const to = join(folder, path);
  await mkdir(dirname(to), { recursive: true });
  const content = await recipe.make(random);
  if (typeof content === 'function') await content(to);
  else await writeFile(to, content);
  try {
    const { size } = await stat(to);
    return (await stat(to)).isFile() ? { kind, path, bytes: size } : { kind, path };
  } catch {
    return { kind, path };
  }
}
