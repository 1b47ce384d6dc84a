// Passages as the tables of both databases hold them.

import { isWellFormed, plural, ReaderError, wellFormed } from '../contract/index.ts';
import type { Row } from '../database/index.ts';
import type { EntryKind, StoredPassage } from './store.ts';

/** A few gigabytes of text: more than one agent writes. */
const MAX_PASSAGES = 1_000_000;
/** Trigrams compared per word. */
const MAX_TRIGRAMS = 24;
/** Share of a word's trigrams that a similar word must contain. */
export const RESEMBLANCE = 0.5;

/** @throws {ReaderError} QUOTA_EXCEEDED */
export function checkSize(passages: number): void {
  if (passages <= MAX_PASSAGES) return;
  throw new ReaderError(
    'QUOTA_EXCEEDED',
    `The archive would have more than ${plural(MAX_PASSAGES, 'passage')}.`,
    'Start another archive in another folder.',
  );
}

export const keyOf = (id: string, part: number): string => `${part} ${id}`;

/** The text whose words are indexed. */
export const indexed = (text: string): string => wellFormed(text.replaceAll('\0', ' '));

/** At most as many as are compared. */
export function trigramsOf(word: string): readonly string[] {
  const letters = [...word];
  const all = letters.slice(2).map((letter, at) => `${letters[at]}${letters[at + 1]}${letter}`);
  return [...new Set(all)].slice(0, MAX_TRIGRAMS);
}

export function passageOf(row: Row): StoredPassage {
  return {
    position: row.integer('position'),
    id: row.text('id'),
    part: row.integer('part'),
    line: row.integer('line'),
    // Only `append` writes it.
    kind: row.text('kind') as EntryKind,
    source: row.text('source'),
    text: given(row.text('text')),
  };
}

/** Marks a text stored as JSON: the driver truncates texts at a NUL and replaces lone surrogates. */
const AS_JSON = '\u0001';

export const kept = (text: string): string =>
  text.includes('\0') || text.startsWith(AS_JSON) || !isWellFormed(text)
    ? AS_JSON + JSON.stringify(text)
    : text;

const given = (text: string): string =>
  text.startsWith(AS_JSON) ? String(JSON.parse(text.slice(AS_JSON.length))) : text;
