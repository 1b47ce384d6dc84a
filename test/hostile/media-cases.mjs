// Pictures and sound made to hurt (cases 137-144): bombs, lies about size, floods of empty parts, names that promise another
// kind.

import { crc32, deflateSync } from 'node:zlib';
import { file, repeated } from './make.mjs';

const MEGABYTE = 2 ** 20;
const bounded = { bounded: true };
const damaged = ['CORRUPT_FILE', 'LIMIT_EXCEEDED'];

const be32 = (...values) => {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value >>> 0, index * 4);
  return bytes;
};
const le32 = (value) => be32(value).reverse();

function pngChunk(type, content) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  return Buffer.concat([be32(content.length), body, be32(crc32(body))]);
}

/** A PNG of one colour: `bits` a pixel, palette-free grey. */
function png(width, height, bits, before = []) {
  const header = Buffer.concat([be32(width, height), Buffer.from([bits, 0, 0, 0, 0])]);
  const row = Math.ceil((width * bits) / 8) + 1;
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    pngChunk('IHDR', header),
    ...before,
    pngChunk('IDAT', deflateSync(Buffer.alloc(Math.min(row * height, 320 * MEGABYTE)))),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

const deflated = (bytes) => deflateSync(Buffer.alloc(bytes));

function gif(width, height, frames) {
  const size = Buffer.alloc(4);
  size.writeUInt16LE(width, 0);
  size.writeUInt16LE(height, 2);
  const frame = Buffer.from('21f90400010000002c000000000100010000020144003b', 'hex').subarray(0, 22);
  return Buffer.concat([
    Buffer.from('GIF89a'),
    size,
    Buffer.from('800000ff0000000000', 'hex'),
    ...new Array(frames).fill(frame),
    Buffer.from([0x3b]),
  ]);
}

/** A TIFF whose directory names itself as the next. */
const tiffLoop = () =>
  Buffer.concat([
    Buffer.from('49492a0008000000', 'hex'),
    Buffer.from('0100000103000100000001000000', 'hex'),
    le32(8),
  ]);

const svg = (inside, size = 'width="900" height="900"') =>
  `<svg xmlns="http://www.w3.org/2000/svg" ${size}>${inside}</svg>`;
const drawn = { detail: 'auto' };

function useBomb() {
  let text = '<defs><g id="g0"><rect width="1" height="1"/></g>';
  for (let level = 1; level < 11; level++)
    text += `<g id="g${level}">${`<use href="#g${level - 1}"/>`.repeat(10)}</g>`;
  return svg(`${text}</defs><use href="#g10"/>`);
}

function laughs() {
  let text = '<!DOCTYPE svg [<!ENTITY e0 "ha">';
  for (let level = 1; level < 10; level++) text += `<!ENTITY e${level} "${`&e${level - 1};`.repeat(10)}">`;
  return `${text}]>${svg('<text>&e9;</text>')}`;
}

const emptyTag = Buffer.from('ID3\u0004\0\0\0\0\0\0', 'latin1');
const frame = Buffer.concat([Buffer.from('fffb9400', 'hex'), Buffer.alloc(380)]);

const tiff = (count) => {
  const pages = [Buffer.from('49492a0008000000', 'hex')];
  for (let page = 0; page < count; page++)
    pages.push(
      Buffer.from('0100000103000100000001000000', 'hex'),
      le32(page + 1 < count ? 8 + 18 * (page + 1) : 0),
    );
  return Buffer.concat(pages);
};

/** A box of the MP4 and HEIF kind. */
const box = (type, ...inside) => {
  const content = Buffer.concat(inside);
  return Buffer.concat([be32(content.length + 8), Buffer.from(type, 'latin1'), content]);
};

const riff = (kind, ...inside) => {
  const content = Buffer.concat([Buffer.from(kind, 'latin1'), ...inside]);
  return Buffer.concat([Buffer.from('RIFF'), le32(content.length), content]);
};

export const MEDIA_CASES = [
  {
    name: 'PNG 50000 x 50000',
    make: file('a.png', () => png(50_000, 50_000, 1)),
    expect: { error: 'LIMIT_EXCEEDED' },
  },
  { name: 'PNG 9999 x 9999', make: file('a.png', () => png(9999, 9999, 1)), expect: {}, seconds: 30 },
  {
    name: 'PNG that claims 2^31 pixels a side',
    make: file('a.png', () => png(0x7fffffff, 0x7fffffff, 1, []).subarray(0, 200)),
    expect: { error: damaged },
  },
  {
    name: 'PNG with 512 MB in zTXt',
    make: file('a.png', () =>
      png(9, 9, 8, [pngChunk('zTXt', Buffer.concat([Buffer.from('a\0\0'), deflated(512 * MEGABYTE)]))]),
    ),
    expect: bounded,
  },
  {
    name: 'PNG with 512 MB in iCCP',
    make: file('a.png', () =>
      png(9, 9, 8, [pngChunk('iCCP', Buffer.concat([Buffer.from('a\0\0'), deflated(512 * MEGABYTE)]))]),
    ),
    expect: bounded,
  },
  {
    name: 'PNG with 100000 texts',
    make: file('a.png', () => png(9, 9, 8, new Array(100_000).fill(pngChunk('tEXt', Buffer.from('a\0b'))))),
    expect: bounded,
  },
  {
    name: 'GIF of 20000 frames of 5000 x 5000',
    make: file('a.gif', () => gif(5000, 5000, 20_000)),
    expect: bounded,
    seconds: 30,
  },
  { name: 'TIFF directory that names itself', make: file('a.tif', tiffLoop), expect: bounded },
  {
    name: 'SVG of ten times ten times ten ...',
    make: file('a.svg', useBomb),
    request: drawn,
    expect: bounded,
    seconds: 40,
  },
  {
    name: 'SVG of entities in entities',
    make: file('a.svg', laughs),
    request: drawn,
    expect: { error: 'LIMIT_EXCEEDED' },
  },
  {
    name: 'SVG with a text of 100000',
    make: file('a.svg', svg(`<text>${'a'.repeat(100_000)}</text>`)),
    request: drawn,
    expect: { error: 'LIMIT_EXCEEDED' },
  },
  {
    name: 'SVG of 100000 groups in groups',
    make: file('a.svg', svg(`${'<g>'.repeat(100_000)}${'</g>'.repeat(100_000)}`)),
    request: drawn,
    expect: bounded,
  },
  {
    name: 'SVG of 1000000 x 1000000',
    make: file('a.svg', svg('<rect width="9" height="9"/>', 'width="1000000" height="1000000"')),
    request: drawn,
    expect: bounded,
  },
  {
    name: 'SVG that asks for files',
    make: file(
      'a.svg',
      `<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>${svg('<text>&x;</text><image href="file:///etc/passwd" width="9" height="9"/>')}`,
    ),
    request: drawn,
    expect: { bounded: true, without: 'root:' },
  },
  {
    name: 'a program named .jpg',
    make: file('a.jpg', Buffer.concat([Buffer.from('MZ'), Buffer.alloc(500, 1)])),
    expect: { error: ['UNSUPPORTED_FORMAT', 'CORRUPT_FILE'] },
  },
  {
    name: 'MP3 of 0xff',
    make: repeated(
      'a.mp3',
      Buffer.alloc(4096, 0xff),
      { smoke: 5 * MEGABYTE, full: 500 * MEGABYTE },
      { head: frame },
    ),
    expect: bounded,
  },
  {
    name: 'ID3 tag that claims 256 MiB',
    make: file(
      'a.mp3',
      Buffer.concat([Buffer.from('ID3\u0004\0\0\x7f\x7f\x7f\x7f', 'latin1'), frame, frame]),
    ),
    expect: bounded,
  },
  {
    name: '200000 ID3 tags',
    make: file('a.mp3', Buffer.concat(new Array(200_000).fill(emptyTag))),
    expect: bounded,
  },
  {
    name: 'AAC of 500000 headers',
    make: file('a.aac', Buffer.concat(new Array(500_000).fill(Buffer.from('fff14c8000fffc', 'hex')))),
    expect: bounded,
  },
  {
    name: 'WAV of 200000 empty chunks',
    make: file(
      'a.wav',
      Buffer.concat([
        Buffer.from('RIFF\0\0\0\0WAVE', 'latin1'),
        ...new Array(200_000).fill(Buffer.from('junk\0\0\0\0', 'latin1')),
      ]),
    ),
    expect: bounded,
  },
  {
    name: 'AIFF of 200000 empty chunks',
    make: file(
      'a.aiff',
      Buffer.concat([
        Buffer.from('FORM\0\0\0\0AIFF', 'latin1'),
        ...new Array(200_000).fill(Buffer.from('ANNO\0\0\0\0', 'latin1')),
      ]),
    ),
    expect: bounded,
  },
  {
    name: '100000 empty Ogg pages',
    make: file(
      'a.ogg',
      Buffer.concat(new Array(100_000).fill(Buffer.concat([Buffer.from('OggS'), Buffer.alloc(23)]))),
    ),
    expect: bounded,
  },
  {
    name: 'MP4 of 20000 boxes in boxes',
    make: file('a.mp4', () => {
      const all = Buffer.alloc(160_000);
      for (let i = 0; i < 20_000; i++) {
        all.writeUInt32BE(160_000 - i * 8, i * 8);
        all.write('moov', i * 8 + 4);
      }
      return all;
    }),
    expect: bounded,
  },
  {
    name: 'WebM of 100000 elements in a segment without size',
    make: file(
      'a.webm',
      Buffer.concat([
        Buffer.from('1a45dfa3801853806701ffffffffffffff', 'hex'),
        ...new Array(100_000).fill(Buffer.from([0xec, 0x80])),
      ]),
    ),
    expect: bounded,
  },
  {
    name: 'ASF object of no size',
    make: file(
      'a.wma',
      Buffer.concat([
        Buffer.from('3026b2758e66cf11a6d900aa0062ce6c', 'hex'),
        le32(5000),
        le32(0),
        le32(3),
        Buffer.alloc(5000),
      ]),
    ),
    expect: bounded,
  },
  {
    name: 'PNG cut off',
    make: file('a.png', () => png(900, 900, 8).subarray(0, 90)),
    expect: bounded,
  },
  {
    name: 'PNG with 512 MB in iTXt',
    make: file('a.png', () =>
      png(9, 9, 8, [
        pngChunk('iTXt', Buffer.concat([Buffer.from('a\0\u0001\0\0\0'), deflated(512 * MEGABYTE)])),
      ]),
    ),
    expect: bounded,
  },
  {
    name: 'PNG of 2^31 moving frames',
    make: file('a.png', () => png(9, 9, 8, [pngChunk('acTL', be32(0x7fffffff, 0))])),
    expect: bounded,
  },
  {
    name: 'SVG that includes files and pages',
    make: file(
      'a.svg',
      svg(
        '<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="file:///etc/passwd" parse="text"/><image href="http://127.0.0.1:9/x" width="9" height="9"/><style>@import url(http://127.0.0.1:9/x);</style><script>globalThis.__hostile = 1</script><foreignObject><iframe src="http://127.0.0.1:9/x"/></foreignObject>',
      ),
    ),
    request: drawn,
    expect: { bounded: true, without: 'root:' },
  },
  {
    name: 'SVG of a filter as large as the world',
    make: file(
      'a.svg',
      svg(
        '<filter id="f" x="-9999" y="-9999" width="99999" height="99999"><feGaussianBlur stdDeviation="9999"/><feTurbulence baseFrequency="9" numOctaves="999"/></filter><rect width="900" height="900" filter="url(#f)"/>',
      ),
    ),
    request: drawn,
    expect: bounded,
    seconds: 40,
  },
  { name: 'TIFF of 10000 pages', make: file('a.tif', () => tiff(10_000)), expect: bounded, seconds: 30 },
  {
    name: 'WebP that lies about its tables',
    make: file('a.webp', () =>
      riff('WEBP', Buffer.from('VP8L'), le32(500), Buffer.from('2fffffffff', 'hex'), Buffer.alloc(495, 0xa5)),
    ),
    expect: { error: damaged },
  },
  {
    name: 'HEIF whose items name themselves',
    make: file('a.heic', () =>
      Buffer.concat([
        box('ftyp', Buffer.from('heic\0\0\0\0mif1heic')),
        box(
          'meta',
          be32(0),
          box('iref', be32(0), ...new Array(20_000).fill(box('dimg', be32(0x00010001, 0x00010001)))),
        ),
      ]),
    ),
    expect: { error: [...damaged, 'UNSUPPORTED_FORMAT'] },
  },
  {
    name: 'a PDF that is a zip file and a page',
    make: file('a.pdf', '%PDF-1.4\n<html><script>1</script>PK\u0003\u0004\nPK\u0005\u0006'.padEnd(300, '\0')),
    expect: bounded,
  },
  {
    name: 'a picture named .mp3',
    make: file('a.mp3', () => png(9, 9, 8)),
    expect: { processor: 'image', warning: 'FORMAT_MISMATCH' },
  },
  ...Object.entries({
    'box of no size': be32(0),
    'box of size 1': be32(1),
    'box of size 7': be32(7),
    'box of 2^64': Buffer.concat([be32(1), Buffer.from('moov'), be32(0xffffffff, 0xffffffff)]),
  }).map(([what, size]) => ({
    name: `MP4 ${what}`,
    make: file('a.mp4', () =>
      Buffer.concat([
        box('ftyp', Buffer.from('isom\0\0\0\0')),
        size,
        Buffer.from('moov'),
        Buffer.alloc(4000),
      ]),
    ),
    expect: bounded,
  })),
  {
    name: 'MP4 of 2^32 sample descriptions',
    make: file('a.mp4', () =>
      Buffer.concat([
        box('ftyp', Buffer.from('isom\0\0\0\0')),
        box('moov', box('trak', box('mdia', box('minf', box('stbl', box('stsd', be32(0, 0xffffffff, 0))))))),
      ]),
    ),
    expect: bounded,
  },
  {
    name: 'WavPack of 400000 blocks before an APE tag of 8 MiB of empty values',
    make: file('a.wv', () => {
      const tag = (flags) => [
        Buffer.from('APETAGEX'),
        le32(2000),
        le32(8 * MEGABYTE + 49),
        le32(1),
        le32(flags),
        Buffer.alloc(8),
      ];
      return Buffer.concat([
        ...new Array(400_000).fill(
          Buffer.concat([Buffer.from('wvpk'), le32(24), le32(0x410), le32(9e6), Buffer.alloc(16)]),
        ),
        ...tag(0xa0000000),
        le32(8 * MEGABYTE),
        le32(0),
        Buffer.from('Artist\0'),
        Buffer.alloc(8 * MEGABYTE + 2),
        ...tag(0x80000000),
      ]);
    }),
    expect: bounded,
  },
  {
    name: 'APE tag of 2^32 items',
    make: file('a.mp3', () =>
      Buffer.concat([
        ...new Array(20).fill(frame),
        Buffer.from('APETAGEX'),
        le32(2000),
        le32(0x7fffffff),
        le32(0xffffffff),
        le32(0),
        Buffer.alloc(8),
      ]),
    ),
    expect: bounded,
  },
];
