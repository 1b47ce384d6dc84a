// `node test/bench/images.mjs`: 300 generated pictures made to fit, each checked from outside: within the bytes and the edge,
// decodable to its last row, upright, untouched where it fits already. Prints a table and exits 1 when one fails. Runs what
// was built (`--dist`, default `dist`).

import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import sharp from 'sharp';

const { values } = parseArgs({
  options: {
    dist: { type: 'string', default: fileURLToPath(new URL('../../dist', import.meta.url)) },
    only: { type: 'string', default: '' },
  },
});
const { fitImage } = await import(
  pathToFileURL(resolve(values.dist, 'modules/processors/image/fit/fit.js')).href
);

const MAX_BYTES = 2 * 1024 * 1024;
const MAX_EDGE = 8000;
sharp.concurrency(1);
sharp.cache(false);

function noise(length, seed) {
  const bytes = Buffer.allocUnsafe(length);
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, length >> 2);
  let state = seed * 2654435761 || 1;
  for (let i = 0; i < words.length; i++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    words[i] = state;
  }
  return bytes;
}

/** A raw picture: noise, a slope, flat blocks, or a small noise made large (like a photograph). */
function raw(width, height, channels, filling, seed) {
  const options = { raw: { width, height, channels }, limitInputPixels: false };
  if (filling === 'photo') {
    const [w, h] = [Math.max(1, width >> 2), Math.max(1, height >> 2)];
    return sharp(noise(Math.ceil((w * h * channels) / 4) * 4, seed).subarray(0, w * h * channels), {
      raw: { width: w, height: h, channels },
      limitInputPixels: false,
    }).resize(width, height, { fit: 'fill' });
  }
  const length = Math.ceil((width * height * channels) / 4) * 4;
  const data = filling === 'noise' ? noise(length, seed) : Buffer.alloc(length);
  if (filling !== 'noise') {
    const row = width * channels;
    for (let y = 0; y < height; y++)
      for (let x = 0; x < row; x++)
        data[y * row + x] =
          filling === 'slope' ? ((x / row + y / height) * 127) | 0 : ((x >> 5) * 73) ^ ((y >> 5) * 151);
  }
  return sharp(data.subarray(0, width * height * channels), options);
}

async function moving(format, width, height, frames, seed) {
  const strip = noise(Math.ceil((width * height * frames * 3) / 4) * 4, seed).subarray(
    0,
    width * height * frames * 3,
  );
  const image = sharp(strip, {
    raw: { width, height: height * frames, channels: 3, pageHeight: height },
    limitInputPixels: false,
  });
  return format === 'gif'
    ? image.gif({ effort: 1 }).toBuffer()
    : image.webp({ effort: 0, quality: 90 }).toBuffer();
}

const cases = [];
const add = (kind, make, expected = {}) => cases.push({ kind, make, expected });
const SIZES = [
  [16, 16],
  [200, 150],
  [800, 600],
  [1500, 1100],
  [2400, 1800],
];
let seed = 1;
for (const filling of ['noise', 'slope', 'blocks', 'photo'])
  for (const [w, h] of SIZES) {
    const n = seed++;
    add('PNG', () => raw(w, h, 3, filling, n).png().toBuffer());
    add('PNG with alpha', () => raw(w, h, 4, filling, n).png().toBuffer());
    add('grey PNG', () => raw(w, h, 1, filling, n).png().toBuffer());
    add('palette PNG', () => raw(w, h, 3, filling, n).png({ palette: true, effort: 1 }).toBuffer());
    add('1 bit PNG', () => raw(w, h, 1, filling, n).png({ palette: true, colours: 2, effort: 1 }).toBuffer());
    add('16 bit PNG', () => raw(w, h, 3, filling, n).toColourspace('rgb16').png().toBuffer());
    add('JPEG', () => raw(w, h, 3, filling, n).jpeg({ quality: 97 }).toBuffer());
    add('progressive JPEG', () =>
      raw(w, h, 3, filling, n).jpeg({ quality: 80, progressive: true }).toBuffer(),
    );
    add('CMYK JPEG', () => raw(w, h, 3, filling, n).toColourspace('cmyk').jpeg({ quality: 95 }).toBuffer());
    add('WebP', () => raw(w, h, 3, filling, n).webp({ quality: 90, effort: 0 }).toBuffer());
    add('lossless WebP', () => raw(w, h, 4, filling, n).webp({ lossless: true, effort: 0 }).toBuffer());
    add('GIF', () => raw(w, h, 3, filling, n).gif({ effort: 1 }).toBuffer());
  }
for (const [w, h] of [
  [300, 200],
  [1200, 900],
  [2600, 1900],
])
  for (let orientation = 1; orientation <= 8; orientation++)
    add(
      'JPEG by orientation',
      () => raw(w, h, 3, 'photo', orientation).jpeg({ quality: 92 }).withMetadata({ orientation }).toBuffer(),
      { turned: orientation > 4, upright: orientation === 1, size: [w, h] },
    );
for (const [format, w, h, frames] of [
  ['gif', 60, 40, 10],
  ['gif', 400, 300, 12],
  ['gif', 700, 500, 30],
  ['webp', 60, 40, 10],
  ['webp', 500, 400, 20],
  ['webp', 900, 700, 60],
])
  add(`animated ${format}`, () => moving(format, w, h, frames, frames), { frames });
