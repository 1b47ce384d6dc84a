// Parses mail header fields (RFC 5322): unfolds them and decodes encoded words (RFC 2047) and parameters (RFC 2045, RFC
// 2231). Linear time on any input.

import { decodeWord } from './charset.ts';

/** One field, in mail order. `raw` is unfolded, its bytes as Latin-1. */
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

export function fieldOf(fields: readonly HeaderField[], name: string): string | undefined {
  return fields.find((field) => field.name === name)?.raw;
}

const WORD = /=\?([^?\s]{1,60})\?([bq])\?([^?]*)\?=/gi;

/** A value as text: encoded words and stray 8-bit bytes decoded, white space collapsed. */
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
      if (!adjacent) text += plainBytes(between);
      pending = { charset, pieces: [] };
    }
    pending.pieces.push(form.toLowerCase() === 'b' ? Buffer.from(payload, 'base64') : wordBytes(payload));
    at = match.index + whole.length;
  }
  flush();
  text += plainBytes(raw.slice(at));
  return text.replace(/\s+/g, ' ').trim();
}

/** The Q encoding: quoted-printable with underscores for spaces. */
function wordBytes(payload: string): Buffer {
  const text = payload
    .replaceAll('_', ' ')
    .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(text, 'latin1');
}

function plainBytes(text: string): string {
  return /[\u0080-\u00ff]/.test(text) ? decodeWord(Buffer.from(text, 'latin1'), '') : text;
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
