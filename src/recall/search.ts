// What a query means: its words with what stands in for those that the archive does not have, words common to most passages
// left out, all of the rest first and then any of it.

import { fused } from './fusion.ts';
import type { EntryKind, Match, RecallStore, StoredPassage, Term } from './store.ts';
import { chunksOf, partsOf, type QueryChunk } from './words.ts';

/** Words of a query that count. */
const MAX_WORDS = 64;
/** A word in more than this share of the passages says nothing of them, where there are enough to tell. */
const COMMON_SHARE = 0.25;
const COMMON_LEAST = 40;
/** Passages that the words of a query may lead to in all; the rarest words go first. Bounds the time of a query. */
const MAX_POSTINGS = 60_000;
/** Stand-ins for a word that the archive does not have, and words that get some: each takes a pass over the vocabulary. */
const MAX_STAND_INS = 5;
const MAX_REPLACED = 4;
const LEAST_PREFIX = 3;

export interface Wanted {
  readonly query: string;
  readonly most: number;
  readonly kind?: EntryKind;
  /** Of the query, where there is an embedder. */
  readonly vector?: Float32Array;
}

/** Passages that match, best first. */
export async function search(
  store: RecallStore,
  { query, most, kind, vector }: Wanted,
): Promise<StoredPassage[]> {
  const options = { most: vector ? most * 4 : most, ...(kind !== undefined && { kind }) };
  const lexical = await byWords(store, query, options);
  if (!vector) return lexical;
  return fused([lexical, await store.nearest(vector, options)]).slice(0, most);
}

async function byWords(
  store: RecallStore,
  query: string,
  options: { readonly most: number; readonly kind?: EntryKind },
): Promise<StoredPassage[]> {
  const terms = await termsOf(store, query);
  if (terms.length === 0) return [];
  const all = terms.length > 1 ? await store.match(terms, options) : [];
  if (all.length >= options.most) return all;
  const any = await store.match([terms.flat()], options);
  const known = new Set(all.map(({ position }) => position));
  return [...all, ...any.filter(({ position }) => !known.has(position))].slice(0, options.most);
}

/** One list of alternatives for each word or phrase of the query that tells passages apart. */
async function termsOf(store: RecallStore, query: string): Promise<Match> {
  const chunks = chunksOf(query);
  const words = [...new Set(chunks.flatMap(({ words: some }) => some))].slice(0, MAX_WORDS);
  const forms = words.map((word) => word.toLowerCase());
  const counts = await store.frequencies(forms);
  const size = await store.size();
  const common = size < COMMON_LEAST ? size : size * COMMON_SHARE;
  const known = forms.map((form, at) => ({ form, word: words[at] ?? form, count: counts[at] ?? 0 }));
  const telling = known.filter(({ count }) => count <= common);
  // A query of common words alone is better answered than not.
  const wanted = (telling.length > 0 ? telling : known).sort((a, b) => a.count - b.count);
  let postings = 0;
  const affordable = wanted.filter(({ count }, at) => {
    postings += count;
    return at === 0 || postings <= MAX_POSTINGS;
  });
  const match: (readonly Term[])[] = [];
  let replaced = 0;
  for (const { form, word, count } of affordable) {
    if (count === 0) replaced += 1;
    if (count === 0 && replaced > MAX_REPLACED) continue;
    const terms = count > 0 ? [wordTerm(form), ...compound(word)] : await standIns(store, form, word);
    if (terms.length > 0) match.push(terms);
  }
  const phrases = phrasesOf(chunks);
  const last = match.at(-1);
  // Paths and dotted names whole: they raise passages that have them, and are never required.
  return last && phrases.length > 0 ? match.with(-1, [...last, ...phrases]) : match;
}

const wordTerm = (text: string): Term => ({ kind: 'word', text });

/** `getUserName` is also found as `get_user_name` and as "get user name". */
function compound(word: string): Term[] {
  const parts = partsOf(word);
  return parts.length < 2 ? [] : [{ kind: 'phrase', text: parts.join(' ') }];
}

async function standIns(store: RecallStore, form: string, word: string): Promise<Term[]> {
  const parts = compound(word);
  if (form.length < LEAST_PREFIX) return parts;
  if ((await store.startingWith(form, 1)).length > 0) return [...parts, { kind: 'prefix', text: form }];
  return [...parts, ...(await store.resembling(form, MAX_STAND_INS)).map(wordTerm)];
}

const phrasesOf = (chunks: readonly QueryChunk[]): Term[] =>
  chunks
    .filter(({ words }) => words.length > 1)
    .slice(0, MAX_WORDS)
    .map(({ words }) => ({ kind: 'phrase', text: words.join(' ').toLowerCase() }));
