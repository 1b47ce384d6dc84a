// Binary formats made to hurt: packed bombs, databases and pictures that state sizes they do not have, and real files
// with bytes changed or cut off.

import { damaged, file, lines } from './make.mjs';

const bounded = { bounded: true };
const refused = { error: ['CORRUPT_FILE', 'LIMIT_EXCEEDED'] };

/** 40 MB of zeros by `bzip2 -9`. */
const BZIP2_BOMB = Buffer.from(
  '425a6839314159265359d8ecddfe01325f4008c00000100008200030cc09aa69a04a515b501294578bb9229c28486c766eff00',
  'hex',
);

/** A Zstandard frame of `blocks` blocks of 128 KiB of one byte, each in 4 bytes. */
const zstandard = (blocks, window = 0x58) =>
  Buffer.concat([
    Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, window]),
    ...Array.from({ length: blocks }, (_, block) =>
      Buffer.from([block === blocks - 1 ? 3 : 2, 0, 0x10, 0x41]),
    ),
  ]);

/** A bitmap that states its size, without pixels. */
function bitmap(width, height) {
  const bytes = Buffer.alloc(54);
  bytes.write('BM');
  bytes.writeUInt32LE(54, 2);
  bytes.writeUInt32LE(54, 10);
  bytes.writeUInt32LE(40, 14);
  bytes.writeInt32LE(width, 18);
  bytes.writeInt32LE(height, 22);
  bytes.writeUInt16LE(1, 26);
  bytes.writeUInt16LE(24, 28);
  return bytes;
}

/** A database whose pages point to each other without end. */
function loopingDatabase() {
  const page = 512;
  const bytes = Buffer.alloc(4 * page);
  bytes.write('SQLite format 3\0', 0, 'latin1');
  bytes.writeUInt16BE(page, 16);
  bytes.fill(1, 18, 20);
  bytes.set([0, 64, 32, 32], 20);
  bytes.writeUInt32BE(4, 28);
  bytes.writeUInt32BE(4, 44);
  bytes.writeUInt32BE(1, 56);
  for (let index = 0; index < 4; index++) {
    const at = index * page + (index === 0 ? 100 : 0);
    // An interior page of a table with no cells; its right child is the next page, and of the last the first.
    bytes[at] = 5;
    bytes.writeUInt16BE(page, at + 5);
    bytes.writeUInt32BE(((index + 1) % 4) + 1, at + 8);
  }
  return bytes;
}

const FIXTURES = [
  'documents/river.doc',
  'documents/gates.ppt',
  'tabular/harbour.sqlite',
  'tabular/soundings.parquet',
  'archive/cities.csv.bz2',
  'archive/backup.tar.xz',
  'archive/parts.tar.zst',
  'archive/tools.7z',
  'tabular/parcels.xls',
];

export const BINARY_CASES = [
  { name: 'bzip2: 40 MB of zeros', make: file('zeros.bz2', BZIP2_BOMB), expect: refused },
  { name: 'zstd: 128 MB of one byte', make: file('a.zst', () => zstandard(1000)), expect: refused },
  { name: 'zstd: a window of 1 TB', make: file('a.zst', () => zstandard(1, 0xf0)), expect: refused },
  { name: 'bmp: 60 000 times 60 000', make: file('a.bmp', bitmap(60_000, 60_000)), expect: refused },
  {
    name: 'bmp: of negative size',
    make: file('a.bmp', bitmap(-5, -2_147_483_648)),
    expect: { error: 'UNSUPPORTED_FORMAT' },
  },
  { name: 'sqlite: pages in a circle', make: file('a.sqlite', loopingDatabase), expect: bounded },
  {
    name: 'heic: boxes of no size',
    make: file(
      'a.heic',
      Buffer.concat([Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1'), Buffer.alloc(4096)]),
    ),
    expect: { error: ['CORRUPT_FILE', 'UNSUPPORTED_FORMAT', 'LIMIT_EXCEEDED'] },
  },
  {
    name: 'ics: 100 000 events in one that never ends',
    make: lines('a.ics', 100_000, (n) => `BEGIN:VEVENT\r\nSUMMARY:event ${n}\r\n`, {
      head: 'BEGIN:VCALENDAR\r\n',
    }),
    expect: bounded,
    seconds: 30,
  },
  {
    name: 'vcf: one line folded 300 000 times',
    make: lines('a.vcf', 300_000, () => ' folded folded folded\r\n', {
      head: 'BEGIN:VCARD\r\nVERSION:4.0\r\nFN:one\r\nNOTE:',
      tail: 'END:VCARD\r\n',
    }),
    expect: bounded,
    seconds: 30,
  },
  ...FIXTURES.flatMap((fixture) => {
    const format = fixture.slice(fixture.lastIndexOf('.') + 1);
    return [
      { name: `${format}: bytes changed`, make: damaged(fixture, { flips: 60 }), expect: bounded },
      { name: `${format}: cut off`, make: damaged(fixture, { flips: 0, part: 0.6 }), expect: bounded },
    ];
  }),
];
