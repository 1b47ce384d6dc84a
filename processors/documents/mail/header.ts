// Parses mail header fields (RFC 5322): unfolds them and decodes encoded words (RFC 2047) and parameters (RFC 2045, RFC
// 2231). Linear time on any input.

import { type Codec, encodingOfFields, type FieldEncoding } from '../../../src/encoding/index.ts';
import { decodeWord, tellingCharset } from './charset.ts';

/** One field, in mail order. `raw` is unfolded; its bytes are Latin-1 until their encoding is known. */
export interface HeaderField {
  /** Lower case. */
  readonly name: string;
  readonly raw: string;
}

/** A field such as `text/plain; charset=utf-8`. Names are lower case. */
export interface Parameterized {
  /** Lower case. */
  readonly value: string;
  readonly parameters: ReadonlyMap<string, string>;
}

const MAX_FIELDS = 2000;
const MAX_VALUE = 64 * 1024;

/** The fields of a header block, and whether it has more than are read. */
export function readFields(block: Uint8Array): {
  readonly fields: readonly HeaderField[];
  readonly more: boolean;
} {
  const lines = Buffer.from(block.buffer, block.byteOffset, block.byteLength)
    .toString('latin1')
    .split(/\r\n|\n|\r/);
  const fields: { name: string; pieces: string[]; length: number }[] = [];
  for (const line of lines) {
    const last = fields.at(-1);
    if (/^[ \t]/.test(line)) {
      // The rest of an overlong value is dropped.
      if (last && last.length < MAX_VALUE) {
        last.pieces.push(line.replace(/^[ \t]+/, ' '));
        last.length += line.length;
      }
      continue;
    }
    const match = /^([!-9;-~]{1,200})[ \t]*:/.exec(line);
    if (!match?.[1]) continue;
    if (fields.length >= MAX_FIELDS) return { fields: joined(fields), more: true };
    const value = line.slice(match[0].length, match[0].length + MAX_VALUE);
    fields.push({ name: match[1].toLowerCase(), pieces: [value], length: value.length });
  }
  return { fields: joined(fields), more: false };
}

const joined = (fields: readonly { name: string; pieces: string[] }[]): HeaderField[] =>
  fields.map(({ name, pieces }) => ({ name, raw: pieces.join('').trim() }));

/** `fields` with the text decoded that declares no charset. */
export const decodeFields = (fields: readonly HeaderField[], decode: Codec): HeaderField[] =>
  fields.map(({ name, raw }) => {
    const text = BEYOND_ASCII.test(raw) ? decode(Buffer.from(raw, 'latin1')) : raw;
    const whole = text.replace(WORD, (word, charset: string, form: string, payload: string) =>
      tellingCharset(charset) === undefined ? decode(bytesOfWord(form, payload)) : word,
    );
    return { name, raw: whole };
  });

const BEYOND_ASCII = /[\u0080-\u00ff]/;

/** The encoding of text in `fields`, read without one, that declares none; `charset` is that of the mail's text. */
export function encodingOfHeader(fields: Iterable<HeaderField>, charset: string): Promise<FieldEncoding> {
  return encodingOfFields(undeclared(fields), { beside: tellingCharset(charset) });
}

/** True if the value has text that declares no charset. */
export const isUndeclared = (raw: string): boolean => !undeclared([{ name: '', raw }]).next().done;

function* undeclared(fields: Iterable<HeaderField>): Generator<Uint8Array> {
  for (const { raw } of fields) {
    if (BEYOND_ASCII.test(raw)) yield Buffer.from(raw, 'latin1');
    for (const [, charset = '', form = '', payload = ''] of raw.matchAll(WORD))
      if (tellingCharset(charset) === undefined) yield bytesOfWord(form, payload);
  }
}

/** The fields of a header block, judged alone; `encoding` is that of text that declares none. */
export async function readHeader(block: Uint8Array): Promise<{
  readonly fields: readonly HeaderField[];
  readonly encoding: FieldEncoding | undefined;
}> {
  const { fields } = readFields(block);
  if (!fields.some(({ raw }) => isUndeclared(raw))) return { fields, encoding: undefined };
  const type = readParameters(fieldOf(fields, 'content-type') ?? '');
  const encoding = await encodingOfHeader(fields, type.parameters.get('charset') ?? '');
  return { fields: decodeFields(fields, encoding.decode), encoding };
}

