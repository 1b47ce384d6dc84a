// Entries of contents in the formats of OpenAI and those like them: texts, images, sounds and files, in a message or in a
// tool's output.

import type { Entries } from '../content.ts';
import { mediaFrom } from '../media-facts.ts';
import type { MediaFacts } from '../message.ts';
import { bytesOf, type Native, nativeOf, textIn } from '../native.ts';

const TEXT = /^(?:(?:input_|output_|reasoning_|summary_)?text|refusal)$/;

function textField(part: Native | null): string | null {
  const type = textIn(part, 'type') ?? '';
  const field = type === 'refusal' ? type : 'text';
  return TEXT.test(type) && textIn(part, field) !== null ? field : null;
}

/** Entries of a format that writes a new text with `make`. */
export function entriesWith(make: (text: string) => Native): Entries {
  return {
    read: (entry) => {
      const part = nativeOf(entry);
      const field = textField(part);
      if (field !== null) return { text: textIn(part, field) ?? '', field };
      const media = part && mediaOf(part);
      return media && { media };
    },
    part: (text, [from]) => {
      const part = nativeOf(from);
      const field = textField(part);
      return field === null ? make(text) : { ...part, [field]: text };
    },
    none: '',
  };
}

/** Media part types: their type of media, and the fields with the media. */
const MEDIA: ReadonlyMap<unknown, readonly [MediaFacts['type'], ...string[]]> = new Map<
  unknown,
  readonly [MediaFacts['type'], ...string[]]
>([
  ['image_url', ['image', 'image_url', 'imageUrl']],
  ['input_image', ['image', 'image_url', 'image']],
  ['computer_screenshot', ['image', 'image_url', 'image', 'data']],
  ['image', ['image', 'image']],
  ['video_url', ['video', 'video_url']],
  ['input_audio', ['audio', 'input_audio', 'inputAudio']],
  ['audio', ['audio', 'audio']],
  ['input_file', ['document', 'file_data', 'file_url', 'file']],
  ['document_url', ['document', 'documentUrl']],
  ['file', ['document', 'file']],
]);

/** Facts of a media part; null for any other part. */
export function mediaOf(part: Native): MediaFacts | null {
  const [type, ...fields] = MEDIA.get(part['type']) ?? [];
  if (!type) return null;
  const where = fields.map((name) => part[name]).find((value) => value !== undefined && value !== null);
  const inner = bytesOf(where) ? null : nativeOf(where);
  const format = textIn(inner, 'format') ?? textIn(part, 'format');
  const mimeType =
    textIn(inner, 'mediaType') ?? (type === 'audio' && format !== null ? `audio/${format}` : null);
  if (!inner) return mediaFrom(where, mimeType, type);
  return mediaFrom(inner['data'] ?? inner['file_data'] ?? inner['url'], mimeType, type);
}
