// Interprets a query: drops words that most passages contain, substitutes similar words for those the archive lacks, and ranks
// passages with all words before those with some.

import { fused } from './fusion.ts';
import type { EntryKind, Match, RecallStore, StoredPassage, Term } from './store.ts';
import { chunksOf, partsOf, type QueryChunk } from './words.ts';

/** Words of a query that are used. */
const MAX_WORDS = 64;
/** A word in more than this share of the passages is dropped, in archives of at least `COMMON_LEAST` passages. */
const COMMON_SHARE = 0.25;
const COMMON_LEAST = 40;
/** Limits the sum of the words' frequencies, rarest words first, and with it the time of a query. */
const MAX_POSTINGS = 60_000;
/** Substitutes per unknown word, and unknown words that get some: each scans the vocabulary. */
const MAX_STAND_INS = 5;
const MAX_REPLACED = 4;
/** Characters of the shortest prefix. Outside ASCII two characters can be a word, as in Korean. */
const LEAST_PREFIX = 3;
const LEAST_PREFIX_BEYOND_ASCII = 2;

export interface Wanted {
  readonly query: string;
  readonly most: number;
  readonly kind?: EntryKind;
  /** The vector of the query, if there is an embedder. */
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

/** A list of alternatives for each word of the query that is not too common. */
async function termsOf(store: RecallStore, query: string): Promise<Match> {
  const chunks = chunksOf(query);
  const words = [...new Set(chunks.flatMap(({ words: some }) => some))].slice(0, MAX_WORDS);
  const forms = words.map((word) => word.toLowerCase());
  const counts = await store.frequencies(forms);
  const size = await store.size();
  const common = size < COMMON_LEAST ? size : size * COMMON_SHARE;
  const known = forms.map((form, at) => ({ form, word: words[at] ?? form, count: counts[at] ?? 0 }));
  const telling = known.filter(({ count }) => count <= common);
  // A query of common words alone still gets an answer.
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
  // Phrases, such as paths and dotted names, raise the rank of passages that contain them and are never required.
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
  const least = /^\p{ASCII}*$/u.test(form) ? LEAST_PREFIX : LEAST_PREFIX_BEYOND_ASCII;
  if (form.length < least) return parts;
  if ((await store.startingWith(form, 1)).length > 0) return [...parts, { kind: 'prefix', text: form }];
  return [...parts, ...(await store.resembling(form, MAX_STAND_INS)).map(wordTerm)];
}

const phrasesOf = (chunks: readonly QueryChunk[]): Term[] =>
  chunks
    .filter(({ words }) => words.length > 1)
    .slice(0, MAX_WORDS)
    .map(({ words }) => ({ kind: 'phrase', text: words.join(' ').toLowerCase() }));
