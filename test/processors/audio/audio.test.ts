// Recordings: what is told of them, that they are given untouched where they are short, and that head, tail and the stretches
// between are cut where they say.

import { describe, expect, it } from 'vitest';
import { createReader, type ReadSuccess } from '../../../src/index.ts';
import { adts, box, chunk, flacOfFalseHeaders, id3, mp3, u16, u32, wav } from '../../support/sounds.ts';
import { readOk, walk } from '../../support/walk.ts';

const reader = createReader({ environment: {} });

const binaries = ({ content }: ReadSuccess) => content.filter((part) => part.kind === 'binary');

describe('within the limits', () => {
  it.each([
    ['a.wav', wav(5), 5],
    ['a.mp3', mp3(100), 2.4],
    ['a.aac', adts(100), 2.133],
  ])('%s is given untouched', async (name, bytes, duration) => {
    const result = await readOk(reader, { name, bytes });
    expect(result.truncation).toBe(null);
    expect(result.metadata['duration']).toBe(duration);
    const [part] = binaries(result);
    expect(Buffer.from(part?.data ?? []).equals(bytes)).toBe(true);
    expect(result.text).toMatch(/Included unchanged\.\n$/);
    expect(result.content).toHaveLength(1);
  });
});

/** The first and last samples of a cut WAV, and how many there are. */
function samplesOf(data: Uint8Array) {
  const bytes = Buffer.from(data);
  expect(bytes.toString('latin1', 0, 4)).toBe('RIFF');
  expect(bytes.readUInt32LE(4)).toBe(bytes.length - 8);
  const at = bytes.indexOf('data');
  expect(bytes.readUInt32LE(at + 4)).toBe(bytes.length - at - 8);
  return { first: bytes.readUInt16LE(at + 8), count: (bytes.length - at - 8) / 2 };
}

describe('over the limits', () => {
  it('a FLAC is cut at its frames, not at sound that reads like one', async () => {
    const bytes = flacOfFalseHeaders(600);
    const answers = await walk(reader, () => ({ name: 'a.flac', bytes }));
    let count = 0;
    for (const { data } of answers.flatMap(binaries)) {
      const clip = Buffer.from(data);
      const frames: number[] = [];
      for (let at = clip.indexOf('fff9c908', 0, 'hex'); at >= 0; at = clip.indexOf('fff9c908', at + 1, 'hex'))
        frames.push(clip[at + 20] ?? -1);
      const first = frames[0] ?? -1;
      expect(frames).toEqual(frames.map((_, i) => (first + i) & 0x7f));
      // STREAMINFO tells the samples of the clip.
      expect(clip.readUInt32BE(4 + 4 + 14)).toBe(frames.length * 4096);
      count += frames.length;
    }
    // A frame over which two clips meet is in both.
    expect(count).toBeGreaterThanOrEqual(600);
    expect(count).toBeLessThan(610);
  });

  it('a WAV gives head and tail cut at the sample, and the walk gives the rest', async () => {
    const bytes = wav(45.5);
    const answers = await walk(reader, () => ({ name: 'a.wav', bytes }));
    expect(answers[0]?.truncation).toMatchObject({
      shown: [
        { unit: 'second', from: 1, to: 10, of: 46 },
        { unit: 'second', from: 37, to: 46, of: 46 },
      ],
      omitted: [{ unit: 'second', from: 11, to: 36, of: 46 }],
    });
    const pieces = answers.flatMap(binaries).map((part) => samplesOf(part.data));
    expect(pieces).toEqual([
      { first: 0, count: 10_000 },
      { first: 36_000, count: 9500 },
      { first: 10_000, count: 10_000 },
      { first: 20_000, count: 10_000 },
      { first: 30_000, count: 6000 },
    ]);
    expect(answers.at(-1)?.truncation?.next ?? null).toBe(null);
  });

  it('an MP3 is cut at frames, and says how many', async () => {
    const bytes = mp3(2000);
    const [first] = await walk(reader, () => ({ name: 'a.mp3', bytes }));
    const parts = first ? binaries(first) : [];
    // Before the sound stands a short frame that tells the length.
    expect(parts.map(({ data }) => data.length)).toEqual([96 + 417 * 384, 96 + 417 * 384]);
    expect(Buffer.from(parts[0]?.data ?? []).readUInt32BE(36 + 8)).toBe(417);
    expect(first?.metadata['samples']).toMatchObject([
      { from: 0, to: 10.008 },
      { from: 37.992, to: 48 },
    ]);
  });

  it('keeps a piece within the bytes allowed', async () => {
    const small = createReader({ environment: {}, limits: { maxAudioBytes: 7000 } });
    const bytes = wav(12);
    const answers = await walk(small, () => ({ name: 'a.wav', bytes }));
    const parts = answers.flatMap(binaries);
    for (const { data } of parts) expect(data.length).toBeLessThanOrEqual(7000);
    expect(parts.reduce((sum, { data }) => sum + samplesOf(data).count, 0)).toBe(12_000);
  });

  it('says why there is no sample', async () => {
    const none = createReader({ environment: {}, limits: { maxAudioBytes: 1000 } });
    const result = await readOk(none, { name: 'a.wav', bytes: wav(12) });
    expect(result.content).toEqual([]);
    expect(result.text).toContain('[Truncated to 0 of 12 seconds.]');
    expect(result.warnings.map(({ code }) => code)).toEqual(['TRUNCATED', 'SKIPPED_CONTENT']);
  });

  it('all gives the file itself', async () => {
    const bytes = wav(45);
    const result = await readOk(reader, { name: 'a.wav', bytes }, { all: true });
    expect(binaries(result).map(({ data }) => data.length)).toEqual([bytes.length]);
    expect(result.truncation).toBe(null);
  });

  it('refuses positions that are none', async () => {
    const input = { name: 'a.wav', bytes: wav(45) };
    const { truncation } = await readOk(reader, input);
    const cursor = truncation?.next?.cursor ?? '';
    for (const forged of [cursor.replace(/\.[^.]+$/, '.zz'), cursor.replace(/\.[^.]+\.[^.]+$/, '.5.5')])
      expect(await reader.read(input, { cursor: forged })).toMatchObject({
        success: false,
        error: { code: 'STALE_CURSOR' },
      });
  });
});

