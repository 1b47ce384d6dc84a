// Writes zip packages whose parts may unpack to far more than they take: office documents and books for the hostile cases.

import { constants, crc32, deflateRawSync } from 'node:zlib';

const PIECE_BYTES = 1 << 20;

/** A zip file of these parts: a name, and text, bytes, or what `unpacksTo` gives. */
export function packageOf(parts) {
  const locals = [];
  const records = [];
  let at = 0;
  for (const [name, content] of Object.entries(parts)) {
    const { packed, size, crc } = partOf(content);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(0x800, 2);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt32LE(crc, 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(size, 18);
    fields.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), fields, Buffer.from(name), packed]);
    const record = Buffer.alloc(46);
    record.write('PK\u0001\u0002', 0, 'latin1');
    record.writeUInt16LE(20, 4);
    fields.copy(record, 6);
    record.writeUInt32LE(at, 42);
    locals.push(local);
    records.push(record, Buffer.from(name));
    at += local.length;
  }
  const central = Buffer.concat(records);
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006', 0, 'latin1');
  end.writeUInt16LE(locals.length, 8);
  end.writeUInt16LE(locals.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...locals, central, end]);
}

/** A part of `head`, then `piece` up to `bytes`; packed once and repeated, so that gigabytes take no time to make. */
export function unpacksTo(bytes, piece, head = '') {
  const one = Buffer.from(piece);
  const block = Buffer.concat(new Array(Math.ceil(PIECE_BYTES / one.length)).fill(one));
  const packed = deflateRawSync(block, { finishFlush: constants.Z_FULL_FLUSH });
  const start = deflateRawSync(Buffer.from(head), { finishFlush: constants.Z_FULL_FLUSH });
  const times = Math.ceil(bytes / block.length);
  return {
    packed: Buffer.concat([start, ...new Array(times).fill(packed), Buffer.from([3, 0])]),
    size: Buffer.byteLength(head) + times * block.length,
    crc: 0,
  };
}

function partOf(content) {
  if (typeof content !== 'string' && 'packed' in content) return content;
  const bytes = Buffer.from(content);
  return { packed: deflateRawSync(bytes, { level: 1 }), size: bytes.length, crc: crc32(bytes) };
}
