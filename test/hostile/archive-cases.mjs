// Archives and mail made to hurt (cases 95-108): bombs, overlaps, floods of entries, loops, parts without end.

import { crc32, deflateRawSync, gzipSync } from 'node:zlib';
import { compoundOf } from '../support/compound.mjs';
import { file, lines, repeated } from './make.mjs';

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

function tarHeader(name, size) {
  const header = Buffer.alloc(512);
  header.write(name);
  header.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  header.write('        0', 148);
  header.write('ustar\u000000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
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
