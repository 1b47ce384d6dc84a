// Writes the fixtures of pictures and sound, from nothing but numbers. Films and MP3 come from ffmpeg, which must be there.

import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';

const folder = (family) => {
  const path = fileURLToPath(new URL(`../../fixtures/${family}/`, import.meta.url));
  mkdirSync(path, { recursive: true });
  return path;
};
const images = folder('image');
const sounds = folder('audio');

/** Three coloured fields, `shift` pixels to the right. */
function fields(width, height, shift = 0) {
  const pixels = Buffer.alloc(width * height * 3);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const field = Math.floor((((x + shift) % width) * 3) / width);
      pixels[(y * width + x) * 3 + field] = 255 - y;
    }
  return pixels;
}
const raw = (width, height) => ({ raw: { width, height, channels: 3 } });

await sharp(fields(120, 80), raw(120, 80)).png({ palette: true }).toFile(`${images}fields.png`);
await sharp(fields(160, 120), raw(160, 120)).jpeg().toFile(`${images}photo.jpg`);
const frames = [0, 10, 20, 30].map((shift) => fields(60, 40, shift));
await sharp(Buffer.concat(frames), { raw: { width: 60, height: 160, channels: 3, pageHeight: 40 } })
  .gif({ delay: [100, 100, 100, 100] })
  .toFile(`${images}moving.gif`);

/** 35 seconds of a low tone, 1000 samples of 8 bits a second. */
const samples = Buffer.from(
  Array.from({ length: 35_000 }, (_, i) => 128 + Math.round(100 * Math.sin(i / 4))),
);
const head = Buffer.alloc(44);
head.write('RIFF');
head.writeUInt32LE(36 + samples.length, 4);
head.write('WAVEfmt ', 8);
head.writeUInt32LE(16, 16);
head.writeUInt16LE(1, 20);
head.writeUInt16LE(1, 22);
head.writeUInt32LE(1000, 24);
head.writeUInt32LE(1000, 28);
head.writeUInt16LE(1, 32);
head.writeUInt16LE(8, 34);
head.write('data', 36);
head.writeUInt32LE(samples.length, 40);
writeFileSync(`${sounds}tone.wav`, Buffer.concat([head, samples]));

const ffmpeg = (words) => execFileSync('ffmpeg', ['-v', 'error', '-y', ...words.split(' ')]);
ffmpeg(
  `-f lavfi -i sine=f=330:d=2 -ac 1 -ar 16000 -b:a 16k -metadata title=Tone -metadata artist=Lectern ${sounds}tone.mp3`,
);
ffmpeg(`-f lavfi -i testsrc=d=1:s=64x48:r=5 -f lavfi -i sine=d=1 -b:a 16k -shortest ${sounds}clip.mp4`);
