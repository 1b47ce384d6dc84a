// What is binary is refused, also where most of its bytes are printable, and text in legacy encodings is not.

import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { createReader } from '../../src/index.ts';
import { readOk } from '../support/walk.ts';

const reader = createReader({ environment: {} });

async function codeOf(bytes: Uint8Array, name = 'unnamed'): Promise<string> {
  const result = await reader.read({ name, bytes });
  return result.success ? `read as ${result.metadata.encoding?.name ?? result.processor}` : result.error.code;
}

/** Bytes from `low` to `high` that repeat only after 2^32: numerical recipes, second edition, 7.1. */
function noise(length: number, low: number, high: number, seed = 1): Buffer {
  const bytes = Buffer.alloc(length);
  let state = seed;
  for (let i = 0; i < length; i += 1) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    bytes[i] = low + Math.floor((state / 2 ** 32) * (high - low + 1));
  }
  return bytes;
}

/** A smooth picture of the given range of greys. */
function picture(width: number, height: number, low: number, high: number): Buffer {
  const bytes = Buffer.alloc(width * height);
  for (let i = 0; i < bytes.length; i += 1) {
    const wave = Math.sin((i % width) / 17) * Math.cos(Math.floor(i / width) / 23);
    bytes[i] = Math.round((low + high) / 2 + ((high - low) / 2) * wave);
  }
  return bytes;
}

const GREYS: readonly (readonly [number, number])[] = [
  [0, 255],
  [60, 200],
  [120, 254],
  [160, 254],
  [33, 126],
];

describe.each(GREYS)('a picture of greys %i to %i', (low, high) => {
  const raster = picture(120, 100, low, high);
  const pattern = Buffer.alloc(29);
  for (const [i, word] of [29, 1, 120, 100, 1].entries()) pattern.writeUInt32BE(word, i * 4);
  pattern.write('GPATleaf\0', 20);

  it.each([
    ['a.pgm', Buffer.from('P5\n# by a camera\n120 100\n255\n')],
    ['a.ppm', Buffer.from('P6 40 100 255\n')],
    ['a.pbm', Buffer.from('P4\n960 100\n')],
    ['a.pam', Buffer.from('P7\nWIDTH 120\nHEIGHT 100\nDEPTH 1\nMAXVAL 255\nENDHDR\n')],
    ['a.pat', pattern],
    ['a.hdr', Buffer.from('#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 100 +X 30\n')],
    ['a.y4m', Buffer.from('YUV4MPEG2 W120 H100 F25:1 Cmono\nFRAME\n')],
    ['a.ply', Buffer.from('ply\nformat binary_little_endian 1.0\nelement vertex 4000\nend_header\n')],
  ])('is not text as %s', async (name, header) => {
    expect(await codeOf(Buffer.concat([header, raster]), name)).toBe('UNSUPPORTED_FORMAT');
  });
});

it.each(['!<arch>\nhow an ar archive begins\n', 'AT&TFORM notes\n'])(
  'reads %j, a text that opens like a signature',
  async (text) => {
    expect(await codeOf(Buffer.from(text), 'a.txt')).toBe('read as utf-8');
  },
);

it('says what a file is by its signature', async () => {
  const bytes = Buffer.concat([Buffer.from('P5 120 100 255\n'), picture(120, 100, 60, 200)]);
  const result = await reader.read({ name: 'notes.txt', bytes });
  expect(result).toMatchObject({ error: { message: expect.stringContaining('a Netpbm image') } });
});

it.each([
  'P1\n3 2\n1 0 1\n0 1 0\n',
  'P2\n2 2\n255\n1 2\n3 4\n',
  'P5 10 20 30\nLine 5 of the plan has stops at 10, 20 and 30 km.\n',
])('reads as text: %j', async (text) => {
  expect(await codeOf(Buffer.from(text))).toBe('read as utf-8');
});

it('refuses a static library, a Debian package and a Qt resource file', async () => {
  const member = (name: string, body: Buffer): Buffer =>
    Buffer.concat([Buffer.from(`${name.padEnd(48)}${String(body.length).padEnd(10)}\`\n`), body]);
  const symbols = Buffer.concat(
    Array.from({ length: 400 }, (_, i) => Buffer.from([0, 1, i >> 8, i & 255])).concat(
      Buffer.from('llvm_symbol\0'.repeat(400)),
    ),
  );
  const library = Buffer.concat([Buffer.from('!<arch>\n'), member('/', symbols)]);
  const debian = Buffer.concat([Buffer.from('!<arch>\n'), member('debian-binary', Buffer.from('2.0\n'))]);
  const names = Array.from({ length: 300 }, (_, i) =>
    Buffer.concat([
      Buffer.from([0, 9]),
      noise(4, 0, 255, i),
      Buffer.from(`icons${1000 + i}`, 'utf16le').swap16(),
    ]),
  );
  const resource = Buffer.concat([Buffer.from('qres\0\0\0\x01', 'latin1'), ...names]);
  for (const bytes of [library, debian, resource]) expect(await codeOf(bytes)).toBe('UNSUPPORTED_FORMAT');
});

