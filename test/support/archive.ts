// Writes tar and zip archives for tests, honest ones and ones that lie in any field.

import { crc32, deflateRawSync } from 'node:zlib';

/** A tar member; a field given as text stands in the header as it is. */
export interface TarItem {
  readonly name: string | Uint8Array;
  readonly data?: Uint8Array | string;
  /** `0` file, `1` hard link, `2` symbolic link, `3` device, `5` folder, `x` pax, `L` GNU long name, `S` sparse. */
  readonly type?: string;
  readonly target?: string;
  /** What the size field says, in place of the truth. */
  readonly size?: string | Uint8Array;
  readonly checksum?: string;
  readonly magic?: string;
  readonly seconds?: number;
}

export function tarHeader(item: TarItem): Buffer {
  const { name, data = '', type = '0', target = '', seconds = 1_700_000_000 } = item;
  const header = Buffer.alloc(512);
  header.set(Buffer.from(name as string).subarray(0, 100));
  header.write('0000644\0', 100);
  const length = Buffer.byteLength(data as string);
  const size = item.size ?? `${length.toString(8).padStart(11, '0')}\0`;
  if (typeof size === 'string') header.write(size, 124, 12, 'latin1');
  else header.set(size, 124);
  header.write(`${seconds.toString(8).padStart(11, '0')}\0`, 136);
  header.write('        ', 148);
  header.write(type, 156, 1, 'latin1');
  header.write(target, 157, 100, 'utf8');
  header.write(item.magic ?? 'ustar\u000000', 257, 8, 'latin1');
  let sum = 0;
  for (const byte of header) sum += byte;
  header.write(item.checksum ?? `${sum.toString(8).padStart(6, '0')}\0 `, 148, 8, 'latin1');
  return header;
}

/** The archive with its end of two zero blocks. */
export function tarOf(items: readonly TarItem[]): Buffer {
  const pieces: Buffer[] = [];
  for (const item of items) {
    const data = Buffer.from(item.data ?? '');
    pieces.push(tarHeader(item), data, Buffer.alloc((512 - (data.length % 512)) % 512));
  }
  return Buffer.concat([...pieces, Buffer.alloc(1024)]);
}

/** One pax record: its length counts itself. */
export function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  let length = Buffer.byteLength(rest) + 1;
  while (String(length).length + Buffer.byteLength(rest) !== length) length += 1;
  return `${length}${rest}`;
}

/** A zip member whose every field may lie. */
export interface ZipItem {
  readonly name: string | Uint8Array;
  readonly data?: Uint8Array | string;
  readonly method?: number;
  readonly flags?: number;
  readonly crc?: number;
  readonly size?: number;
  readonly packedSize?: number;
  readonly offset?: number;
  readonly madeBy?: number;
  readonly attributes?: number;
  /** In the local header, where that is to differ. */
  readonly localName?: string;
  readonly localMethod?: number;
}

export interface ZipEnd {
  readonly count?: number;
  readonly size?: number;
  readonly offset?: number;
  readonly disk?: number;
  readonly comment?: Uint8Array | string;
  readonly before?: Uint8Array | string;
}

export function rawZip(items: readonly ZipItem[], end: ZipEnd = {}): Buffer {
  const before = Buffer.from(end.before ?? '');
  const pieces: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const item of items) {
    const raw = Buffer.from(item.data ?? '');
    const method = item.method ?? 8;
    const packed = method === 8 ? deflateRawSync(raw) : raw;
    const name = Buffer.from(item.name);
    const header = (localName: Buffer, localMethod: number): Buffer => {
      const fields = Buffer.alloc(26);
      fields.writeUInt16LE(20, 0);
      fields.writeUInt16LE(item.flags ?? 0, 2);
      fields.writeUInt16LE(localMethod, 4);
      fields.writeUInt16LE((12 << 11) | (30 << 5), 6);
      fields.writeUInt16LE(((2026 - 1980) << 9) | (3 << 5) | 5, 8);
      fields.writeUInt32LE(item.crc ?? crc32(raw), 10);
      fields.writeUInt32LE(item.packedSize ?? packed.length, 14);
      fields.writeUInt32LE(item.size ?? raw.length, 18);
      fields.writeUInt16LE(localName.length, 22);
      return fields;
    };
    const localName = Buffer.from(item.localName ?? item.name);
    pieces.push(
      Buffer.from('PK\u0003\u0004'),
      header(localName, item.localMethod ?? method),
      localName,
      packed,
    );
    const record = Buffer.alloc(46);
    record.write('PK\u0001\u0002', 0, 'latin1');
    record.writeUInt8(20, 4);
    record.writeUInt8(item.madeBy ?? 3, 5);
    header(name, method).copy(record, 6);
    record.writeUInt32LE((item.attributes ?? 0) >>> 0, 38);
    record.writeUInt32LE(item.offset ?? offset, 42);
    directory.push(record, name);
    offset += 30 + localName.length + packed.length;
  }
  const central = Buffer.concat(directory);
  const comment = Buffer.from(end.comment ?? '');
  const tail = Buffer.alloc(22);
  tail.write('PK\u0005\u0006', 0, 'latin1');
  tail.writeUInt16LE(end.disk ?? 0, 4);
  tail.writeUInt16LE(end.disk ?? 0, 6);
  tail.writeUInt16LE((end.count ?? items.length) & 0xffff, 8);
  tail.writeUInt16LE((end.count ?? items.length) & 0xffff, 10);
  tail.writeUInt32LE(end.size ?? central.length, 12);
  tail.writeUInt32LE(end.offset ?? offset, 16);
  tail.writeUInt16LE(comment.length, 20);
  return Buffer.concat([before, ...pieces, central, tail, comment]);
}
