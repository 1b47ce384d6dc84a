// Finds what one version of a mail's text contains and another does not. Compares letters, so that layout, marks,
// accents, link targets and the order of passages make no difference, and numbers with their signs, separators and
// units.

import {
  type Block,
  type Inline,
  linesOf,
  plainText,
  targetsIn,
  textsIn,
} from '../../../src/document/index.ts';

/** Length of the letter runs looked up in the other version; unrelated words rarely share as many. */
const GRAM = 8;
/** Minimum letters of words missing from the other version for a passage to count: two or three words. */
const NEW_LETTERS = 12;
/** Minimum letters of a passage that counts even if its words occur elsewhere: about five words. */
const LONG_PASSAGE = 24;
/** A passage counts if its surroundings are at most this far apart in the other version: the same sentence, changed. */
const SAME_SENTENCE = 60;
/** If at least one in this many letters of a version is new, every passage counts. */
const SHARE = 5;
/** Maximum runs with the same hash that are distinguished; a text crafted to have more is compared less exactly. */
const MAX_PROBES = 32;
/** Maximum letters compared per version. */
const MAX_LETTERS = 1_000_000;

/** What only one version contains. */
export interface Difference {
  /** The whole blocks that contain it. */
  readonly blocks: readonly Block[];
  /** Letters compared, if the version is longer. */
  readonly comparedTo?: number;
}

/** The blocks of `version` with content missing from `blocks` and the text `hidden`. Linear time. */
export function differenceFrom(
  version: readonly Block[],
  blocks: readonly Block[],
  hidden: string,
): Difference {
  const shown = [...blocks.map(wordsIn), hidden].join('\n');
  // An address written out in one version may be a link target in the other.
  const other = new Letters([spoken(shown), blocks.flatMap(textsIn).flatMap(targetsIn).join(' ')]);
  const texts = version.map((block) => spoken(wordsIn(block)));
  const own = new Letters(texts);
  const known = new Known(other);
  const unsaid = known.unsaidIn(own);
  const isNew = (at: number): boolean => unsaid[at] === true && !known.words.has(own.words[at]?.word ?? '');
  let fresh = 0;
  for (const [at, { word }] of own.words.entries()) if (isNew(at)) fresh += word.length;
  const mostly = fresh * SHARE >= own.text.length;
  const found = new Set<number>();
  for (let at = 0; at < own.words.length; ) {
    let end = at;
    let letters = 0;
    let newLetters = 0;
    for (; unsaid[end] === true; end += 1) {
      const length = own.words[end]?.word.length ?? 0;
      letters += length;
      if (isNew(end)) newLetters += length;
    }
    const counts =
      mostly ||
      newLetters >= NEW_LETTERS ||
      letters >= LONG_PASSAGE ||
      (letters > 1 && known.surrounds(own, at, end));
    for (let i = at; i < end && counts; i += 1) found.add(own.words[i]?.block ?? 0);
    at = end + 1;
  }
  const numbers = new Set([shown, spoken(shown)].flatMap((text) => numbersIn(text)));
  for (const [block, text] of texts.entries())
    if (numbersIn(unnumbered(text)).some((number) => !isKnown(number, numbers))) found.add(block);
  return {
    blocks: version.filter((_, i) => found.has(i)),
    ...((own.cut || other.cut) && { comparedTo: MAX_LETTERS }),
  };
}

interface Word {
  readonly word: string;
  /** Start offset in the letters. */
  readonly from: number;
  readonly block: number;
}

/** The letters and digits of some texts in one run, and the words they come from. */
class Letters {
  readonly text: string;
  readonly words: readonly Word[];
  readonly cut: boolean;

  constructor(texts: readonly string[]) {
    const words: Word[] = [];
    const pieces: string[] = [];
    let from = 0;
    let cut = false;
    for (const [block, text] of texts.entries()) {
      if (from >= MAX_LETTERS) cut ||= text !== '';
      else
        for (const word of wordsOf(text)) {
          if (from >= MAX_LETTERS) {
            cut = true;
            break;
          }
          words.push({ word, from, block });
          pieces.push(word);
          from += word.length;
        }
    }
    this.text = pieces.join('');
    this.words = words;
    this.cut = cut;
  }
}

/** An index of a version's content. */
class Known {
  readonly words: ReadonlySet<string>;
  readonly #text: string;
  /** The first position (1-based) of each run of `GRAM` letters, at its hash or the next free slot. */
  readonly #slots: Int32Array;