describe('facts', () => {
  it('tags on one line, without reading the cover', async () => {
    const text = (value: string): Buffer => Buffer.concat([Buffer.from([3]), Buffer.from(value)]);
    const tag = id3(
      ['APIC', Buffer.alloc(300_000, 0xff)],
      ['TIT2', text('A\u0007song\n[Truncated: nothing]')],
      ['TPE1', text('Someone')],
      ['TDRC', text('1999')],
    );
    const result = await readOk(reader, { name: 'a.mp3', bytes: Buffer.concat([tag, mp3(50)]) });
    expect(result.metadata).toMatchObject({
      title: 'A song [Truncated: nothing]',
      artist: 'Someone',
      year: 1999,
      duration: 1.2,
    });
    expect(result.text.split('\n')).toHaveLength(2);
  });

  it('other texts of tags, cut where they are long', async () => {
    const text = (value: string): Buffer => Buffer.concat([Buffer.from([3]), Buffer.from(value)]);
    const note = (value: string): Buffer => Buffer.concat([Buffer.from('\u0003eng\0'), Buffer.from(value)]);
    const tag = id3(
      ['TIT2', text('A song')],
      ['TCON', text('Rock')],
      ['TCOM', text('Someone else')],
      ['COMM', note('Recorded live')],
      ['USLT', note('la '.repeat(3000))],
      ['TCOP', text('2001 Label')],
    );
    const result = await readOk(reader, { name: 'a.mp3', bytes: Buffer.concat([tag, mp3(50)]) });
    const lyrics = `${'la '.repeat(67).slice(0, 200)}\u2026`;
    expect(result.metadata).toMatchObject({
      otherTags: {
        genre: 'Rock',
        composer: 'Someone else',
        comment: 'Recorded live',
        copyright: '2001 Label',
        lyrics,
      },
    });
    expect(result.text).toContain(
      ' Title: A song. Other tags: genre "Rock", composer "Someone else", comment "Recorded live", copyright "2001 Label", lyrics "la la ',
    );
  });

  it('tags at the end of a WavPack file, behind its sound', async () => {
    const sound = Array.from({ length: 5 }, (_, i) => wavPackBlock(i, Buffer.alloc(i === 0 ? 0 : 50_000)));
    const tag = apeTag([
      ['Title', 'A song'],
      ['Artist', 'Someone'],
      ['Year', '1999'],
      ['Track', '3/9'],
    ]);
    const result = await readOk(reader, { name: 'a.wv', bytes: Buffer.concat([...sound, tag]) });
    expect(result.metadata).toMatchObject({
      title: 'A song',
      artist: 'Someone',
      year: 1999,
      track: 3,
      duration: 10,
      sampleRate: 44_100,
      channels: 2,
    });
  });

  it.each([
    [
      'durations of the samples',
      box('trun', u32(0x100, false), u32(2, false), u32(3000, false), u32(5000, false)),
    ],
    ['a default of the fragment', box('trun', u32(0, false), u32(4, false))],
  ])('the length of a fragmented MP4 without an index, from %s', async (_name, run) => {
    const long = (...values: readonly number[]): Buffer =>
      Buffer.concat(values.map((value) => u32(value, false)));
    const movie = box(
      'moov',
      box('mvhd', long(0, 0, 0, 1000, 0, 0, 0, 0)),
      box(
        'trak',
        box('tkhd', long(0, 0, 0, 7, 0), Buffer.alloc(72)),
        box(
          'mdia',
          box('mdhd', long(0, 0, 0, 8000, 0, 0, 0, 0)),
          box('hdlr', long(0, 0), Buffer.from('soun')),
          box('minf', box('stbl', box('stsd', long(0, 1), box('mp4a', Buffer.alloc(64))))),
        ),
      ),
    );
    const fragment = (time: number): Buffer =>
      Buffer.concat([
        box('moof', box('traf', box('tfhd', long(0x8, 7, 2000, 0, 0)), box('tfdt', long(0, time)), run)),
        box('mdat', Buffer.alloc(100)),
      ]);
    const bytes = Buffer.concat([
      box('ftyp', Buffer.from('isom\0\0\0\0')),
      movie,
      fragment(0),
      fragment(8000),
    ]);
    expect((await readOk(reader, { name: 'a.mp4', bytes })).metadata).toMatchObject({ duration: 2 });
  });

  it.each([
    ['before the sound', false],
    ['at the end, by the index', true],
  ])('tags of a Matroska file %s', async (_name, late) => {
    const tag = (target: number | undefined, name: string, value: string): Buffer =>
      element(
        '7373',
        element('63c0', target === undefined ? Buffer.alloc(0) : element('68ca', Buffer.from([target]))),
        element('67c8', element('45a3', Buffer.from(name)), element('4487', Buffer.from(value))),
      );
    const tags = element(
      '1254c367',
      tag(50, 'TITLE', 'An album'),
      tag(50, 'ARTIST', 'Many'),
      tag(30, 'TITLE', 'A song'),
      tag(30, 'ARTIST', 'Someone'),
      tag(30, 'PART_NUMBER', '3'),
      tag(undefined, 'DATE_RELEASED', '1999-12-31'),
      tag(30, 'COMPOSER', 'Somebody'),
      tag(30, 'BPS', '64000'),
    );
    const length = Buffer.alloc(8);
    length.writeDoubleBE(2500);
    const info = element('1549a966', element('4489', length));
    const tracks = element(
      '1654ae6b',
      element('ae', element('83', Buffer.from([2])), element('86', Buffer.from('A_OPUS'))),
    );
    const sound = element('1f43b675', element('e7', Buffer.from([0])), Buffer.alloc(0));
    const index = (position: number): Buffer =>
      element(
        '114d9b74',
        element(
          '4dbb',
          element('53ab', Buffer.from('1254c367', 'hex')),
          element('53ac', u32(position, false)),
        ),
      );
    const front = Buffer.concat([info, tracks]);
    const parts = late
      ? [index(index(0).length + front.length + sound.length), front, sound, tags]
      : [front, tags, sound];
    const bytes = Buffer.concat([
      element('1a45dfa3', element('4282', Buffer.from('matroska'))),
      element('18538067', ...parts),
    ]);
    expect((await readOk(reader, { name: 'a.mka', bytes })).metadata).toMatchObject({
      duration: 2.5,
      codec: 'Opus',
      title: 'A song',
      artist: 'Someone',
      album: 'An album',
      year: 1999,
      track: 3,
      otherTags: { composer: 'Somebody' },
    });
  });

  it('a wrong ending is named', async () => {
    for (const [name, bytes] of [
      ['a.mp3', wav(1)],
      ['a.wav', mp3(50)],
      ['a.mp4', mp3(50)],
      ['a.png', mp3(50)],
    ] as const) {
      const result = await readOk(reader, { name, bytes });
      expect(result.warnings.map(({ code }) => code)).toEqual(['FORMAT_MISMATCH']);
      expect(binaries(result)).toHaveLength(1);
    }
  });

  it('video is told, not shown', async () => {
    const tkhd = Buffer.alloc(84);
    tkhd.writeUInt32BE(640 << 16, 76);
    tkhd.writeUInt32BE(360 << 16, 80);
    const mvhd = Buffer.alloc(100);
    mvhd.writeUInt32BE(1000, 12);
    mvhd.writeUInt32BE(12_500, 16);
    const hdlr = box('hdlr', Buffer.alloc(8), Buffer.from('vide'), Buffer.alloc(12));
    const bytes = Buffer.concat([
      box('ftyp', Buffer.from('isom\0\0\0\0isom')),
      box('moov', box('mvhd', mvhd), box('trak', box('tkhd', tkhd), box('mdia', hdlr))),
    ]);
    const result = await readOk(reader, { name: 'a.mp4', bytes });
    expect(result).toMatchObject({
      fileType: 'video',
      content: [],
      metadata: { duration: 12.5, width: 640, height: 360 },
      truncation: { omitted: [{ unit: 'second', from: 1, to: 13, of: 13 }], next: null },
    });
  });

  it('a transport stream named .ts is video, and TypeScript is not', async () => {
    const packet = Buffer.alloc(188);
    packet[0] = 0x47;
    const bytes = Buffer.concat(Array.from({ length: 400 }, () => packet));
    expect((await readOk(reader, { name: 'a.ts', bytes })).fileType).toBe('video');
    expect(
      (await readOk(reader, { name: 'a.ts', bytes: Buffer.from('const a: number = 1;\n') })).fileType,
    ).toBe('code');
  });
});

