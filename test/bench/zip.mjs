// A zip written as a stream: what the benchmarks' office files are packed in.

import { once } from 'node:events';
import { createWriteStream, renameSync } from 'node:fs';
import { crc32, createDeflateRaw } from 'node:zlib';

const CHUNK = 1 << 20;

/**
 * A deflated zip whose local headers leave the sizes to the data descriptors, as streaming writers' do.
 * @param {string} path
 * @param {readonly [string, Iterable<string>][]} entries
 */
export async function zip(path, entries) {
  const stream = createWriteStream(`${path}.part`);
  let offset = 0;
  const put = async (bytes) => {
    offset += bytes.length;
    if (!stream.write(bytes)) await once(stream, 'drain');
  };
  const directory = [];
  for (const [name, content] of entries) {
    const start = offset;
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(20, 4);
    local.writeUInt16LE(8, 6);
    local.writeUInt16LE(8, 8);
    local.writeUInt16LE(name.length, 26);
    await put(Buffer.concat([local, Buffer.from(name)]));
    const dataStart = offset;
    let crc = 0;
    let size = 0;
    const deflate = createDeflateRaw();
    const drained = (async () => {
      for await (const bytes of deflate) await put(bytes);
    })();
    let pending = '';
    const flush = async () => {
      const bytes = Buffer.from(pending);
      pending = '';
      crc = crc32(bytes, crc);
      size += bytes.length;
      if (!deflate.write(bytes)) await once(deflate, 'drain');
    };
    for (const piece of content) {
      pending += piece;
      if (pending.length >= CHUNK) await flush();
    }
    await flush();
    deflate.end();
    await drained;
    const compressed = offset - dataStart;
    const descriptor = Buffer.alloc(16);
    descriptor.writeUInt32LE(0x08074b50, 0);
    descriptor.writeUInt32LE(crc, 4);
    descriptor.writeUInt32LE(compressed, 8);
    descriptor.writeUInt32LE(size, 12);
    await put(descriptor);
    const central = Buffer.alloc(46);
    central.writeUInt32LE(0x02014b50, 0);
    central.writeUInt16LE(20, 4);
    central.writeUInt16LE(20, 6);
    central.writeUInt16LE(8, 8);
    central.writeUInt16LE(8, 10);
    descriptor.copy(central, 16, 4);
    central.writeUInt16LE(name.length, 28);
    central.writeUInt32LE(start, 42);
    directory.push(central, Buffer.from(name));
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  await put(Buffer.concat([central, end]));
  stream.end();
  await once(stream, 'close');
  renameSync(`${path}.part`, path);
}
