// Content parts of OpenAI's three formats: texts, images, sounds and files, in a message or in a tool's output. Reads
// content and writes it back; does not handle messages.

import { mediaFromBase64, mediaFromBytes, mediaFromUrl, mediaUnknown } from '../media-facts.ts';
import { type Item, item, type MediaFacts } from '../message.ts';
import {
  base64Of,
  bytesOf,
  type Change,
  joined,
  listOf,
  type Native,
  nativeOf,
  textIn,
  weightOf,
} from '../native.ts';

/** A part: a text in the named field, media, or anything else with its weight in characters. */
type PartReading =
  | { readonly is: 'text'; readonly field: string; readonly text: string }
  | { readonly is: 'media'; readonly media: MediaFacts }
  | { readonly is: 'opaque'; readonly weight: number };

const TEXTS: ReadonlySet<unknown> = new Set([
  'text',
  'input_text',
  'output_text',
  'reasoning_text',
  'summary_text',
]);

function readPart(part: unknown): PartReading {
  const native = nativeOf(part);
  const type = native?.['type'];
  const field = type === 'refusal' ? 'refusal' : 'text';
  const text = TEXTS.has(type) || type === 'refusal' ? textIn(native, field) : null;
  if (text !== null) return { is: 'text', field, text };
  const media = native ? mediaOf(native) : null;
  return media ? { is: 'media', media } : { is: 'opaque', weight: weightOf(part) };
}

/** Facts of a media part; null for any other part. */
export function mediaOf(part: Native): MediaFacts | null {
  switch (part['type']) {
    case 'image_url':
      return located(textIn(part['image_url'], 'url') ?? part['image_url'], null, 'image');
    case 'input_image':
    case 'computer_screenshot':
      return located(part['image_url'] ?? part['image'] ?? part['data'], null, 'image');
    case 'image':
      return located(part['image'], null, 'image');
    case 'video_url':
      return located(textIn(part['video_url'], 'url') ?? part['video_url'], null, 'video');
    case 'input_audio':
    case 'audio': {
      const sound = part['input_audio'] ?? part['audio'];
      const format = textIn(sound, 'format') ?? textIn(part, 'format');
      return located(sound, format === null ? null : `audio/${format}`, 'audio');
    }
    case 'input_file':
      return located(part['file_data'] ?? part['file_url'] ?? part['file'], null, 'document');
    case 'file':
      return located(textIn(part['file'], 'file_data') ?? part['file'], null, 'document');
    default:
      return null;
  }
}

/** Facts of media given as a URL or base64 text, as bytes, or as an object that contains one of them or an id. */
function located(where: unknown, mimeType: string | null, type: MediaFacts['type']): MediaFacts {
  if (typeof where === 'string') {
    return /^[a-z][a-z+.-]{1,20}:/i.test(where.slice(0, 24))
      ? mediaFromUrl(where, mimeType, type)
      : mediaFromBase64(where, mimeType, type);
  }
  const bytes = bytesOf(where);
  if (bytes) return mediaFromBytes(bytes, mimeType, type);
  const native = nativeOf(where);
  if (!native) return mediaUnknown(mimeType, type);
  const declared = textIn(native, 'mediaType') ?? mimeType;
  const data = native['data'];
  const raw = bytesOf(data);
  if (raw) return mediaFromBytes(raw, declared, type);
  if (typeof data === 'string') return located(data, declared, type);
  const url = textIn(native, 'url');
  return url === null ? mediaUnknown(declared, type) : mediaFromUrl(url, declared, type);
}

/** Items of message content: one for a text, one per part of a list; null for anything else. */
export function speechItems(kind: 'system' | 'user' | 'text', content: unknown): readonly Item[] | null {
  if (typeof content === 'string') return [item(kind, { text: content })];
  if (!Array.isArray(content)) return null;
  // The APIs reject an empty list.
  if (content.length === 0) return [item(kind, { isBlank: true })];
  return content.map((part) => {
    const reading = readPart(part);
    if (reading.is === 'text') return item(kind, { text: reading.text });
    return reading.is === 'media'
      ? item('media', { media: reading.media })
      : item('opaque', { weight: reading.weight });
  });
}

/** How a format writes a text as a part. */
export type TextPart = (text: string) => Native;

/** The content with its items changed, indexed as in `speechItems`; undefined if nothing is left. */
export function editedSpeech(
  content: unknown,
  change: (index: number) => Change | undefined,
  textPart: TextPart,
): unknown {
  if (!Array.isArray(content)) {
    const only = change(0);
    return only?.removed ? undefined : (only?.text ?? content);
  }
  const left = content.flatMap((part: unknown, index) => editedPart(part, change(index), textPart));
  return left.length > 0 ? left : undefined;
}

