// Images, sounds and documents in parts of the AI SDK, in a message or a result, and the text that replaces one.

import { mediaFrom, mediaOfText, mediaUnknown } from '../media-facts.ts';
import type { MediaFacts } from '../message.ts';
import { type Native, nativeOf, textIn } from '../native.ts';

/** Facts of `data`: bytes, base64, a URL, or one of these tagged as in version 7. */
export function mediaOf(data: unknown, part: Native, type?: MediaFacts['type']): MediaFacts {
  const mimeType = textIn(part, 'mediaType') ?? textIn(part, 'mimeType');
  const tagged = nativeOf(data);
  switch (tagged?.['type']) {
    case 'data':
      return mediaFrom(tagged['data'], mimeType, type);
    case 'url':
      return mediaFrom(String(tagged['url']), mimeType, type);
    case 'text':
      return mediaOfText(textIn(tagged, 'text') ?? '', mimeType);
    default:
      return mediaFrom(data, mimeType, type);
  }
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
      return mediaFrom(textIn(entry, 'url'), textIn(entry, 'mediaType'), type);
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
