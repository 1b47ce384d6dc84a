// The encoding of short fields that declare none: names in an archive, tags, header fields. All fields of a file are
// judged together.

import { isUtf8 } from 'node:buffer';
import type { Bytes, Warning } from '../contract/index.ts';
import { type Codec, isKnown, loadCodec } from './codec.ts';
import type { Guess } from './guess.ts';
import { encodingByLetters, type Origin } from './letters.ts';
import { implausibleIn } from './plausible-text.ts';
import { refine, statistics } from './statistics.ts';

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

/** What is known about fields beside their bytes. */
export interface FieldOrigin {
  /** The systems that usually write them. Default `windows`. */
  readonly origin?: Origin;
  /** An encoding that the file declares for other text. */
  readonly beside?: string | undefined;
  /** The encoding that the format implies; it is reported as a guess only if others are nearly as likely. */
  readonly implied?: string;
}

/** Judges `fields`. */
export async function encodingOfFields(
  fields: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  { origin = 'windows', beside, implied }: FieldOrigin = {},
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
  const guess =
    (await besides(sample, beside)) ??
    (await encodingByLetters(sample, undefined, origin)) ??
    (await statistics(sample));
  const name = origin === 'dos' ? (guess?.name ?? 'cp437') : (guess?.name ?? 'windows-1252');
  const codec = await loadCodec(name);
  const others = guess && guess.confidence > 0.5 ? [] : (guess?.others ?? []);
  return {
    name,
    decode: (bytes) => (isUtf8(bytes) ? utf8.decode(bytes) : codec(bytes)),
    warning: (what) =>
      name === implied && others.length === 0
        ? undefined
        : {
            code: 'ENCODING_GUESSED',
            message: `${what} declare no encoding; they are read as ${name}${others.length > 0 ? `, but may be ${others.join(', ')}` : ''}.`,
          },
  };
}

/** The encoding declared for other text, if the sample is valid in it. */
async function besides(sample: Uint8Array, declared = ''): Promise<Guess | undefined> {
  if (!(await isKnown(declared)) || /^utf-?8$/i.test(declared)) return undefined;
  const name = refine(declared, sample);
  const isText = implausibleIn((await loadCodec(name))(sample)) === 0;
  return isText ? { name, confidence: 0.8, mark: 0 } : undefined;
}
