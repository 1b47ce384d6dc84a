// Tells the code pages of the languages in Latin letters apart by the letters that each language uses, which works for a
// few words too.

import { loadCodec } from './codec.ts';
import type { Guess } from './guess.ts';

/**
 * The letters beyond ASCII of each language, the most frequent first. A code page shows the letters of another as ones
 * that no single language has, as `ø` and `ì` for the Czech `ř` and `ě`.
 */
const LANGUAGES: readonly (readonly [codePage: string, letters: string])[] = [
  ['windows-1252', 'éèàêçôûîùâëïœü'],
  ['windows-1252', 'üäöß'],
  ['windows-1252', 'óíáéñúü'],
  ['windows-1252', 'ãçáéíóõêâúàôü'],
  ['windows-1252', 'èàùòìéóî'],
  ['windows-1252', 'àéèíòóçúïü'],
  ['windows-1252', 'äåö'],
  ['windows-1252', 'øåæéòôóö'],
  ['windows-1252', 'áðíþóúéæýö'],
  ['windows-1252', 'éëïóüèê'],
  ['windows-1250', 'łęąóżśćńź'],
  ['windows-1250', 'íáěéřýčšžůúňťďó'],
  ['windows-1250', 'áíéčšýžúťôľóňďäĺŕ'],
  ['windows-1250', 'áéöőóüíűú'],
  ['windows-1250', 'ăşîţâ'],
  ['windows-1250', 'čšžćđ'],
  ['windows-1254', 'ıüşçöğİâî'],
  ['windows-1257', 'õäöüšž'],
  ['windows-1257', 'āīēšūņļžčķģ'],
  ['windows-1257', 'ėįšųžūčąę'],
];

/** Code pages, and the one whose languages each serves; of two that give the same text, the first is named. */
const PAGES: readonly (readonly [name: string, like: string])[] = [
  ['windows-1252', 'windows-1252'],
  ['windows-1250', 'windows-1250'],
  ['iso-8859-2', 'windows-1250'],
  ['windows-1254', 'windows-1254'],
  ['windows-1257', 'windows-1257'],
];

/** Probability of a letter that a language does not use: foreign names. */
const FOREIGN = 0.002;
/** Of a sign inside a word, and of a control character. */
const SIGN = 0.0005;
/** Log-likelihood of a letter that a text in none of the languages falls below on average. */
const LEAST = -3.5;
/** Difference of log-likelihoods beyond which one code page is sure, and from which it is preferred at all. */
const SURE = 5;
const LIKELY = 1.5;

/** A letter or sign from 0x80 on with its neighbours. */
const HIGH = /(?<=([A-Za-z\u0080-\uffff]?))([\u0080-\uffff])(?=([A-Za-z\u0080-\uffff]?))/gu;

/** How likely `text`, read in a code page, is in the best of the code page's languages. */
function likelihood(text: string, codePage: string): number {
  const letters = new Map<string, number>();
  let signs = 0;
  for (const { 1: before = '', 2: character = '', 3: after = '' } of text.matchAll(HIGH))
    if (/\p{L}/u.test(character) && character !== 'º' && character !== 'ª') {
      // A capital after a small letter is a sign of the wrong code page.
      const small = character === 'İ' ? character : character.toLowerCase();
      if (small !== character && /\p{Ll}/u.test(before)) signs += 1;
      else letters.set(small, (letters.get(small) ?? 0) + 1);
    } else if (
      /[\u0080-\u009f\ufffd]/.test(character) ||
      (/\p{L}/u.test(before + after) && !/[\p{P}\s]/u.test(character))
    )
      signs += 1;
  let best = -Infinity;
  for (const [page, alphabet] of LANGUAGES) {
    if (page !== codePage) continue;
    // Frequencies fall with rank as they do in the languages counted: roughly as 1 / (rank + 2).
    const total = [...alphabet].reduce((sum, _, rank) => sum + 1 / (rank + 2), 0);
    let sum = signs * Math.log(SIGN);
    for (const [letter, count] of letters) {
      const rank = [...alphabet].indexOf(letter);
      sum += count * Math.log(rank < 0 ? FOREIGN : 1 / (rank + 2) / total);
    }
    best = Math.max(best, sum);
  }
  return best;
}

/**
 * The code page of text in Latin letters, if its letters tell more than `guess`; undefined for text that has far fewer ASCII letters than
 * others, and for windows-1252, which other rules know better.
 */
export async function latinCodePage(bytes: Uint8Array, guess: Guess): Promise<Guess | undefined> {
  let high = 0;
  let ascii = 0;
  for (const byte of bytes) {
    if (byte >= 0x80) high += 1;
    else if ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a) ascii += 1;
  }
  if (high * 2 > ascii * 3) return undefined;
  const readings = PAGES.map(async ([name, like]) => {
    const text = (await loadCodec(name))(bytes);
    return { name, text, score: likelihood(text, like) };
  });
  const ranked = (await Promise.all(readings)).sort((a, b) => b.score - a.score);
  const [first] = ranked;
  const second = ranked.find(({ text }) => text !== first?.text);
  const western = ranked.find(({ name }) => name === 'windows-1252');
  if (!first || !second || first.text === western?.text) return undefined;
  const margin = first.score - second.score;
  if (margin < (guess.confidence > 0.5 ? SURE : LIKELY) || first.score < LEAST * high) return undefined;
  const confidence = margin >= SURE ? 0.8 : 0.5;
  if ((await loadCodec(guess.name))(bytes) === first.text)
    return { ...guess, confidence: Math.max(guess.confidence, confidence) };
  return {
    name: first.name,
    confidence,
    mark: 0,
    others: ranked.slice(1, 4).map(({ name }) => name),
  };
}
