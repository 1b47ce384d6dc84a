// Pictures made for tests, from numbers: every kind that a camera or a program may give, and some that only malice would.

import sharp, { type Sharp } from 'sharp';

/** Fixed noise, so that a run can be repeated. */
export function noise(length: number, seed = 1): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let state = seed >>> 0 || 1;
  for (let i = 0; i < length; i += 1) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    bytes[i] = state & 0xff;
  }
  return bytes;
}

/** What fills a picture: noise does not compress, a slope does, blocks lie between. */
export type Filling = 'noise' | 'slope' | 'blocks';

export function pixels(width: number, height: number, channels: 1 | 2 | 3 | 4, filling: Filling): Sharp {
  const length = width * height * channels;
  const data = filling === 'noise' ? noise(length, width) : Buffer.alloc(length);
  if (filling !== 'noise')
    for (let at = 0, y = 0; y < height; y += 1)
      for (let x = 0; x < width; x += 1)
        for (let c = 0; c < channels; c += 1, at += 1)
          data[at] =
            filling === 'slope'
              ? ((x * 255) / width + (y * 255) / height) / 2 + c * 20
              : (((x >> 4) * 73) ^ ((y >> 4) * 151)) + c * 40;
  return sharp(data, { raw: { width, height, channels }, limitInputPixels: false });
}

/** An animation whose frames all differ. */
export async function animation(
  format: 'gif' | 'webp',
  width: number,
  height: number,
  frames: number,
  filling: Filling,
): Promise<Buffer> {
  const all = Buffer.concat(
    await Promise.all(
      Array.from({ length: frames }, async (_, i) => {
        const one = await pixels(width, height, 3, filling)
          .linear(1, 30 * i)
          .raw()
          .toBuffer();
        return one;
      }),
    ),
  );
  const strip = sharp(all, {
    raw: { width, height: height * frames, channels: 3, pageHeight: height },
  });
  return format === 'gif' ? strip.gif({ effort: 1 }).toBuffer() : strip.webp({ effort: 0 }).toBuffer();
}
