// Images, sounds and documents in parts of the AI SDK, in a message or a result, and the text that replaces one.

import { mediaFromBase64, mediaFromBytes, mediaFromUrl, mediaUnknown } from '../media-facts.ts';
import type { MediaFacts } from '../message.ts';
import { bytesOf, type Native, nativeOf, textIn } from '../native.ts';

/** Facts of `data`: bytes, base64, a URL, or one of these tagged as in version 7. */
export function mediaOf(data: unknown, part: Native, type: MediaFacts['type'] = 'other'): MediaFacts {
  const mimeType = textIn(part, 'mediaType') ?? textIn(part, 'mimeType');
  const bytes = bytesOf(data);
  if (bytes) return mediaFromBytes(bytes, mimeType, type);
  if (data instanceof URL) return mediaFromUrl(data.href, mimeType, type);
  if (typeof data === 'string') {
    return isAddress(data) ? mediaFromUrl(data, mimeType, type) : mediaFromBase64(data, mimeType, type);
  }
  const tagged = nativeOf(data);
  if (tagged?.['type'] === 'data' && nativeOf(tagged['data'])?.['type'] === undefined) {
    return mediaOf(tagged['data'], part, type);
  }
  if (tagged?.['type'] === 'url') return mediaFromUrl(String(tagged['url']), mimeType, type);
  if (tagged?.['type'] === 'text') {
    const length = Buffer.byteLength(textIn(tagged, 'text') ?? '');
    return { ...mediaUnknown(mimeType, 'document'), bytes: length };
  }
  return mediaUnknown(mimeType, type);
}

function isAddress(text: string): boolean {
  return /^(?:data:|[a-z][a-z0-9+.-]{1,20}:\/\/)/i.test(text.slice(0, 30));
}

/** Facts of a media entry in a result's list; null for any other entry. */
export function outputMedia(entry: Native): MediaFacts | null {
  switch (entry['type']) {
    case 'media':
    case 'file-data':
    case 'file':
      return mediaOf(entry['data'], entry);
    case 'image-data':
    case 'image':
      return mediaOf(entry['data'] ?? entry['image'], entry, 'image');
    case 'file-url':
    case 'image-url': {
      const type = entry['type'] === 'image-url' ? 'image' : 'other';
      return mediaFromUrl(textIn(entry, 'url') ?? '', textIn(entry, 'mediaType'), type);
    }
    case 'file-id':
    case 'image-file-id':
      return mediaUnknown(null, entry['type'] === 'image-file-id' ? 'image' : 'other');
    default:
      return null;
  }
}

/** A text that replaces `part` and keeps its options, which may include a cache mark. */
export function textInstead(text: string, part: Native | null): Native {
  const options = part?.['providerOptions'];
  return { type: 'text', text, ...(options === undefined ? {} : { providerOptions: options }) };
}
