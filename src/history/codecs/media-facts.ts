// Facts about an image, sound or document in a message without decoding it: type, size, and an image's width and height
// from its first bytes. Does not load URLs or check that the data is complete.

import type { MediaFacts } from './message.ts';
import { bytesOf, guarded, isBase64, isEncrypted } from './native.ts';

/** Bytes decoded to find an image's dimensions. */
const HEADER_BYTES = 64 * 1024;

/** `image/png` is an image, `application/pdf` and text are documents; null and unknown types give `other`. */
export function mediaTypeOf(mimeType: string | null): MediaFacts['type'] {
  const type = mimeType?.toLowerCase() ?? '';
  for (const known of ['image', 'audio', 'video'] as const) if (type.startsWith(`${known}/`)) return known;
  return /^(?:text|application)\//.test(type) && type !== 'application/octet-stream' ? 'document' : 'other';
}

/**
 * Facts from bytes. An image header takes precedence over `mimeType`; `type` applies if neither determines the type.
 */
export function mediaFromBytes(
  bytes: Uint8Array,
  mimeType: string | null,
  type: MediaFacts['type'] = 'other',
): MediaFacts {
  return fromHeader(bytes.subarray(0, HEADER_BYTES), bytes.length, mimeType, type);
}

/** Like `mediaFromBytes`, from base64; decodes only the first 64 KB. */
export function mediaFromBase64(
  base64: string,
  mimeType: string | null,
  type: MediaFacts['type'] = 'other',
): MediaFacts {
  const header = Buffer.from(base64.slice(0, Math.ceil(HEADER_BYTES / 3) * 4), 'base64');
  return fromHeader(header, Buffer.byteLength(base64, 'base64'), mimeType, type);
}

/** Facts from a URL. A data URL is decoded; for any other, only the caller's information is used. */
export function mediaFromUrl(
  url: string,
  mimeType: string | null = null,
  type: MediaFacts['type'] = 'other',
): MediaFacts {
  const data = /^data:([^,;]{0,100})((?:;[^,;]{0,100}){0,10}),/i.exec(url.slice(0, 1200));
  if (!data) return mediaUnknown(mimeType, type);
  const declared = data[1] || mimeType;
  const body = url.slice(data[0].length);
  if (/;base64$/i.test(data[2] ?? '')) return mediaFromBase64(body, declared, type);
  return { ...mediaUnknown(declared, type), bytes: body.length };
}

/** Facts of media stored elsewhere, known by an id or URL. */
export function mediaUnknown(mimeType: string | null, type: MediaFacts['type'] = 'other'): MediaFacts {
  const known = mediaTypeOf(mimeType);
  return { type: known === 'other' ? type : known, mimeType, bytes: null, width: null, height: null };
}

/** Facts of media given as bytes, a URL or base64; otherwise only what the caller knows. */
export function mediaFrom(where: unknown, mimeType: string | null, type?: MediaFacts['type']): MediaFacts {
  const bytes = bytesOf(where);
  if (bytes) return mediaFromBytes(bytes, mimeType, type);
  const text = where instanceof URL ? where.href : where;
  if (typeof text !== 'string') return mediaUnknown(mimeType, type);
  return /^(?:data:|[a-z][a-z\d+.-]{1,20}:\/\/)/i.test(text.slice(0, 30))
    ? mediaFromUrl(text, mimeType, type)
    : mediaFromBase64(text, mimeType, type);
}

/** Fields that name the type of the data beside them. */
const TYPE_FIELDS = ['media_type', 'mimeType', 'mime_type'];

/**
 * Facts of all media inside `value` that are given as base64 or bytes, and whether it has encrypted fields, which are not
 * media. Fields in `without` are passed over at any level.
 */