function editedPart(part: unknown, change: Change | undefined, textPart: TextPart): readonly unknown[] {
  if (!change) return [part];
  if (change.removed) return [];
  if (change.media !== null) return [textPart(change.media)];
  const reading = readPart(part);
  if (change.text === null || reading.is !== 'text') return [part];
  return [{ ...nativeOf(part), [reading.field]: change.text }];
}

/** `content` with text parts added at its end. */
export function appendedSpeech(content: unknown, texts: readonly string[], textPart: TextPart): unknown {
  if (texts.length === 0) return content;
  const before = typeof content === 'string' && content !== '' ? [textPart(content)] : listOf(content);
  return [...before, ...texts.map(textPart)];
}

/** Items of a tool's output: the result with all its text, then its media; `facts` are the result's. */
export function resultItems(facts: Partial<Item>, output: unknown): readonly Item[] {
  if (typeof output === 'string') return [item('result', { ...facts, text: output })];
  const readings = partsOf(output).map(readPart);
  const text = joined(readings.map((reading) => (reading.is === 'text' ? reading.text : null)));
  const weight = readings.reduce((sum, reading) => sum + (reading.is === 'opaque' ? reading.weight : 0), 0);
  const { callId = null, sealed = false } = facts;
  return [
    item('result', { ...facts, text, weight }),
    ...readings.flatMap((reading) =>
      reading.is === 'media' ? [item('media', { callId, sealed, media: reading.media })] : [],
    ),
  ];
}

/** Parts of an output that is a list or a single part. */
function partsOf(output: unknown): readonly unknown[] {
  return output === undefined || output === null || Array.isArray(output) ? listOf(output) : [output];
}

/**
 * The output with its items changed, indexed as in `resultItems`. A new text replaces the first text, or precedes all
 * media. Does not remove the result itself.
 */
export function editedResult(
  output: unknown,
  change: (index: number) => Change | undefined,
  textPart: TextPart,
): unknown {
  const text = change(0)?.text ?? null;
  if (typeof output === 'string') return text ?? output;
  if (!Array.isArray(output)) return editedAlone(output, text, change(1), textPart);
  let media = 0;
  let placed = text === null;
  const parts = output.flatMap((part: unknown): readonly unknown[] => {
    const reading = readPart(part);
    if (reading.is === 'media') {
      media += 1;
      return editedPart(part, change(media), textPart);
    }
    if (reading.is !== 'text' || text === null) return [part];
    if (placed) return [];
    placed = true;
    return [{ ...nativeOf(part), [reading.field]: text }];
  });
  if (!placed && text !== null) parts.unshift(textPart(text));
  return parts.length > 0 ? parts : '';
}

/** An output that is a single part: a text replaces it, or precedes an image that stays. */
function editedAlone(
  part: unknown,
  text: string | null,
  media: Change | undefined,
  textPart: TextPart,
): unknown {
  const reading = readPart(part);
  if (reading.is === 'text' && text !== null) return { ...nativeOf(part), [reading.field]: text };
  if (reading.is === 'media' && !media && text !== null) return [textPart(text), listedPart(part)];
  return text !== null || media ? joined([text, media?.removed ? null : (media?.media ?? null)]) : part;
}

/** The Agents SDK uses other field names for images and files in a list than for a single one. */
function listedPart(part: unknown): unknown {
  const native = nativeOf(part);
  const type = native?.['type'];
  if (!native || (type !== 'image' && type !== 'file')) return part;
  const where = native[type];
  const { type: _type, [type]: _where, ...rest } = native;
  const filename = textIn(where, 'filename');
  return {
    type: `input_${type}`,
    [type]: listedSource(where, type),
    ...(filename === null ? {} : { filename }),
    ...rest,
  };
}

function listedSource(where: unknown, type: 'image' | 'file'): unknown {
  const native = nativeOf(where);
  if (!native) return where;
  const bytes = bytesOf(native['data']);
  const base64 = bytes ? base64Of(bytes) : textIn(native, 'data');
  if (base64 !== null) {
    return `data:${textIn(native, 'mediaType') ?? 'application/octet-stream'};base64,${base64}`;
  }
  const id = native['fileId'] ?? native['id'];
  if (id !== undefined) return { id };
  const url = native['url'];
  // For an image, a URL is a plain string; for a file, an object.
  return url === undefined ? where : type === 'image' ? url : { url };
}