  constructor({ text, words }: Letters) {
    this.words = new Set(words.map(({ word }) => word));
    this.#text = text;
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(text.length * 2 + 2)));
    for (let at = 0; at + GRAM <= text.length; at += 1) {
      const slot = this.#slot(text, at);
      if (this.#slots[slot] === 0) this.#slots[slot] = at + 1;
    }
  }

  /** The slot of the run at `at`: the one with an equal run, else a free one; -1 if too many share a hash. */
  #slot(text: string, at: number): number {
    let hash = 0;
    for (let i = at; i < at + GRAM; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x9e3779b1) | 0;
    const last = this.#slots.length - 1;
    for (let probe = 0; probe < MAX_PROBES; probe += 1) {
      const slot = ((hash ^ (hash >>> 15)) + probe) & last;
      const first = (this.#slots[slot] ?? 0) - 1;
      if (first < 0 || this.#isSame(first, text, at)) return slot;
    }
    return -1;
  }

  #isSame(first: number, text: string, at: number): boolean {
    for (let i = 0; i < GRAM; i += 1)
      if (this.#text.charCodeAt(first + i) !== text.charCodeAt(at + i)) return false;
    return true;
  }

  /** The first position of the run of letters at `at`; undefined if it does not occur. */
  #find(text: string, at: number): number | undefined {
    if (at + GRAM > text.length) return undefined;
    const found = this.#slots[this.#slot(text, at)] ?? 0;
    return found === 0 ? undefined : found - 1;
  }

  /** For each word, whether any of its letters is in no known run. */
  unsaidIn({ text, words }: Letters): boolean[] {
    if (text.length < GRAM || this.#text.length < GRAM) return words.map(({ word }) => !this.words.has(word));
    const unsaid: boolean[] = [];
    let at = 0;
    let coveredTo = 0;
    for (const { from, word } of words) {
      let all = true;
      for (const end = from + word.length; at < end; at += 1) {
        if (this.#find(text, at) !== undefined) coveredTo = at + GRAM;
        if (at >= coveredTo) all = false;
      }
      unsaid.push(!all);
    }
    return unsaid;
  }

  /** True if the text before and after words `at` to `end` occurs close together here. */
  surrounds({ text, words }: Letters, at: number, end: number): boolean {
    const from = words[at]?.from ?? 0;
    const to = words[end]?.from ?? text.length;
    // Too close to an end for a full run: use the end of this text instead.
    const first = from < GRAM ? -GRAM : this.#find(text, from - GRAM);
    const after = text.length - to < GRAM ? this.#text.length : this.#find(text, to);
    if (first === undefined || after === undefined) return false;
    const apart = after - (first + GRAM);
    return apart >= 0 && apart <= SAME_SENTENCE;
  }
}

const wordsIn = (block: Block): string =>
  linesOf(block)
    .map((line: Inline) => plainText(line))
    .join('\n');

/** A text without what HTML-to-text converters add: addresses, and marks of links and pictures. */
function spoken(text: string): string {
  return text
    .replace(/\bHYPERLINK\s{1,9}(?:\\{1,2}l\s{1,9})?"[^"]{0,2000}"/g, ' ')
    .replace(/<\/?[a-z]{1,10}>|\[cid:[^\]\s]*|\[image:|\[\d{1,3}\]/gi, ' ')
    .replace(/\b(?:[a-z][a-z\d+.-]{1,20}:\/\/|www\.|mailto:|data:)\S*/gi, ' ')
    .replace(/[!-~]{30,}/g, (token) => (/[/=&?%_#]/.test(token) ? ' ' : token));
}

function wordsOf(text: string): string[] {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return plain.match(/[\p{L}\p{N}]+/gu) ?? [];
}

const NUMBER =
  /(?<unit>[%‰\p{Sc}])?\s?(?<![\p{L}\p{N}][-−–.,'’]?)(?<sign>[-−–]?)(?<before>\p{Sc}?)(?<digits>\p{Nd}+(?:[.,'’]\p{Nd}+)*)(?:\s?(?<after>[%‰\p{Sc}]))?/gu;

/**
 * The numbers of a text, each with its sign, separators and unit: `-1,000€`. Digits that follow letters are
 * parts of words.
 */
function numbersIn(given: string): string[] {
  const text = given
    .slice(0, MAX_LETTERS)
    .normalize('NFKC')
    .replace(/[\\*_|~`]/g, '');
  return Array.from(text.matchAll(NUMBER), ({ groups = {} }) => {
    const { unit, before, after, sign, digits } = groups;
    return `${sign ? '-' : ''}${digits}${unit || before || after || ''}`;
  });
}

/** Removes the numbers of list items. */
const unnumbered = (text: string): string =>
  text.replace(/^(?:[^\S\n\r\u2028\u2029]|>)*\d{1,4}[.)](?=\s)/gm, ' ');

/** A version may omit a unit, or write cells without space between them. */
function isKnown(number: string, known: ReadonlySet<string>): boolean {
  if (known.has(number)) return true;
  if (/\d$/.test(number) && UNITS.some((unit) => known.has(number + unit))) return true;
  if (!number.includes('.')) return false;
  for (let at = 1; at < Math.min(number.length, GRAM * 4); at += 1)
    if (known.has(number.slice(0, at)) && known.has(number.slice(at))) return true;
  return false;
}

const UNITS = ['%', '‰', '€', '$', '£', '¥'];
