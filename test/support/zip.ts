// Writes small zip files for tests: honest ones, and ones that lie where a test says so.

import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipMember {
  readonly name: string;
  readonly data: Uint8Array | string;
  /** Store instead of deflate. */
  readonly stored?: boolean;
  /** Set the bit that says the member is encrypted. */
  readonly encrypted?: boolean;
  /** What the directory claims instead of the true inflated size. */
  readonly claimedSize?: number;
  /** Where the directory says its local header is, instead of the truth. */
  readonly claimedOffset?: number;
  /** Deflated already, with `size` bytes when inflated. */
  readonly deflated?: { readonly data: Uint8Array; readonly size: number };
}

/** The bytes of a zip file with these members, in order. */
export function zipOf(members: readonly ZipMember[]): Buffer {
  const pieces: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const member of members) {
    const raw = typeof member.data === 'string' ? Buffer.from(member.data) : Buffer.from(member.data);
    const packed = member.deflated
      ? Buffer.from(member.deflated.data)
      : member.stored
        ? raw
        : deflateRawSync(raw);
    const size = member.claimedSize ?? member.deflated?.size ?? raw.length;
    const name = Buffer.from(member.name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE((member.encrypted ? 1 : 0) | 0x800, 2);
    common.writeUInt16LE(member.stored ? 0 : 8, 4);
    common.writeUInt32LE(member.deflated ? 0 : crc32(raw), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(size, 18);
    common.writeUInt16LE(name.length, 22);
    pieces.push(Buffer.from('PK\u0003\u0004'), common, name, packed);
    const entry = Buffer.alloc(46);
    entry.write('PK\u0001\u0002', 0, 'latin1');
    entry.writeUInt16LE(20, 4);
    common.copy(entry, 6);
    entry.writeUInt32LE(member.claimedOffset ?? offset, 42);
    directory.push(entry, name);
    offset += 30 + name.length + packed.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006', 0, 'latin1');
  end.writeUInt16LE(members.length, 8);
  end.writeUInt16LE(members.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...pieces, central, end]);
}
