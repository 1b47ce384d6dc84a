// Replaces the secrets of texts and bytes by placeholders of the same length.

import { type Secret, secretsIn } from './find.ts';
import { placeholderFor } from './placeholder.ts';

/** What replaces the secrets for one reader. */
export interface Redactor {
  /** Of the placeholders; for a process that reads for this one. */
  readonly key: Uint8Array;
  /** The secrets in `text`, in order. */
  secrets(text: string): readonly Secret[];
  /** `text` with a placeholder of the same length for every secret. */
  text(text: string): string;
  /** Texts that follow each other, such as the paragraphs of a document: a secret may go on in the next. */
  texts(texts: readonly string[]): string[];
  /** Replaces the secrets that are in `bytes` from `from` up to `to`, with what is around them as context. */
  bytes(bytes: Uint8Array, from: number, to: number): void;
  /** Replaces the secrets in `bytes` by the same character. */
  blank(bytes: Uint8Array): void;
}

/** A redactor with placeholders of its own. */
export function createRedactor(key: Uint8Array): Redactor {
  const replaced = (text: string, secrets: readonly Secret[]): string => {
    let result = '';
    let end = 0;
    for (const secret of secrets) {
      result += text.slice(end, secret.from) + standIn(key, secret, text);
      end = secret.to;
    }
    return result + text.slice(end);
  };
  const text = (given: string): string => replaced(given, secretsIn(given));
  return {
    key,
    secrets: secretsIn,
    text,
    texts: (texts) => {
      const whole = text(texts.join('\n'));
      let at = 0;
      return texts.map((one) => {
        const piece = whole.slice(at, at + one.length);
        at += one.length + 1;
        return piece;
      });
    },
    bytes: (bytes, from, to) => {
      const { plain, places } = plainOf(bytes);
      for (const secret of secretsIn(plain)) {
        const stand = standIn(key, secret, plain);
        for (let at = secret.from; at < secret.to; at += 1) {
          const place = places ? (places[at] ?? 0) : at;
          if (place >= from && place < to) bytes[place] = stand.charCodeAt(at - secret.from);
        }
      }
    },
    blank: (bytes) => {
      const { plain, places } = plainOf(bytes);
      for (const { from, to } of secretsIn(plain))
        for (let at = from; at < to; at += 1) bytes[places ? (places[at] ?? 0) : at] = 0;
    },
  };
}

/** The placeholder for `secret`; white space and line ends inside it stay. */
function standIn(key: Uint8Array, { kind, from, to }: Secret, text: string): string {
  const secret = text.slice(from, to);
  if (!/\s/.test(secret)) return placeholderFor(key, kind, secret);
  let isFirst = true;
  return secret.replace(/\S+/g, (piece) => {
    if (!isFirst) return 'x'.repeat(piece.length);
    isFirst = false;
    return `${placeholderFor(key, kind, secret)}${'x'.repeat(piece.length)}`.slice(0, piece.length);
  });
}

/**
 * The text of `bytes`, a character for each byte: secrets are ASCII in every format. Of UTF-16 and UTF-32 without the
 * zero bytes, with the place of each character.
 */
function plainOf(bytes: Uint8Array): { readonly plain: string; readonly places?: Uint32Array } {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (!buffer.includes(0)) return { plain: buffer.toString('latin1') };
  const places = new Uint32Array(bytes.length);
  const packed = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === 0) continue;
    places[length] = at;
    packed[length++] = byte;
  }
  return { plain: packed.toString('latin1', 0, length), places };
}
