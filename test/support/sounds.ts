// Sound made for tests, from numbers: containers written by hand, so that no program is needed to make them.

/** Bytes of numbers in either order. */
export function u32(value: number, little = true): Buffer {
  const bytes = Buffer.alloc(4);
  if (little) bytes.writeUInt32LE(value >>> 0);
  else bytes.writeUInt32BE(value >>> 0);
  return bytes;
}

export function u16(value: number, little = true): Buffer {
  const bytes = Buffer.alloc(2);
  if (little) bytes.writeUInt16LE(value);
  else bytes.writeUInt16BE(value);
  return bytes;
}

/** A RIFF chunk. */
export function chunk(name: string, ...content: readonly Uint8Array[]): Buffer {
  const inside = Buffer.concat(content);
  return Buffer.concat([Buffer.from(name), u32(inside.length), inside, Buffer.alloc(inside.length & 1)]);
}

/** 16 bit PCM whose sample `i` is `i` modulo 65536, so that a cut shows where it is from. */
export function wav(seconds: number, rate = 1000, channels = 1): Buffer {
  const data = Buffer.alloc(Math.round(seconds * rate) * channels * 2);
  for (let i = 0; i * 2 < data.length; i += 1) data.writeUInt16LE(i & 0xffff, i * 2);
  const format = Buffer.concat([
    u16(1),
    u16(channels),
    u32(rate),
    u32(rate * channels * 2),
    u16(channels * 2),
    u16(16),
  ]);
  return chunk('RIFF', Buffer.from('WAVE'), chunk('fmt ', format), chunk('data', data));
}

/** MPEG 1 Layer III frames of 128 kbit/s at 48 kHz (384 bytes, 24 ms), the first bytes of each counting up. */
export function mp3(frames: number): Buffer {
  const one = (i: number): Buffer => {
    const frame = Buffer.alloc(384, i & 0x7f);
    frame.set([0xff, 0xfb, 0x94, 0x00]);
    // Side information: nothing borrowed, no sound.
    frame.fill(0, 4, 36);
    return frame;
  };
  return Buffer.concat(Array.from({ length: frames }, (_, i) => one(i)));
}

/** ADTS frames of AAC LC at 48 kHz (1024 samples), 100 bytes each. */
export function adts(frames: number): Buffer {
  const length = 100;
  const header = [
    0xff,
    0xf1,
    0x4c,
    0x80 | (length >> 11),
    (length >> 3) & 0xff,
    ((length & 7) << 5) | 0x1f,
    0xfc,
  ];
  const frame = Buffer.alloc(length, 0x21);
  frame.set(header);
  return Buffer.concat(Array.from({ length: frames }, () => frame));
}

/** An ID3v2.4 tag with the given frames. */
export function id3(...frames: readonly (readonly [name: string, content: Uint8Array])[]): Buffer {
  const safe = (size: number): Buffer =>
    Buffer.from([(size >> 21) & 127, (size >> 14) & 127, (size >> 7) & 127, size & 127]);
  const inside = Buffer.concat(
    frames.map(([name, content]) =>
      Buffer.concat([Buffer.from(name), safe(content.length), Buffer.alloc(2), content]),
    ),
  );
  return Buffer.concat([Buffer.from('ID3\u0004\u0000\u0000', 'latin1'), safe(inside.length), inside]);
}

/** An ISO base media box. */
export function box(type: string, ...content: readonly Uint8Array[]): Buffer {
  const inside = Buffer.concat(content);
  return Buffer.concat([u32(inside.length + 8, false), Buffer.from(type, 'latin1'), inside]);
}

/** A FLAC frame header (RFC 9639, 9.1) of a fixed block size of 4096 at 44.1 kHz, mono, 16 bit, with its checksum. */
function flacHeader(number: number): Buffer {
  const coded =
    number < 0x80 ? [number] : [0xe0 | (number >> 12), 0x80 | ((number >> 6) & 0x3f), 0x80 | (number & 0x3f)];
  const header = [0xff, 0xf8, 0xc9, 0x08, ...coded];
  let crc = 0;
  for (const byte of header) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x80 ? ((crc << 1) ^ 0x07) & 0xff : crc << 1;
  }
  return Buffer.from([...header, crc]);
}

/** FLAC of `frames` frames whose sound holds, as noise may, bytes that read as the header of another frame. */
export function flacOfFalseHeaders(frames: number): Buffer {
  const info = Buffer.alloc(34);
  info.writeUInt16BE(4096, 0);
  info.writeUInt16BE(4096, 2);
  info.writeUInt32BE((44_100 << 12) | (15 << 4), 10);
  info.writeUInt32BE(frames * 4096, 14);
  const one = (i: number): Buffer => {
    const sound = Buffer.alloc(3000, i & 0x7f);
    sound.set(flacHeader((i * 7919) % frames), 1000);
    return Buffer.concat([flacHeader(i), sound]);
  };
  const head = Buffer.from('fLaC\x80\0\0\x22', 'latin1');
  return Buffer.concat([head, info, ...Array.from({ length: frames }, (_, i) => one(i))]);
}