for (const [w, h] of [
  [1, 20_000],
  [20_000, 1],
  [2, 16_000],
  [16_000, 3],
  [9000, 40],
  [40, 9000],
  [1, 1],
  [12_000, 12],
])
  add('extreme aspect', () => raw(w, h, 3, 'noise', w).png().toBuffer());
for (const [w, h] of [
  [500, 400],
  [2500, 2000],
])
  for (const format of ['tiff', 'avif'])
    add(
      format.toUpperCase(),
      () =>
        raw(w, h, 3, 'photo', w)
          [format]({ ...(format === 'avif' && { effort: 0 }) })
          .toBuffer(),
      { converted: true },
    );
const big = () =>
  raw(2500, 2500, 3, 'noise', 7)
    .png()
    .toBuffer()
    .then((bytes) => sharp(bytes).resize(10_000, 10_000, { kernel: 'nearest' }));
add('100 million pixels, PNG', async () => (await big()).png({ compressionLevel: 1 }).toBuffer());
add('100 million pixels, JPEG', async () => (await big()).jpeg({ quality: 90 }).toBuffer());
add('100 million pixels, JPEG turned', async () =>
  (await big()).jpeg({ quality: 90 }).withMetadata({ orientation: 6 }).toBuffer(),
);
add('100 million pixels, 16 bit PNG', async () =>
  (await big()).toColourspace('rgb16').png({ compressionLevel: 1 }).toBuffer(),
);
while (cases.length < 300) {
  const n = seed++;
  add('PNG near the limit', () =>
    raw(820 + (n % 25), 834, 3, 'noise', n)
      .png()
      .toBuffer(),
  );
}

const rows = new Map();
let failed = 0;
let worst = { ms: 0, kind: '' };
for (const { kind, make, expected } of cases) {
  if (!kind.includes(values.only)) continue;
  const bytes = await make();
  const before = await sharp(bytes, { limitInputPixels: false }).metadata();
  const started = performance.now();
  const faults = [];
  let result;
  try {
    result = await fitImage(bytes, { maxBytes: MAX_BYTES, maxEdge: MAX_EDGE });
  } catch (error) {
    faults.push(`${error.code}: ${error.message}`);
  }
  const ms = performance.now() - started;
  if (ms > worst.ms) worst = { ms, kind };
  const row = rows.get(kind) ?? { files: 0, untouched: 0, in: 0, out: 0, kept: [], ms: 0, faults: 0 };
  if (result) {
    const { data, untouched, shown, original } = result;
    const after = await sharp(data, { failOn: 'error', limitInputPixels: false }).metadata();
    await sharp(data, { failOn: 'error', pages: after.pages > 1 ? -1 : 1, limitInputPixels: false })
      .stats()
      .catch((error) => faults.push(error.message));
    const edge = Math.max(after.width, after.height);
    const fits =
      bytes.length <= MAX_BYTES &&
      Math.max(before.width, before.height) <= MAX_EDGE &&
      (before.orientation ?? 1) === 1 &&
      !expected.converted;
    if (data.length > MAX_BYTES) faults.push(`${data.length} bytes`);
    if (edge > MAX_EDGE || after.width < 1 || after.height < 1)
      faults.push(`${after.width} x ${after.height}`);
    if ((after.orientation ?? 1) !== 1) faults.push('not upright');
    if (fits !== untouched || (untouched && !bytes.equals(data)))
      faults.push(untouched ? 'untouched' : 'touched');
    if (after.width !== shown.width || after.height !== shown.height) faults.push('not as told');
    if (expected.turned && original.width !== expected.size[1]) faults.push('not turned');
    if (expected.frames && (after.pages ?? 1) !== shown.frames) faults.push('frames not as told');
    row.untouched += untouched ? 1 : 0;
    row.out += data.length;
    row.kept.push((shown.width * shown.height) / (original.width * original.height));
    if (
      !untouched &&
      data.length < MAX_BYTES * 0.2 &&
      shown.width * shown.height < original.width * original.height * 0.9 &&
      edge < MAX_EDGE * 0.9
    )
      faults.push(`only ${data.length} bytes`);
  }
  row.files++;
  row.in += bytes.length;
  row.ms = Math.max(row.ms, ms);
  row.faults += faults.length > 0 ? 1 : 0;
  rows.set(kind, row);
  if (faults.length > 0) {
    failed++;
    console.error(`${kind}, ${before.width} x ${before.height}, ${bytes.length} bytes: ${faults.join('; ')}`);
  }
}

console.log(
  '| kind | files | untouched | MB in | MB out | least pixels kept | slowest ms | failed |\n|---|---|---|---|---|---|---|---|',
);
for (const [kind, row] of rows)
  console.log(
    `| ${kind} | ${row.files} | ${row.untouched} | ${(row.in / 1e6).toFixed(1)} | ${(row.out / 1e6).toFixed(1)} | ${(Math.min(...row.kept) * 100).toFixed(0)} % | ${row.ms.toFixed(0)} | ${row.faults} |`,
  );
console.log(
  `\n${cases.length} pictures, ${failed} failed; slowest ${worst.ms.toFixed(0)} ms (${worst.kind}); peak memory ${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MB, generator included.`,
);
process.exit(failed > 0 ? 1 : 0);
