// The encoding of short fields that declare none: names in an archive, tags, header fields. All fields of a file are
// judged together.

import { isUtf8 } from 'node:buffer';
import type { Bytes, Warning } from '../contract/index.ts';
import { type Codec, loadCodec } from './codec.ts';
import { encodingByLetters, type Origin } from './letters.ts';
import { statistics } from './statistics.ts';

/** Enough fields to tell their encoding by. */
const MOST_BYTES: Bytes = 16 * 1024;
const LINE_FEED = Buffer.from('\n');

/** How fields of one file are decoded. */
export interface FieldEncoding {
  /** Undefined if all fields are UTF-8. */
  readonly name: string | undefined;
  /** A field that is UTF-8 is decoded as that, another as `name`. */
  readonly decode: Codec;
  /** States the guess and the other candidates; `what` begins the sentence: `Names in the archive`. */
  warning(what: string): Warning | undefined;
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
const UTF8: FieldEncoding = {
  name: undefined,
  decode: (bytes) => utf8.decode(bytes),
  warning: () => undefined,
};

/** Judges `fields`. @param origin the systems that usually write them */
export async function encodingOfFields(
  fields: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  origin: Origin = 'windows',
): Promise<FieldEncoding> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const field of fields) {
    if (isUtf8(field)) continue;
    pieces.push(field, LINE_FEED);
    size += field.length;
    if (size > MOST_BYTES) break;
  }
  if (size === 0) return UTF8;
  const sample = Buffer.concat(pieces);
  const guess = (await encodingByLetters(sample, undefined, origin)) ?? (await statistics(sample));
  const name = origin === 'dos' ? (guess?.name ?? 'cp437') : (guess?.name ?? 'windows-1252');
  const codec = await loadCodec(name);
  const others = guess && guess.confidence > 0.5 ? [] : (guess?.others ?? []);
  return {
    name,
    decode: (bytes) => (isUtf8(bytes) ? utf8.decode(bytes) : codec(bytes)),
    warning: (what) => ({
      code: 'ENCODING_GUESSED',
      message: `${what} declare no encoding; they are read as ${name}${others.length > 0 ? `, but may be ${others.join(', ')}` : ''}.`,
    }),
  };
}