export function mediaInside(
  value: unknown,
  without: readonly string[] = [],
): { readonly media: readonly MediaFacts[]; readonly isSealed: boolean } {
  const media: MediaFacts[] = [];
  let isSealed = false;
  const seen = new Set<object>();
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next !== 'object' || next === null || seen.has(next)) continue;
    seen.add(next);
    const names = guarded(() => Object.keys(next), []);
    const fieldOf = (name: string): unknown => guarded<unknown>(() => Reflect.get(next, name), null);
    const typed = names.find((name) => TYPE_FIELDS.includes(name));
    const type = typed === undefined ? null : fieldOf(typed);
    for (const name of names) {
      if (without.includes(name)) continue;
      const field = fieldOf(name);
      if (isEncrypted(name)) isSealed ||= typeof field === 'string';
      else if (typeof field === 'string' ? isBase64(field) : bytesOf(field) !== null)
        media.push(mediaFrom(field, typeof type === 'string' ? type : null, 'image'));
      else waiting.push(field);
    }
  }
  return { media, isSealed };
}

/** Facts of a document given as its text. */
export function mediaOfText(text: string, mimeType: string | null = 'text/plain'): MediaFacts {
  return { ...mediaUnknown(mimeType, 'document'), bytes: Buffer.byteLength(text) };
}

function fromHeader(
  header: Uint8Array,
  bytes: number,
  mimeType: string | null,
  type: MediaFacts['type'],
): MediaFacts {
  const picture = pictureOf(header);
  if (!picture) return { ...mediaUnknown(mimeType, type), bytes };
  const [width, height] = picture.size ?? [0, 0];
  const known = width > 0 && height > 0;
  return {
    type: 'image',
    mimeType: picture.mimeType,
    bytes,
    width: known ? width : null,
    height: known ? height : null,
  };
}

/** Null if the header is incomplete. */
type Dimensions = readonly [width: number, height: number] | null;

function pictureOf(bytes: Uint8Array): { readonly mimeType: string; readonly size: Dimensions } | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { byteLength: length } = view;
  const ascii = (from: number, to: number): string => String.fromCharCode(...bytes.subarray(from, to));
  if (ascii(0, 8) === '\x89PNG\r\n\x1a\n')
    return { mimeType: 'image/png', size: length < 24 ? null : [view.getUint32(16), view.getUint32(20)] };
  if (/^GIF8[79]a$/.test(ascii(0, 6)))
    return {
      mimeType: 'image/gif',
      size: length < 10 ? null : [view.getUint16(6, true), view.getUint16(8, true)],
    };
  if (bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff)
    return { mimeType: 'image/jpeg', size: jpegSize(view) };
  if (ascii(0, 4) === 'RIFF' && ascii(8, 12) === 'WEBP')
    return { mimeType: 'image/webp', size: webpSize(view, ascii(12, 16)) };
  return null;
}

/** Walks the segments to the start of frame (ITU T.81, B.2.2): SOF0 to SOF15 except DHT, JPG and DAC. */
function jpegSize(view: DataView): Dimensions {
  let at = 2;
  while (at + 9 <= view.byteLength) {
    if (view.getUint8(at) !== 0xff) break;
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) at += 1;
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) at += 2;
    else if (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc) {
      return [view.getUint16(at + 7), view.getUint16(at + 5)];
    } else if (marker === 0xda || marker === 0xd9) break;
    else at += 2 + Math.max(2, view.getUint16(at + 2));
  }
  return null;
}

/**
 * RFC 9649: VP8X stores the canvas size minus 1 in 24 bits, VP8L in 14 bits each, VP8 in 14 bits after its start code.
 */
function webpSize(view: DataView, chunk: string): Dimensions {
  if (view.byteLength >= 30 && chunk === 'VP8X') {
    const side = (at: number): number => view.getUint16(at, true) + view.getUint8(at + 2) * 0x10000 + 1;
    return [side(24), side(27)];
  }
  if (view.byteLength >= 25 && chunk === 'VP8L' && view.getUint8(20) === 0x2f) {
    const bits = view.getUint32(21, true);
    return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1];
  }
  if (view.byteLength >= 30 && chunk === 'VP8 ') {
    return [view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff];
  }
  return null;
}