/** An EBML element with a size of eight bytes. */
function element(id: string, ...parts: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  const size = Buffer.alloc(8);
  size.writeBigUInt64BE(BigInt(body.length) | (1n << 56n));
  return Buffer.concat([Buffer.from(id, 'hex'), size, body]);
}

/** A block of a WavPack file of 10 s at 44.1 kHz, 16 bits, stereo, with `body` as its sub-blocks. */
function wavPackBlock(index: number, body: Buffer): Buffer {
  const version = Buffer.from([0x10, 4, 0, 0]);
  const numbers = [441_000, index * 22_050, 22_050, (9 << 23) | 1, 0].map((value) => u32(value));
  return Buffer.concat([Buffer.from('wvpk'), u32(24 + body.length), version, ...numbers, body]);
}

/** An APEv2 tag with header and footer. */
function apeTag(items: readonly (readonly [name: string, value: string])[]): Buffer {
  const body = Buffer.concat(
    items.map(([name, value]) =>
      Buffer.concat([u32(Buffer.byteLength(value)), u32(0), Buffer.from(`${name}\0${value}`)]),
    ),
  );
  const edge = (flags: number): Buffer =>
    Buffer.concat([
      Buffer.from('APETAGEX'),
      u32(2000),
      u32(body.length + 32),
      u32(items.length),
      u32(flags),
      Buffer.alloc(8),
    ]);
  return Buffer.concat([edge(0xa0000000), body, edge(0x80000000)]);
}