export function fieldOf(fields: readonly HeaderField[], name: string): string | undefined {
  return fields.find((field) => field.name === name)?.raw;
}

const WORD = /=\?([^?\s]{1,60})\?([bq])\?([^?]*)\?=/gi;

/** A value as text: encoded words decoded, white space collapsed. */
export function decodeHeader(raw: string): string {
  let text = '';
  let at = 0;
  // Adjacent words in one charset are decoded together: a character may be split between them.
  let pending: { charset: string; pieces: Buffer[] } | undefined;
  const flush = (): void => {
    if (pending) text += decodeWord(Buffer.concat(pending.pieces), pending.charset);
    pending = undefined;
  };
  for (const match of raw.matchAll(WORD)) {
    const between = raw.slice(at, match.index);
    const [whole, label = '', form = '', payload = ''] = match;
    const charset = (label.split('*')[0] ?? '').toLowerCase();
    if (!pending || between.trim() !== '' || pending.charset !== charset) {
      const adjacent = pending !== undefined && between.trim() === '';
      flush();
      if (!adjacent) text += between;
      pending = { charset, pieces: [] };
    }
    pending.pieces.push(bytesOfWord(form, payload));
    at = match.index + whole.length;
  }
  flush();
  text += raw.slice(at);
  return text.replace(/\s+/g, ' ').trim();
}

/** Base64, or the Q encoding: quoted-printable with underscores for spaces. */
function bytesOfWord(form: string, payload: string): Buffer {
  if (form.toLowerCase() === 'b') return Buffer.from(payload, 'base64');
  const text = payload
    .replaceAll('_', ' ')
    .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(text, 'latin1');
}

const PARAMETER = /;\s*([^\s=;"*]{1,100})(\*\d{1,3})?(\*)?\s*=\s*(?:"((?:[^"\\]|\\[\s\S])*)"?|([^;]*))/g;
const MAX_PARAMETERS = 200;

/** Parses `value; name=value; name*0*=charset'lang'value` leniently. */
export function readParameters(raw: string): Parameterized {
  const head = /^[^;]*/.exec(raw)?.[0] ?? '';
  const pieces = new Map<string, { order: number; encoded: boolean; text: string }[]>();
  let count = 0;
  for (const match of raw.slice(head.length).matchAll(PARAMETER)) {
    count += 1;
    if (count > MAX_PARAMETERS) break;
    const [, name = '', order, extended, quoted, bare = ''] = match;
    const text = quoted === undefined ? bare.trim() : quoted.replace(/\\([\s\S])/g, '$1');
    const key = name.toLowerCase();
    const list = pieces.get(key) ?? [];
    list.push({ order: Number(order?.slice(1) ?? 0), encoded: extended !== undefined, text });
    pieces.set(key, list);
  }
  const parameters = new Map<string, string>();
  for (const [name, list] of pieces) {
    list.sort((a, b) => a.order - b.order);
    parameters.set(
      name,
      list.some(({ encoded }) => encoded)
        ? extendedValue(list)
        : decodeHeader(list.map(({ text }) => text).join('')),
    );
  }
  const comment = head.replace(/\([^()]*\)/g, '');
  return { value: comment.trim().toLowerCase(), parameters };
}

/** RFC 2231: the first piece states the charset; marked pieces are percent-encoded. */
function extendedValue(list: readonly { readonly encoded: boolean; readonly text: string }[]): string {
  let charset = '';
  const bytes = list.map(({ encoded, text }, i) => {
    let rest = text;
    if (i === 0 && encoded) {
      const match = /^([^']*)'[^']*'/.exec(text);
      if (match) {
        charset = match[1] ?? '';
        rest = text.slice(match[0].length);
      }
    }
    const plain = encoded
      ? rest.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
      : rest;
    return Buffer.from(plain, 'latin1');
  });
  return decodeWord(Buffer.concat(bytes), charset);
}
