// Archives and mail made to hurt (cases 95-108): bombs, overlaps, floods of entries, loops, parts without end.

import { crc32, deflateRawSync, gzipSync } from 'node:zlib';
import { compoundOf } from '../support/compound.mjs';
import { file, lines, noise, repeated } from './make.mjs';
import { packageOf, unpacksTo } from './package-file.mjs';

const MEGABYTE = 2 ** 20;
const bounded = { bounded: true };

/** A zip file of records that may all point to one local header. */
function zipOf(names, data, { size = data.length, method = 0, offset = (index) => index } = {}) {
  const locals = [];
  const records = [];
  let at = 0;
  for (const [index, name] of names.entries()) {
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(method, 4);
    fields.writeUInt32LE(method === 0 ? crc32(data) : 0, 10);
    fields.writeUInt32LE(data.length, 14);
    fields.writeUInt32LE(size, 18);
    fields.writeUInt16LE(Buffer.byteLength(name), 22);
    locals.push(Buffer.concat([Buffer.from('PK\u0003\u0004'), fields, Buffer.from(name), data]));
    const record = Buffer.alloc(46);
    record.write('PK\u0001\u0002', 0, 'latin1');
    record.writeUInt16LE(20, 4);
    fields.copy(record, 6);
    const place = offset(index, at);
    record.writeUInt32LE(place === index ? at : place, 42);
    records.push(record, Buffer.from(name));
    at += 30 + Buffer.byteLength(name) + data.length;
  }
  const central = Buffer.concat(records);
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006', 0, 'latin1');
  end.writeUInt16LE(names.length % 0x10000, 8);
  end.writeUInt16LE(names.length % 0x10000, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...locals, central, end]);
}

const names = (count) => Array.from({ length: count }, (_, i) => `f${i}`);
const inside = (make, path) => (folder, full) => `${make(folder, full)}!/${path}`;
const zeros = () => {
  const size = 256 * MEGABYTE;
  return zipOf(['a'], deflateRawSync(Buffer.alloc(size)), { size, method: 8 });
};

