// What a picture character of a Word file stands for ([MS-DOC] 2.9.190 PICF, 2.9.158 NilPICFAndBinData): a picture with
// its alternative text, or the state of a form field.

import { u8, u16, u32, utf16 } from '../office97/bytes.ts';
import { ART, recordsIn, ShapeProperties } from '../office97/records.ts';

export type Picture =
  | { readonly kind: 'none' }
  | { readonly kind: 'picture'; readonly description: string }
  | { readonly kind: 'form'; readonly text: string };

/** Formats of picture data: a shape, or a shape and a file's name ([MS-DOC] 2.9.152, mm). */
const SHAPE = 0x64;
const SHAPE_FILE = 0x66;
const FORM = 0xffffffff;
const MAX_TEXT = 255;

/** The picture at a place in the data stream. */
export function readPicture(data: Buffer, at: number): Picture {
  const length = u32(data, at);
  const head = u16(data, at + 4);
  if (length === 0 || at + head > data.length) return { kind: 'none' };
  const end = Math.min(data.length, at + length);
  if (u32(data, at + head) === FORM) return { kind: 'form', text: formText(data.subarray(at + head, end)) };
  const format = u16(data, at + 6);
  // Data of a link, which is in its field too.
  if (format === 0) return { kind: 'none' };
  let from = at + head;
  if (format === SHAPE_FILE) from += 1 + u8(data, from);
  else if (format !== SHAPE) return { kind: 'picture', description: '' };
  const [shape] = recordsIn(data, from, end);
  return {
    kind: 'picture',
    description: shape?.type === ART.shape ? new ShapeProperties(data, shape).description : '',
  };
}

/** The state of a form field ([MS-DOC] 2.9.78, FFData): a ticked box, the selected entry; `''` for a text field. */
function formText(data: Buffer): string {
  const flags = u16(data, 4);
  const kind = flags & 3;
  if (kind === 0) return '';
  const stated = (flags >> 2) & 31;
  let at = 10;
  const text = (): string => {
    const length = u16(data, at);
    const found = utf16(data, at + 2, Math.min(length, MAX_TEXT));
    at += 4 + length * 2;
    return found;
  };
  text();
  const initial = u16(data, at);
  at += 2;
  const value = stated === 25 ? initial : stated;
  if (kind === 1) return value === 0 ? '☐' : '☒';
  // The texts before the entries: a format, two of help, two macros.
  for (let skipped = 0; skipped < 5; skipped += 1) text();
  const count = Math.min(25, u16(data, at + 2));
  at += 6;
  for (let index = 0; index < count; index += 1) {
    const length = u16(data, at);
    if (index === value) return utf16(data, at + 2, Math.min(length, MAX_TEXT));
    at += 2 + length * 2;
  }
  return '';
}