describe('data without a signature', () => {
  it.each([100, 300, 1000, 5000, 70_000])('of %i bytes is refused', async (length) => {
    for (let seed = 1; seed * length <= 100_000 && seed <= 20; seed += 1) {
      expect(await codeOf(noise(length, 0, 255, seed))).toBe('UNSUPPORTED_FORMAT');
      expect(await codeOf(noise(length, 32, 255, seed))).toBe('UNSUPPORTED_FORMAT');
      expect(await codeOf(noise(length, 128, 255, seed))).toBe('UNSUPPORTED_FORMAT');
    }
  });

  it('is refused as samples of a quiet recording', async () => {
    const eight = Buffer.from(Array.from({ length: 8000 }, (_, i) => 128 + Math.round(9 * Math.sin(i / 9))));
    const sixteen = Buffer.alloc(16_000);
    for (let i = 0; i < 8000; i += 1) sixteen.writeInt16LE(100 + Math.round(66 * Math.sin(i / 20)), i * 2);
    expect(await codeOf(eight)).toBe('UNSUPPORTED_FORMAT');
    expect(await codeOf(sixteen)).toBe('UNSUPPORTED_FORMAT');
    expect(await codeOf(Buffer.from(sixteen).swap16())).toBe('UNSUPPORTED_FORMAT');
  });

  it.each([2, 4])('is refused as integers of %i bytes', async (width) => {
    const bytes = Buffer.alloc(4000);
    const values = noise(4000, 0, 255, 3);
    for (let i = 0; i < bytes.length; i += width)
      bytes.writeUInt16LE(((values[i] ?? 0) << ((values[i + 1] ?? 0) % 5)) + 1, i);
    expect(await codeOf(bytes)).toBe('UNSUPPORTED_FORMAT');
  });

  it('is refused behind a header of text', async () => {
    const bytes = Buffer.concat([Buffer.from('Name: sample\nVersion: 1\n\n'), noise(4000, 128, 255)]);
    expect(await codeOf(bytes, 'sample.txt')).toBe('UNSUPPORTED_FORMAT');
  });
});

it('shows data far behind text as damage, not as letters', async () => {
  const script = `#!/bin/sh\n${'echo unpacking\n'.repeat(6000)}exit 0\n`;
  const bytes = Buffer.concat([Buffer.from(script), noise(50_000, 0, 255)]);
  const result = await readOk(reader, { name: 'install.sh', bytes }, { lines: '1-3' });
  expect(result.metadata.encoding?.name).toBe('utf-8');
  expect(result.warnings.map(({ code }) => code)).toContain('LOSSY_DECODE');
});

describe('a log with a hole of NUL bytes', () => {
  const hole = (length: number): Buffer =>
    Buffer.concat([Buffer.from('started\n'.repeat(40)), Buffer.alloc(length), Buffer.from('restarted\n')]);

  it.each([32, 500, 200_000])('of %i is read under the name of a log', async (length) => {
    expect(await codeOf(hole(length), 'server.log')).toBe('read as utf-8');
    expect(await codeOf(hole(length))).toBe('UNSUPPORTED_FORMAT');
  });

  it('shows what is before and after it, and says that it is there', async () => {
    const result = await readOk(reader, { name: 'server.log', bytes: hole(500) });
    expect(result.text).toMatch(/^(started\n){40}\0{500}restarted\n/);
    expect(result.warnings.map(({ message }) => message)).toEqual([
      'The text shown contains 500 control characters (U+0000), left unchanged.',
    ]);
  });
});

describe('text in legacy encodings', () => {
  const RUSSIAN = 'Заседание перенесено на завтра. Пожалуйста, подтвердите участие.\n';
  const JAPANESE = '会議は明日の午前に延期されました。今晩までにご連絡ください。';
  const CHINESE = '会议推迟到明天上午。请在今晚之前确认您是否出席，附件中有详细资料。';
  const KOREAN = '회의는 내일 오전으로 연기되었습니다. 오늘 저녁까지 알려 주세요. ';

  it.each([
    ['windows-1251', RUSSIAN],
    ['koi8-r', RUSSIAN],
    ['cp866', RUSSIAN],
    ['iso-8859-7', 'Η συνεδρίαση αναβλήθηκε για αύριο το πρωί. Παρακαλώ επιβεβαιώστε.\n'],
    ['windows-1252', 'La réunion est reportée à demain; l’été sera chaud, paraît-il.\n'],
    ['cp437', '\u2554\u2550\u2550\u2557\r\n\u2551 \u2592 \u2551\r\n\u255a\u2550\u2550\u255d\r\n'],
    ['shift_jis', JAPANESE],
    ['euc-jp', JAPANESE],
    ['gb18030', CHINESE],
    ['big5', '會議延到明天上午。請在今晚之前確認您是否出席，附件中有詳細資料。'],
    ['euc-kr', KOREAN],
    ['utf-16le', CHINESE + RUSSIAN],
    ['utf-16be', `${KOREAN}\n${JAPANESE}\n`],
    ['utf-32le', RUSSIAN + CHINESE],
  ])('%s reads, short and long', async (encoding, text) => {
    for (const times of [1, 3, 50, 2000]) {
      const bytes = iconv.encode(text.repeat(times), encoding);
      expect(await codeOf(bytes, 'notes.txt')).toMatch(/^read as /);
    }
  });
});
