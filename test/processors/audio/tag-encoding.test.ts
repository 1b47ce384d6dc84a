// Tags of ID3v1, ID3v2 and RIFF, whose declared ISO-8859-1 writers ignore.

import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { createReader } from '../../../src/index.ts';

const reader = createReader({ environment: {}, cache: false });

function frames(): Buffer {
  const frame = Buffer.alloc(417);
  frame.set([0xff, 0xfb, 0x90, 0]);
  return Buffer.concat(Array.from({ length: 20 }, () => frame));
}

function id3v1(title: Buffer, artist: Buffer): Buffer {
  const tag = Buffer.alloc(128);
  tag.write('TAG');
  title.copy(tag, 3, 0, 30);
  artist.copy(tag, 33, 0, 30);
  return Buffer.concat([frames(), tag]);
}

function id3v2(title: Buffer, artist: Buffer, encoding = 0): Buffer {
  const frame = (name: string, text: Buffer): Buffer => {
    const head = Buffer.alloc(11);
    head.write(name);
    head.writeUInt32BE(text.length + 1, 4);
    head[10] = encoding;
    return Buffer.concat([head, text]);
  };
  const body = Buffer.concat([frame('TIT2', title), frame('TPE1', artist)]);
  const head = Buffer.from([0x49, 0x44, 0x33, 3, 0, 0, 0, 0, body.length >> 7, body.length & 0x7f]);
  return Buffer.concat([head, body, frames()]);
}

function wav(title: Buffer): Buffer {
  const chunk = (name: string, ...content: Buffer[]): Buffer => {
    const data = Buffer.concat(content);
    const head = Buffer.alloc(8);
    head.write(name);
    head.writeUInt32LE(data.length, 4);
    return Buffer.concat([head, data, Buffer.alloc(data.length & 1)]);
  };
  const format = Buffer.from([1, 0, 1, 0, 0x40, 0x1f, 0, 0, 0x40, 0x1f, 0, 0, 1, 0, 8, 0]);
  const list = chunk('LIST', Buffer.from('INFO'), chunk('INAM', title));
  return chunk(
    'RIFF',
    Buffer.from('WAVE'),
    chunk('fmt ', format),
    list,
    chunk('data', Buffer.alloc(100, 128)),
  );
}

async function tagsOf(bytes: Buffer, name = 'a.mp3'): Promise<unknown> {
  const result = await reader.read({ name, bytes });
  if (!result.success) throw new Error(result.error.message);
  const { title, artist } = result.metadata as { title?: string; artist?: string };
  return { title, artist, warnings: result.warnings.map(({ message }) => message) };
}

describe.each([
  ['ID3v1', id3v1],
  ['ID3v2', id3v2],
])('tags of %s', (_, tagged) => {
  it.each([
    ['windows-1251', 'Группа крови', 'Кино'],
    ['windows-1250', 'Žluťoučký kůň', 'Jiří Dvořák'],
    ['shift_jis', '夜に駆ける', '宇多田ヒカル'],
  ])('in %s are read as that, with a warning', async (encoding, title, artist) =>
    expect(await tagsOf(tagged(iconv.encode(title, encoding), iconv.encode(artist, encoding)))).toEqual({
      title,
      artist,
      warnings: [`Tags declare no encoding; they are read as ${encoding}.`],
    }),
  );

  it.each([
    ['utf8', 'Größe', 'Jürgen'],
    ['latin1', 'Été', 'Zoé'],
    ['windows-1252', 'It’s – café', 'Beyoncé'],
  ])('in %s are no guess', async (encoding, title, artist) =>
    expect(await tagsOf(tagged(iconv.encode(title, encoding), iconv.encode(artist, encoding)))).toEqual({
      title,
      artist,
      warnings: [],
    }),
  );
});

it('leaves tags in UTF-16 as they are', async () => {
  const mark = Buffer.from([0xff, 0xfe]);
  const text = (value: string): Buffer => Buffer.concat([mark, Buffer.from(value, 'utf16le')]);
  expect(await tagsOf(id3v2(text('Ã©tÃ©'), text('Été'), 1))).toEqual({
    title: 'Ã©tÃ©',
    artist: 'Été',
    warnings: [],
  });
});

it('reads RIFF in the same way', async () => {
  expect(await tagsOf(wav(iconv.encode('Группа крови', 'windows-1251')), 'a.wav')).toMatchObject({
    title: 'Группа крови',
  });
  expect(await tagsOf(wav(Buffer.from('Größe')), 'a.wav')).toMatchObject({ title: 'Größe', warnings: [] });
});
