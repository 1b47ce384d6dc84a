// Facts of MP4, Matroska, ASF and rarer recordings: ours beside music-metadata reading the whole file. The files are made by
// ffmpeg, which also knows the truth; where LECTERN_CORPUS names a folder, its recordings are added, against ffprobe. Then the
// time of both on small hostile files, each in a process of its own.
// Usage: npm run build && node test/bench/media-facts.mjs [--differences]

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const HOSTILE_MS = 20_000;
const reading = process.argv[2] === '--read';

async function ours(path) {
  const { createReader } = await import('../../dist/src/index.js');
  const { success, metadata = {} } = await createReader({ environment: {} }).inspect(path);
  if (!success) return {};
  const { duration, codec, sampleRate, channels, width, height, videoCodec, title, artist, album } = metadata;
  return { duration, codec, sampleRate, channels, width, height, videoCodec, title, artist, album };
}

async function library(path) {
  const { parseFile } = await import('music-metadata');
  try {
    const { format, common } = await parseFile(path, { skipCovers: true, duration: true });
    const picture = format.trackInfo.find(({ video }) => video);
    return {
      duration: format.duration,
      codec: format.codec,
      sampleRate: format.sampleRate,
      channels: format.numberOfChannels,
      width: picture?.video.pixelWidth,
      height: picture?.video.pixelHeight,
      videoCodec: picture?.codecName,
      title: common.title,
      artist: common.artist,
      album: common.album,
    };
  } catch {
    return {};
  }
}

const contestants = { ours, 'music-metadata': library };
const names = Object.keys(contestants);
const say = (text) => process.stdout.write(text);

if (reading) {
  await contestants[process.argv[3]](process.argv[4]);
  process.exit(0);
}

/** Facts by ffprobe; undefined when it cannot read it. */
function probed(path) {
  const words = ['-v', 'error', '-show_entries', 'format:stream', '-of', 'json', path];
  const { status, stdout } = spawnSync('ffprobe', words, { encoding: 'utf8' });
  if (status !== 0) return undefined;
  const { format, streams = [] } = JSON.parse(stdout);
  const sound = streams.find(({ codec_type: type }) => type === 'audio');
  const picture = streams.find(
    ({ codec_type: type, disposition }) => type === 'video' && !disposition.attached_pic,
  );
  const tags = Object.fromEntries(
    [...Object.entries(sound?.tags ?? {}), ...Object.entries(format.tags ?? {})].map(([name, value]) => [
      name.toLowerCase(),
      value,
    ]),
  );
  return {
    duration: Number(format.duration),
    codec: sound?.codec_name,
    sampleRate: sound && Number(sound.sample_rate),
    channels: sound?.channels,
    width: picture?.width,
    height: picture?.height,
    videoCodec: picture?.codec_name,
    title: tags.title,
    artist: tags.artist,
    album: tags.album,
  };
}

// Names of codecs differ; that there is one is compared.
const NAMED = new Set(['codec', 'videoCodec']);

function isSame(fact, truth, found) {
  if (NAMED.has(fact)) return typeof found === 'string' && found !== '';
  if (fact === 'duration') return typeof found === 'number' && Math.abs(found - truth) < 0.02;
  return found === truth;
}

const TAGS = ['title=Tune', 'artist=Band', 'album=LP'].flatMap((tag) => ['-metadata', tag]);
const SOUND = ['-f', 'lavfi', '-i', 'sine=d=7.3:r=44100'];
const PICTURE = ['-f', 'lavfi', '-i', 'testsrc=d=7.3:s=320x180:r=10'];
const FRAGMENTS = '-movflags frag_keyframe+empty_moov -frag_duration 1000000';

/** [name, inputs, arguments] */
const MADE = [
  ['aac.m4a', SOUND, ''],
  ['alac.m4a', SOUND, '-c:a alac'],
  ['flac.mp4', SOUND, '-c:a flac -strict -2'],
  ['opus.mp4', SOUND, '-c:a libopus'],
  ['fragments.mp4', SOUND, FRAGMENTS],
  ['pcm.mov', SOUND, '-c:a pcm_s16le'],
  ['video.mp4', [...PICTURE, ...SOUND], '-c:v libx264 -c:a aac'],
  ['video.mov', [...PICTURE, ...SOUND], '-c:v libx264 -c:a aac'],
  ['video-fragments.mp4', [...PICTURE, ...SOUND], `-c:v libx264 -c:a aac ${FRAGMENTS}`],
  ['silent.mp4', PICTURE, '-c:v libx264'],
  ['video.3gp', [...PICTURE, ...SOUND], '-c:v mpeg4 -c:a aac'],
  ['opus.webm', SOUND, '-c:a libopus'],
  ['live.webm', SOUND, '-c:a libopus -live 1'],
  ['flac.mka', SOUND, '-c:a flac'],
  ['video.webm', [...PICTURE, ...SOUND], '-c:v libvpx-vp9 -c:a libopus'],
  ['video.mkv', [...PICTURE, ...SOUND], '-c:v libx264 -c:a aac'],
  ['silent.mkv', PICTURE, '-c:v libx264'],
  ['sound.wma', SOUND, '-c:a wmav2'],
  ['video.wmv', [...PICTURE, ...SOUND], '-c:v wmv2 -c:a wmav2'],
  ['video.avi', [...PICTURE, ...SOUND], '-c:v mpeg4 -c:a mp3'],
  ['sound.wv', SOUND, '-c:a wavpack'],
];