function tarHeader(name, size, { type = '0', link = '', ...raw } = {}) {
  const header = Buffer.alloc(512);
  header.write(name);
  header.write(type, 156);
  header.write(link, 157);
  header.write(raw.size ?? `${size.toString(8).padStart(11, '0')}\0`, 124, 'latin1');
  header.write(' '.repeat(8), 148);
  header.write('ustar\u000000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

const tar = (...headers) => Buffer.concat([...headers, Buffer.alloc(1024)]);

/** A pax record says its own length in bytes. */
function pax(name, value) {
  const record = ` ${name}=${value}\n`;
  const data = Buffer.alloc(512);
  data.write(`${record.length + 2}${record}`);
  return [tarHeader('pax', record.length + 2, { type: 'x' }), data];
}

/** A zip file with one of its numbers changed, counted from where `signature` stands last. */
function lying(bytes, signature, offset, value) {
  const at = bytes.lastIndexOf(signature, undefined, 'latin1') + offset;
  const out = Buffer.from(bytes);
  if (typeof value === 'string') out.write(value, at, 'latin1');
  else if (value > 0xffff) out.writeUInt32LE(value, at);
  else out.writeUInt16LE(value, at);
  return out;
}

const LOCAL = 'PK\u0003\u0004';
const ENTRY = 'PK\u0001\u0002';
const END = 'PK\u0005\u0006';
const small = () => packageOf({ 'a.txt': 'text\n' });

/** A zip that holds sixteen of a zip that holds sixteen ... of a file of zeros. */
function zipInZip(levels) {
  let inner = packageOf({ '0.dll': unpacksTo(2 ** 28, '\0') });
  for (let level = 0; level < levels; level++)
    inner = packageOf(Object.fromEntries(Array.from({ length: 16 }, (_, n) => [`lib ${n}.zip`, inner])));
  return inner;
}

/** Each sector of the table follows itself. */
function loopingMessage() {
  const bytes = compoundOf([
    { name: '__properties_version1.0', data: Buffer.alloc(32) },
    { name: '__substg1.0_1000001F', data: Buffer.alloc(200_000, 'x\0') },
  ]);
  for (let at = bytes.length - 512; at < bytes.length; at += 4) bytes.writeUInt32LE((at % 512) / 4, at);
  return bytes;
}

let packed = gzipSync('deep\n');
for (let i = 0; i < 10; i++) packed = gzipSync(packed);

export const ARCHIVE_CASES = [
  {
    name: 'zip: 256 MB of zeros',
    make: inside(file('zeros.zip', zeros), 'a'),
    expect: { error: 'LIMIT_EXCEEDED' },
  },
  { name: 'zip: listing of that', make: file('zeros.zip', zeros), expect: { processor: 'zip' } },
  {
    name: 'zip: 5000 entries in one place',
    make: file('overlap.zip', () =>
      zipOf(names(5000), deflateRawSync(Buffer.alloc(MEGABYTE)).subarray(0, 900), {
        method: 8,
        offset: () => 0,
      }),
    ),
    expect: { error: 'CORRUPT_FILE' },
  },
  {
    name: 'zip: 200 000 entries',
    make: file('many.zip', () => zipOf(names(200_000), Buffer.alloc(0))),
    expect: { truncated: true, fact: ['entries', 200_000] },
    pages: 3,
    seconds: 30,
  },
  {
    name: 'zip: an entry of those',
    make: inside(
      file('many.zip', () => zipOf(names(200_000), Buffer.from('x'))),
      'f199999',
    ),
    expect: { contains: 'x' },
    seconds: 30,
  },
  {
    name: 'gzip: 256 MB of zeros',
    make: file('zeros.gz', () => gzipSync(Buffer.alloc(256 * MEGABYTE))),
    expect: { error: 'LIMIT_EXCEEDED' },
  },
  {
    name: 'gzip: a tar of zeros',
    make: file('zeros.tar.gz', () =>
      gzipSync(Buffer.concat([tarHeader('a', 2 ** 33 - 1), Buffer.alloc(256 * MEGABYTE)])),
    ),
    expect: { error: 'LIMIT_EXCEEDED' },
  },
  {
    name: 'gzip: eleven times',
    make: file('deep.gz', packed),
    expect: { processor: 'gzip', warning: 'SKIPPED_CONTENT' },
  },
  {
    name: 'tar: 100 000 empty entries',
    make: repeated('many.tar', tarHeader('a', 0), { smoke: 51_200_000, full: 512_000_000 }),
    expect: { truncated: true, warning: 'UNSAFE_NAMES' },
    seconds: 60,
  },
  {
    name: 'tar: junk after the first header',
    make: repeated(
      'junk.tar',
      Buffer.alloc(512, 0xff),
      { smoke: 1e8, full: 1e9 },
      { head: tarHeader('a', 0) },
    ),
    expect: { warning: 'SKIPPED_CONTENT' },
    seconds: 60,
  },
  {
    name: 'zip: zips in zips in zips',
    make: file('a.zip', () => zipInZip(2)),
    expect: { processor: 'zip' },
  },
  {
    name: 'zip: an entry of 1 GB',
    make: inside(
      file('a.zip', () => packageOf({ a: unpacksTo(2 ** 30, '\0') })),
      'a',
    ),
    expect: { error: 'LIMIT_EXCEEDED' },
  },
  {
    name: 'zip: names outside the folder',
    make: file('a.zip', () =>
      packageOf({ '../../evil': 'x', '/etc/passwd': 'x', 'C:\\evil': 'x', '..\\evil': 'x', ok: 'x' }),
    ),
    expect: { warning: 'UNSAFE_NAMES', processor: 'zip' },
  },
  {
    name: 'zip: names that are no text',
    make: file('a.zip', () =>
      packageOf({ 'a\0b': 'x', '\u001b[31m': 'x', 'a\u202eb': 'x', ['n'.repeat(65_000)]: 'x' }),
    ),
    expect: { processor: 'zip', without: '\\u001b' },
  },
  {
    name: 'zip: the same name twice',
    make: file('a.zip', () => zipOf(['a', 'a', 'a/../a'], Buffer.from('x'))),
    expect: { processor: 'zip' },
  },
  {
    name: 'zip: another name in the file than in the list',
    make: inside(
      file('a.zip', () => lying(small(), LOCAL, 30, 'b')),
      'a.txt',
    ),
    expect: bounded,
  },
  {
    name: 'zip: a locked entry',
    make: inside(
      file('a.zip', () => lying(lying(small(), ENTRY, 8, 1), LOCAL, 6, 1)),
      'a.txt',
    ),
    expect: { error: 'ENCRYPTED_FILE' },
  },
  {
    name: 'zip: says it is larger than it is',
    make: inside(
      file('a.zip', () => lying(small(), ENTRY, 24, 1_000_000)),
      'a.txt',
    ),
    expect: bounded,
  },
  {
    name: 'zip: says it is smaller than it is',
    make: inside(
      file('a.zip', () => lying(small(), ENTRY, 24, 1)),
      'a.txt',
    ),
    expect: bounded,
  },
  {
    name: 'zip: a wrong checksum',
    make: inside(
      file('a.zip', () => lying(small(), ENTRY, 16, 0x12345678)),
      'a.txt',
    ),
    expect: { warning: 'SKIPPED_CONTENT' },
  },
  {
    name: 'zip: a list beyond the end',
    make: file('a.zip', () => lying(small(), END, 16, 0xfffffff0)),
    expect: bounded,
  },
  {
    name: 'zip: a list of another file',
    make: file('a.zip', () => lying(small(), END, 4, 7)),
    expect: { error: ['UNSUPPORTED_FORMAT', 'CORRUPT_FILE'] },
  },
  {
    name: 'zip: an end of 64 bits that is none',
    make: file('a.zip', () => lying(small(), END, 8, 'ÿÿÿÿÿÿÿÿÿÿÿÿ')),
    expect: bounded,
  },
  {
    name: 'zip: after a program, with a comment of 65 535',
    make: file('a.zip', () =>
      Buffer.concat([Buffer.from('#!/bin/sh\n'), lying(small(), END, 20, 65_535), Buffer.alloc(65_535, END)]),
    ),
    expect: bounded,
  },
  {
    name: 'tar: links, devices and pipes',
    make: file('a.tar', () =>
      tar(
        tarHeader('link', 0, { type: '2', link: '/etc/passwd' }),
        tarHeader('hard', 0, { type: '1', link: '../../etc/passwd' }),
        tarHeader('device', 0, { type: '3' }),
        tarHeader('pipe', 0, { type: '6' }),
        tarHeader('../../evil', 0),
      ),
    ),
    expect: { warning: 'UNSAFE_NAMES', processor: 'tar', without: 'root:' },
  },
  {
    name: 'tar: a link that is asked for',
    make: inside(
      file('a.tar', () => tar(tarHeader('link', 0, { type: '2', link: '/etc/passwd' }))),
      'link',
    ),
    expect: { bounded: true, without: 'root:' },
  },
  {
    name: 'tar: a hole of 1 TB',
    make: file('a.tar', () =>
      tar(...pax('GNU.sparse.realsize', 2 ** 40), tarHeader('hole', 0, { type: 'S' }), tarHeader('b', 0)),
    ),
    expect: bounded,
  },
  {
    name: 'tar: another path by pax',
    make: file('a.tar', () => tar(...pax('path', '../../../evil'), tarHeader('ok', 0))),
    expect: { warning: 'UNSAFE_NAMES' },
  },
  {
    name: 'tar: a size below nothing',
    make: file('a.tar', () => tar(tarHeader('a', 0, { size: '\u00ff'.repeat(12) }), tarHeader('b', 0))),
    expect: bounded,
  },
  {
    name: 'gzip: 20 000 members',
    make: file('a.gz', () => Buffer.concat(new Array(20_000).fill(gzipSync('x\n')))),
    expect: bounded,
    seconds: 30,
    full: true,
  },
  {
    name: 'gzip: cut off',
    make: file('a.gz', () => gzipSync('text\n'.repeat(1000)).subarray(0, 20)),
    expect: bounded,
  },
  {
    name: 'gzip: a wrong checksum',
    make: file('a.gz', () => {
      const bytes = gzipSync('text\n');
      bytes[bytes.length - 8] ^= 1;
      return bytes;
    }),
    expect: { warning: 'SKIPPED_CONTENT' },
  },
  {
    name: 'gzip: a name outside the folder',
    make: file('a.gz', () => {
      const bytes = gzipSync('text\n');
      bytes[3] = 8;
      return Buffer.concat([bytes.subarray(0, 10), Buffer.from('../../evil\0'), bytes.subarray(10)]);
    }),
    expect: { contains: 'text' },
  },
  ...Object.entries({
    lz4: '04224d18',
    rar: '526172211a0700',
  }).map(([extension, magic]) => ({
    name: `${extension}: not read`,
    make: file(`a.${extension}`, Buffer.concat([Buffer.from(magic, 'hex'), noise(500)])),
    expect: { error: 'UNSUPPORTED_FORMAT' },
  })),
  ...Object.entries({
    xz: 'fd377a585a00',
    bz2: '425a6839314159265359',
    // A block of the reserved type.
    zst: '28b52ffd0058ffffff',
    '7z': '377abcaf271c',
  }).map(([extension, magic]) => ({
    name: `${extension}: noise after the signature`,
    make: file(`a.${extension}`, Buffer.concat([Buffer.from(magic, 'hex'), noise(500)])),
    expect: { error: 'CORRUPT_FILE' },
  })),
  {
    name: 'mail: 200 000 parts',
    make: repeated(
      'parts.eml',
      '--x\r\n\r\ny\r\n',
      { smoke: 2e6, full: 2e7 },
      { head: 'From: a@b.c\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n' },
    ),
    expect: bounded,
    seconds: 30,
  },
  {
    name: 'mail: a header without end',
    make: repeated('header.eml', 'X-Y: z\r\n', { smoke: 5e7, full: 2e8 }, { head: 'From: a@b.c\r\n' }),
    expect: bounded,
    seconds: 30,
  },
  {
    name: 'mail: an attachment of 150 MB',
    make: inside(
      repeated(
        'large.eml',
        `${'QUJD'.repeat(19)}\r\n`,
        { smoke: 1e8, full: 2e8 },
        {
          head: 'From: a@b.c\r\nContent-Type: text/csv; name=a.csv\r\nContent-Disposition: attachment\r\nContent-Transfer-Encoding: base64\r\n\r\n',
        },
      ),
      'a.csv',
    ),
    expect: bounded,
    seconds: 30,
  },
  {
    name: 'mailbox: 100 000 mails',
    make: lines('box.mbox', 1e5, (n) => `From a@b.c Mon Mar  2 10:00:00 2026\nSubject: ${n}\n\ntext\n\n`),
    expect: { truncated: true, warning: 'SKIPPED_CONTENT' },
    seconds: 60,
  },
  { name: 'message: chains that loop', make: file('loop.msg', loopingMessage), expect: bounded },
];
