import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  mediaFromBase64,
  mediaFromBytes,
  mediaFromUrl,
  mediaTypeOf,
  mediaUnknown,
} from '../../../src/history/codecs/media-facts.ts';

function bytes(...parts: (string | readonly number[])[]): Uint8Array {
  return Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))),
  );
}

const PNG = bytes('\x89PNG\r\n\x1a\n', [0, 0, 0, 13], 'IHDR', [0, 0, 4, 0, 0, 0, 3, 0], [8, 6, 0, 0, 0]);
const GIF = bytes('GIF89a', [0x40, 0x01, 0xf0, 0x00, 0, 0, 0]);
const FRAME = [0xff, 0xc2, 0, 17, 8, 0x02, 0x58, 0x03, 0x20, 3, 1, 0x22, 0];
const JPEG = bytes(
  [0xff, 0xd8, 0xff, 0xe0, 0, 16],
  'JFIF\0\x01\x01\0\0\x01\0\x01\0\0',
  [0xff, 0xc4, 0, 4, 1, 2],
  [0xff, 0xff],
  FRAME.slice(1),
);
const WEBP_X = bytes('RIFF\0\0\0\0WEBPVP8X', [10, 0, 0, 0, 0, 0, 0, 0, 0x7f, 0x07, 0, 0x37, 0x04, 0]);
const WEBP_L = bytes('RIFF\0\0\0\0WEBPVP8L', [5, 0, 0, 0, 0x2f, 0x63, 0xc0, 0x18, 0, 0, 0, 0, 0, 0, 0]);
const WEBP = bytes('RIFF\0\0\0\0WEBPVP8 ', [9, 0, 0, 0, 0, 0, 0, 0x9d, 0x01, 0x2a], [0x80, 0x02, 0xe0, 0x41]);

describe('media facts', () => {
  it.each([
    ['png', PNG, 'image/png', 1024, 768],
    ['gif', GIF, 'image/gif', 320, 240],
    ['jpeg', JPEG, 'image/jpeg', 800, 600],
    ['webp, extended', WEBP_X, 'image/webp', 1920, 1080],
    ['webp, lossless', WEBP_L, 'image/webp', 100, 100],
    ['webp', WEBP, 'image/webp', 640, 480],
  ])('reads the size of a %s from its header', (name, data, mimeType, width, height) => {
    const facts = { type: 'image', mimeType, bytes: data.length, width, height };
    const base64 = Buffer.from(data).toString('base64');
    expect(mediaFromBytes(data, 'image/wrong')).toEqual(facts);
    expect(mediaFromBase64(base64, null)).toEqual(facts);
    expect(mediaFromUrl(`data:image/wrong;charset=x;base64,${base64}`)).toEqual(facts);
    const short = name === 'gif' ? 8 : 16;
    const cut = mediaFromBytes(data.subarray(0, short), null);
    expect(cut).toEqual({ ...facts, bytes: short, width: null, height: null });
  });

  it('decodes 64 KB at most', () => {
    const far = bytes([0xff, 0xd8], [0xff, 0xe1, 0xff, 0xff], [...new Uint8Array(65_533)], FRAME);
    expect(mediaFromBytes(far, null)).toMatchObject({ mimeType: 'image/jpeg', width: null });
    const long = 'A'.repeat(8_000_000);
    expect(mediaFromBase64(long, 'image/png')).toMatchObject({
      type: 'image',
      bytes: 6_000_000,
      width: null,
    });
  });

  it('uses the declared facts if the bytes reveal none', () => {
    expect(mediaFromUrl('https://example.com/a.png', null, 'image')).toEqual(mediaUnknown(null, 'image'));
    expect(mediaFromUrl('data:text/plain,abc')).toMatchObject({ type: 'document', bytes: 3 });
    expect(mediaFromUrl('data:,abc', null, 'audio')).toMatchObject({ type: 'audio', mimeType: null });
    expect(
      ['image/x', 'AUDIO/x', 'video/x', 'application/pdf', 'text/x', 'application/octet-stream', null].map(
        mediaTypeOf,
      ),
    ).toEqual(['image', 'audio', 'video', 'document', 'document', 'other', 'other']);
  });

  it('never throws for any bytes or text', () => {
    const heads = [PNG, GIF, JPEG, WEBP, WEBP_L, WEBP_X];
    fc.assert(
      fc.property(fc.constantFrom(...heads), fc.nat(40), fc.uint8Array(), (head, cut, rest) => {
        mediaFromBytes(bytes([...head.subarray(0, cut)], [...rest]), null);
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        mediaFromBase64(text, text);
        mediaFromUrl(`data:${text}`, text);
        mediaFromUrl(text);
      }),
    );
  });
});