function made(folder) {
  return MADE.map(([name, inputs, words]) => {
    const path = join(folder, name);
    const options = [...TAGS, ...words.split(' ').filter(Boolean), path];
    const { error, stderr } = spawnSync('ffmpeg', ['-v', 'error', '-y', ...inputs, ...options]);
    if (error) throw error;
    const truth = probed(path);
    if (!truth) throw new Error(`${name}: ${stderr}`);
    return { name, path, truth };
  });
}

const KINDS = new Set([
  '.m4a',
  '.mp4',
  '.webm',
  '.mka',
  '.mkv',
  '.wma',
  '.wv',
  '.ape',
  '.mpc',
  '.dsf',
  '.dff',
]);

function fromCorpus(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((name) => KINDS.has(extname(name)))
    .map((name) => ({ name, path: join(folder, name), truth: probed(join(folder, name)) }))
    .filter(({ truth }) => truth !== undefined);
}

async function compare(files) {
  const right = new Map();
  const wrong = [];
  for (const { name, path, truth } of files) {
    const found = await Promise.all(names.map((contestant) => contestants[contestant](path)));
    for (const [fact, value] of Object.entries(truth)) {
      if (value === undefined || Number.isNaN(value)) continue;
      const row = right.get(fact) ?? { of: 0, counts: names.map(() => 0) };
      right.set(fact, row);
      row.of++;
      found.forEach((facts, at) => {
        if (isSame(fact, value, facts[fact])) row.counts[at]++;
        else wrong.push(`${name}: ${fact} ${value}, ${names[at]} ${facts[fact]}\n`);
      });
    }
  }
  return { right, wrong };
}

const box = (name, ...parts) => {
  const body = Buffer.concat(parts);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(body.length + 8);
  head.write(name, 4);
  return Buffer.concat([head, body]);
};
const element = (id, ...parts) => {
  const body = Buffer.concat(parts);
  const size = Buffer.alloc(8);
  size.writeBigUInt64BE(BigInt(body.length) | (1n << 56n));
  return Buffer.concat([Buffer.from(id, 'hex'), size, body]);
};
const webm = (...parts) =>
  Buffer.concat([
    element('1a45dfa3', element('4282', Buffer.from('webm'))),
    element('18538067', Buffer.concat(parts)),
  ]);
const FTYP = box('ftyp', Buffer.from('M4A \0\0\0\0'));

const HOSTILE = [
  [
    'title of 128 KiB of NUL',
    'a.webm',
    webm(element('1549a966', element('7ba9', Buffer.alloc(2 ** 17), Buffer.from('\n')))),
  ],
  ['1 MiB of empty elements', 'a.webm', webm(Buffer.from('ec80'.repeat(2 ** 19), 'hex'))],
  ['1 MiB of empty tags', 'a.webm', webm(element('1254c367', Buffer.from('737380'.repeat(2 ** 18), 'hex')))],
  ['1 MiB of empty boxes', 'a.m4a', Buffer.concat([FTYP, ...new Array(2 ** 17).fill(box('free'))])],
  [
    '4 MiB of brands',
    'a.m4a',
    box(
      'ftyp',
      Buffer.from(Array.from({ length: 2 ** 20 }, (_, i) => i.toString(36).padStart(4, '0')).join('')),
    ),
  ],
  ['20000 boxes in boxes', 'a.m4a', Buffer.concat([FTYP, nested(20_000)])],
];

function nested(depth) {
  const all = Buffer.alloc(depth * 8);
  for (let i = 0; i < depth; i++) {
    all.writeUInt32BE((depth - i) * 8, i * 8);
    all.write('moov', i * 8 + 4);
  }
  return all;
}

/** Milliseconds of a process that reads the file, its start included. */
function time(contestant, path) {
  const start = performance.now();
  const script = fileURLToPath(import.meta.url);
  const { error } = spawnSync(process.execPath, [script, '--read', contestant, path], {
    timeout: HOSTILE_MS,
  });
  return error ? `over ${HOSTILE_MS}` : (performance.now() - start).toFixed(0);
}

const line = (label, cells) =>
  `${label.padEnd(32)}${cells.map((cell) => String(cell).padStart(16)).join('')}\n`;
const folder = mkdtempSync(join(tmpdir(), 'lectern-media-facts-'));
try {
  const files = made(folder);
  const corpus = process.env.LECTERN_CORPUS;
  if (corpus) files.push(...fromCorpus(join(corpus, 'audio')));
  else say('Not run: recordings of the corpus. Set LECTERN_CORPUS.\n');
  const { right, wrong } = await compare(files);
  say(line(`${files.length} files`, names));
  for (const [fact, { of, counts }] of right)
    say(
      line(
        fact,
        counts.map((count) => `${count}/${of}`),
      ),
    );
  say(line('\nhostile, ms', names));
  for (const [label, name, bytes] of HOSTILE) {
    const path = join(folder, name);
    writeFileSync(path, bytes);
    say(
      line(
        `${extname(name)}, ${label}`,
        names.map((contestant) => time(contestant, path)),
      ),
    );
  }
  if (process.argv.includes('--differences')) say(`\n${wrong.join('')}`);
} finally {
  rmSync(folder, { recursive: true });
}
