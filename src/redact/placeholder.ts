// Placeholders: what stands for a secret. Each has the length of its secret, so that lines, columns, cells, pages and
// cursors are those of the file. Equal secrets of one reader have equal placeholders.

import { createHmac } from 'node:crypto';
import { type SecretKind, TOKEN_FORMATS } from './formats.ts';

const WORD = 'REDACTED';
/** Characters of a tag: 30 bits. */
const TAG = 6;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz234567';

/** Characters that differ between secrets. Without `key`, nobody can compute them from a guess. */
function tagOf(key: Uint8Array, kind: SecretKind, secret: string): string {
  // The line ends of a private key may be written as escapes.
  const plain = kind === 'private-key' ? secret.replace(/\\[nr]|[^A-Za-z0-9+/=]/g, '') : secret;
  const digest = createHmac('sha256', key).update(`${kind} ${plain}`).digest();
  return Array.from(digest.subarray(0, TAG), (byte) => LETTERS[byte % LETTERS.length]).join('');
}

/** A text of the length of `secret`: `REDACTED-github-k3f9qa-xxxxxxxx`, shorter forms for short secrets. */
export function placeholderFor(key: Uint8Array, kind: SecretKind, secret: string): string {
  const tag = tagOf(key, kind, secret);
  const form = [`${WORD}-${kind}-${tag}`, `${WORD}-${tag}`, `${WORD}-${tag.slice(0, 3)}`, WORD].find(
    ({ length }) => length <= secret.length,
  );
  if (form === undefined) return WORD.slice(0, secret.length);
  const rest = secret.length - form.length;
  return rest === 0 ? form : `${form}-${'x'.repeat(rest - 1)}`;
}

const KINDS = [
  ...new Set<SecretKind>([...TOKEN_FORMATS.map(({ kind }) => kind), 'password', 'private-key', 'secret']),
];
const PLACEHOLDER = new RegExp(
  `\\bREDACTED(?:-(?<kind>${KINDS.join('|')}))?(?:-[a-z2-7]{3,${TAG}})?\\b|\\bREDACT(?:E)?\\b`,
  'g',
);

/** A placeholder in a text; `kind` is `password` where there was no room to name it. */
export interface Placed {
  readonly kind: string;
  readonly at: number;
  readonly text: string;
}

/** The placeholders in `text`, in order. */
export function placeholdersIn(text: string): Placed[] {
  if (!text.includes('REDACT')) return [];
  return [...text.matchAll(PLACEHOLDER)].map((match) => ({
    kind: match.groups?.['kind'] ?? 'password',
    at: match.index,
    text: match[0],
  }));
}