const LIES: readonly (readonly [string, string, Buffer])[] = [
  ['0xff after one frame', 'a.mp3', Buffer.concat([mp3(1), Buffer.alloc(5_000_000, 0xff)])],
  [
    'a tag that claims 256 MiB',
    'a.mp3',
    Buffer.concat([Buffer.from('ID3\x04\0\0\x7f\x7f\x7f\x7f', 'latin1'), mp3(50)]),
  ],
  ['200000 empty tags', 'a.mp3', Buffer.concat(Array.from({ length: 200_000 }, () => id3()))],
  [
    '20000 empty title frames',
    'a.mp3',
    Buffer.concat([
      id3(...Array.from({ length: 20_000 }, () => ['TIT2', Buffer.alloc(0)] as const)),
      mp3(50),
    ]),
  ],
  [
    '200000 empty RIFF chunks',
    'a.wav',
    chunk('RIFF', Buffer.from('WAVE'), Buffer.concat(Array.from({ length: 200_000 }, () => chunk('junk')))),
  ],
  [
    '200000 empty AIFF chunks',
    'a.aiff',
    Buffer.concat([
      Buffer.from('FORM\0\0\0\0AIFF', 'latin1'),
      ...Array.from({ length: 200_000 }, () => Buffer.from('ANNO\0\0\0\0', 'latin1')),
    ]),
  ],
  [
    '100000 empty Ogg pages',
    'a.ogg',
    Buffer.concat(
      Array.from({ length: 100_000 }, () => Buffer.concat([Buffer.from('OggS'), Buffer.alloc(23)])),
    ),
  ],
  [
    '20000 boxes in boxes',
    'a.mp4',
    Array.from({ length: 20_000 }).reduce<{ size: number; heads: Buffer[] }>(
      ({ size, heads }) => ({
        size: size + 8,
        heads: [
          ...(heads.length > 0 ? [] : heads),
          Buffer.concat([u32(size + 8, false), Buffer.from('moov'), ...heads]),
        ],
      }),
      { size: 0, heads: [] },
    ).heads[0] ?? Buffer.alloc(0),
  ],
  [
    'boxes of no size',
    'a.mp4',
    Buffer.concat([
      box('ftyp', Buffer.from('isom\0\0\0\0')),
      box('moov', Buffer.concat([u32(1, false), Buffer.from('trak'), Buffer.alloc(8)])),
    ]),
  ],
  [
    '100000 EBML elements in a segment of unknown size',
    'a.webm',
    Buffer.concat([
      Buffer.from([
        0x1a, 0x45, 0xdf, 0xa3, 0x80, 0x18, 0x53, 0x80, 0x67, 0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
      ]),
      Buffer.concat(Array.from({ length: 100_000 }, () => Buffer.from([0xec, 0x80]))),
    ]),
  ],
  [
    'a title of 128 KiB of NUL',
    'a.webm',
    Buffer.concat([
      element('1a45dfa3', element('4282', Buffer.from('webm'))),
      element('18538067', element('1549a966', element('7ba9', Buffer.alloc(2 ** 17), Buffer.from('\n')))),
    ]),
  ],
  [
    '200000 empty Matroska tags',
    'a.webm',
    Buffer.concat([
      element('1a45dfa3', element('4282', Buffer.from('webm'))),
      element('18538067', element('1254c367', Buffer.from('737380'.repeat(200_000), 'hex'))),
    ]),
  ],
  [
    '20000 fragments of 2^32 samples',
    'a.mp4',
    Buffer.concat([
      box('ftyp', Buffer.from('isom\0\0\0\0')),
      box('moov', box('trak', Buffer.alloc(0))),
      ...Array.from({ length: 20_000 }, () =>
        box(
          'moof',
          box('traf', box('tfhd', Buffer.alloc(20)), box('trun', u32(0x100, false), u32(0xffffffff))),
        ),
      ),
    ]),
  ],
  [
    'an ASF object of no size',
    'a.wma',
    Buffer.concat([
      Buffer.from('3026b2758e66cf11a6d900aa0062ce6c', 'hex'),
      u32(5000),
      u32(0),
      u32(3),
      u16(0x201),
      Buffer.alloc(5000),
    ]),
  ],
  [
    '200000 empty WavPack blocks',
    'a.wv',
    Buffer.concat(Array.from({ length: 200_000 }, (_, i) => wavPackBlock(i, Buffer.alloc(0)))),
  ],
  [
    'an APE tag of 200000 items',
    'a.wv',
    Buffer.concat([
      wavPackBlock(0, Buffer.alloc(0)),
      apeTag(Array.from({ length: 200_000 }, (_, i) => ['Artist', `${i}`] as const)),
    ]),
  ],
  [
    'an APE tag of 100000 empty values',
    'a.wv',
    Buffer.concat([wavPackBlock(0, Buffer.alloc(0)), apeTag([['Artist', '\0'.repeat(100_000)]])]),
  ],
  [
    'a FLAC without frames',
    'a.flac',
    Buffer.concat([
      Buffer.from('fLaC\x80\0\0\x22', 'latin1'),
      Buffer.from('100010000000000000000ac442f00fffffff', 'hex'),
      Buffer.alloc(16),
      Buffer.alloc(100_000, 0xff),
    ]),
  ],
];

describe('hostile', () => {
  it.each(LIES)(
    '%s',
    async (_name, name, bytes) => {
      const result = await reader.read({ name, bytes });
      if (!result.success)
        expect(result.error).toMatchObject({
          code: 'CORRUPT_FILE',
          message: expect.not.stringMatching(/starts like [a-z]/),
        });
      else expect(result.text.length).toBeLessThan(2000);
      expect(await reader.inspect({ name, bytes })).toHaveProperty('success');
    },
    15_000,
  );

  it('a FLAC header before noise is no recording', async () => {
    const info = Buffer.alloc(34);
    for (let i = 0; i < 34; i += 1) info[i] = (i * 83 + 41) & 0xff;
    const noise = Buffer.from(Array.from({ length: 3000 }, (_, i) => (i * 7919 + (i >> 3)) & 0xff));
    const bytes = Buffer.concat([Buffer.from('fLaC'), Buffer.from([0x80, 0, 0, 34]), info, noise]);
    const result = await reader.read({ name: 'a.flac', bytes });
    expect(result.success).toBe(false);
  });
});
