// Bounds the time a drawing takes: the library cannot be interrupted while it lays out text, and layout time grows with
// the square of the text length. Scans the SVG source without rendering it.

import { type Bytes, ReaderError } from '../../src/contract/index.ts';

/** A drawing of this size that is one path takes about ten seconds to render. */
const MAX_BYTES: Bytes = 4 * 1024 * 1024;
/** Characters of one text. 5000 take about a second to lay out, 20 000 half a minute. */
const MAX_TEXT = 4000;
/** Characters of all texts together. */
const MAX_TEXTS = 100_000;
const MAX_ENTITIES = 1000;

function refusal(message: string): ReaderError {
  return new ReaderError('LIMIT_EXCEEDED', message, 'Leave `region` and `detail` out to read it as text.');
}

/**
 * @throws {ReaderError} LIMIT_EXCEEDED for a drawing that is too large to render; UNSUPPORTED_FORMAT for its encoding
 */
export function checkDrawing(bytes: Uint8Array): void {
  if (bytes.length > MAX_BYTES)
    throw refusal(`The drawing has ${bytes.length} bytes; at most ${MAX_BYTES} can be rendered.`);
  const source = new TextDecoder('latin1').decode(bytes);
  const encoding = /^[^<]*<\?xml[^>]*encoding\s*=\s*["']([^"']*)/.exec(source.slice(0, 1000))?.[1] ?? 'utf-8';
  if (source.includes('\0') || !/^(?:utf-?8|us-ascii|iso-8859-1)$/i.test(encoding))
    throw new ReaderError(
      'UNSUPPORTED_FORMAT',
      'The drawing is not UTF-8, the only encoding that can be rendered.',
      'Leave `region` and `detail` out to read it as text.',
    );
  const entities = entityLengths(source);
  let total = 0;
  // Each text up to its end or the start of the next: everything in between is laid out together.
  for (const piece of source.split(/<(?:[\w-]+:)?text[\s>]/).slice(1)) {
    const inside = piece.split(/<\/(?:[\w-]+:)?text\s*>/, 1)[0] ?? '';
    const length = expanded(withoutTags(inside), entities);
    total += length;
    if (length > MAX_TEXT || total > MAX_TEXTS)
      throw refusal(`The drawing has texts of more than ${MAX_TEXT} characters, which cannot be rendered.`);
  }
}

/** Runs in linear time on any text, unlike a regular expression for tags. */
function withoutTags(text: string): string {
  return text
    .split('<')
    .map((piece, i) => (i === 0 ? piece : piece.slice(piece.indexOf('>') + 1)))
    .join('');
}

/** The expanded length of each internal entity. */
function entityLengths(source: string): ReadonlyMap<string, number> {
  const lengths = new Map<string, number>();
  for (const [, name = '', one, other] of source.matchAll(
    /<!ENTITY\s+([\w:.-]+)\s+(?:"([^"]*)"|'([^']*)')/g,
  )) {
    if (lengths.size >= MAX_ENTITIES)
      throw refusal(`The drawing declares more than ${MAX_ENTITIES} entities.`);
    const length = expanded(one ?? other ?? '', lengths);
    if (length > MAX_TEXT)
      throw refusal(`The drawing declares an entity of more than ${MAX_TEXT} characters.`);
    lengths.set(name, length);
  }
  return lengths;
}

function expanded(text: string, entities: ReadonlyMap<string, number>): number {
  let length = text.length;
  for (const [, name = ''] of text.matchAll(/&([\w:.-]+);/g)) length += entities.get(name) ?? 0;
  return length;
}
