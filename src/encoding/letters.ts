// Ranks the encodings with one byte per character by the letters that each language uses, which works for a name or a few
// words too.

import type { Bytes } from '../contract/index.ts';
import { decodeStandard, loadCodec } from './codec.ts';
import type { Guess } from './guess.ts';
import { multiByteFits } from './multi-byte.ts';

/**
 * The letters beyond ASCII of each language, the most frequent first. An encoding shows the letters of another as ones
 * that no single language has, as `ø` and `ì` for the Czech `ř` and `ě`.
 */
const LANGUAGES: Readonly<Record<string, readonly string[]>> = {
  western: [
    'éèàêçôûîùâëïœü',
    'üäöß',
    'óíáéñúü',
    'ãçáéíóõêâúàôü',
    'èàùòìéóî',
    'àéèíòóçúïü',
    'äåö',
    'øåæéòôóö',
    'áðíþóúéæýö',
    'éëïóüèê',
  ],
  central: ['łęąóżśćńź', 'íáěéřýčšžůúňťďó', 'áíéčšýžúťôľóňďäĺŕ', 'áéöőóüíűú', 'ăşîţâ', 'čšžćđ'],
  turkish: ['ıüşçöğİâî'],
  baltic: ['õäöüšž', 'āīēšūņļžčķģ', 'ėįšųžūčąę'],
  cyrillic: [
    'оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфёъ',
    'оанивтеірслкудмпзяьбгйчхцїжюєшщфґ',
    'аеоитнсрвдлкпмзъуябгчщжйцхшфюь',
    'аоиенрсјтвкудмлпгзбчжшцћхђљњфџ',
  ],
  greek: ['αοιτεσνηρυπκςλμίόάέδήχώγύβθφξζψ'],
  hebrew: ['יוהלאתרבמשנכחדעפקטגזסצםןץףך'],
  vietnamese: ['đ\u0323\u0301\u0300ưâôơ\u0309êă\u0303áàéóíúè'],
  arabic: ['اليمنترهوبدعسفكقحجشطصخةذىءضأثغزظإئؤآ'],
};

/** Who wrote the bytes: what is common there is likelier. */
export type Origin = 'windows' | 'dos';
type Place = Origin | 'unix' | 'mac' | 'rare';

/** Encodings, the languages each serves, and where it is common; of two that give the same text, the first is named. */
const PAGES: readonly (readonly [name: string, languages: string, place: Place])[] = [
  ['windows-1252', 'western', 'windows'],
  ['cp437', 'western', 'dos'],
  ['cp850', 'western', 'dos'],
  ['macintosh', 'western', 'mac'],
  ['windows-1250', 'central', 'windows'],
  ['iso-8859-2', 'central', 'unix'],
  ['cp852', 'central', 'dos'],
  ['windows-1254', 'turkish', 'windows'],
  ['cp857', 'turkish', 'dos'],
  ['windows-1257', 'baltic', 'windows'],
  ['windows-1251', 'cyrillic', 'windows'],
  ['koi8-r', 'cyrillic', 'unix'],
  ['cp866', 'cyrillic', 'dos'],
  ['iso-8859-5', 'cyrillic', 'unix'],
  ['maccyrillic', 'cyrillic', 'mac'],
  ['koi8-u', 'cyrillic', 'rare'],
  ['windows-1253', 'greek', 'windows'],
  ['iso-8859-7', 'greek', 'unix'],
  ['cp737', 'greek', 'dos'],
  ['windows-1255', 'hebrew', 'windows'],
  ['windows-1256', 'arabic', 'windows'],
  ['iso-8859-6', 'arabic', 'unix'],
  ['windows-1258', 'vietnamese', 'rare'],
];

/** Log-probability of an encoding before its text is seen. */
const PRIOR: Readonly<Record<Origin, Readonly<Record<Place, number>>>> = {
  windows: { windows: 0, unix: -1, dos: -3, mac: -3, rare: -3 },
  dos: { windows: -1.5, unix: -3, dos: 0, mac: -3, rare: -4 },
};
/** Log-probability of one more step away from the languages of the West. */
const FARTHER = -0.7;

/** Log-probability of a letter that a language does not use: foreign names. */
const FOREIGN = Math.log(0.002);
/** Of a sign inside a word, of a mark that no language sets there, and of a control character. */
const SIGN = Math.log(0.0005);
/** Of a mark in its place, and of another sign. */
const MARK = Math.log(0.05);
const OTHER = Math.log(0.005);
/** Of a second letter in a row beyond ASCII, in Latin letters. */
const TWICE = Math.log(0.15);
/** Of a frequent character of an encoding with two bytes per character, of kana, of others, and of the first in a row. */
const FREQUENT = -6.8;
const KANA = -3.7;
const SELDOM = -12;
const RUN = -1;

/** A letter or sign from 0x80 on with its neighbours. */
const HIGH = /(?<=([A-Za-z\u0080-\uffff]?))([\u0080-\uffff])(?=([A-Za-z\u0080-\uffff]?))/gu;
const LETTER = /[\p{L}\p{M}]/u;
const NOT_LATIN = /[^\p{Script=Latin}\P{L}]/u;
const IN_PLACE = /[\u2018-\u201e\u2013\u2014\u2026\u00a0«»°€£§©®№·¿¡]/u;
/** Marks that do not follow a letter, and marks that do not precede one. */
const OPENING = /[„‚«‘¿¡]/u;
const CLOSING = /[”»…]/u;

/** True for a mark or sign between characters where no language has it. */
function isMisplaced(before: string, mark: string, after: string, text: string): boolean {
  const [left, right] = [LETTER.test(before), LETTER.test(after)];
  if (/[\u0080-\u009f\ufffd]/.test(mark)) return true;
  if (mark === '·') return before.toLowerCase() !== 'l' || after.toLowerCase() !== 'l';
  if (left && right) return !/[’\u00a0–]/.test(mark);
  if (left && (OPENING.test(mark) || (mark === '“' && !text.includes('„')))) return true;
  if (right && CLOSING.test(mark)) return true;
  return (
    (left || right) && (/[–—\u2500-\u259f]/.test(mark) || (!/\p{P}|\s/u.test(mark) && !IN_PLACE.test(mark)))
  );
}

/** How likely `text` is in the best of the `languages`. */
function likelihood(text: string, languages: readonly string[]): number {
  const letters = new Map<string, number>();
  // Quotation marks come in pairs.
  let fixed = Math.abs(text.split('«').length - text.split('»').length) * SIGN;
  // The second byte of a character of two.
  fixed += (text.match(/(?<=[\u0080-\uffff])[\\^`{|}~@]/g)?.length ?? 0) * OTHER;
  for (const { 1: before = '', 2: character = '', 3: after = '' } of text.matchAll(HIGH))
    if (LETTER.test(character) && character !== 'º' && character !== 'ª') {
      // A capital after a small letter means the wrong encoding, and so is a word in two scripts.
      const small = character === 'İ' ? character : character.toLowerCase();
      const isMixed = NOT_LATIN.test(character) && /[A-Za-z]/.test(before + after);
      // In languages of Latin letters few words have two letters beyond ASCII in a row.
      if (!NOT_LATIN.test(character) && before >= '\u0080' && LETTER.test(before)) fixed += TWICE;
      const isBroken = small === character && /\p{Ll}/u.test(character) && /[A-Z]/.test(after);
      // Capitals that stand alone are a table of signs in another encoding.
      const isAlone = NOT_LATIN.test(character) && small !== character && !LETTER.test(before + after);
      if (isMixed || isBroken || (small !== character && /\p{Ll}/u.test(before))) fixed += SIGN;
      else if (isAlone) fixed += OTHER;
      else letters.set(small, (letters.get(small) ?? 0) + 1);
    } else
      fixed += isMisplaced(before, character, after, text) ? SIGN : IN_PLACE.test(character) ? MARK : OTHER;
  let best = -Infinity;
  for (const alphabet of languages) {
    // Frequencies fall with rank as they do in the languages counted: roughly as 1 / (rank + 2).
    const total = [...alphabet].reduce((sum, _, rank) => sum + 1 / (rank + 2), 0);
    let sum = fixed;
    for (const [letter, count] of letters) {
      const rank = [...alphabet].indexOf(letter);
      sum += count * (rank < 0 ? FOREIGN : -Math.log((rank + 2) * total));
    }
    best = Math.max(best, sum);
  }
  return best;
}

function multiByteReadings(bytes: Uint8Array): Reading[] {
  return multiByteFits(bytes).map(({ name, share, characters, joined }) => {
    const text = decodeStandard(bytes, name) ?? '';
    const kana = text.match(/[\u3041-\u30fc]/gu)?.length ?? 0;
    const beside = text.match(/[A-Za-z](?=[\u0080-\uffff])/g)?.length ?? 0;
    const frequent = Math.max(0, share * characters - kana);
    const rest = characters - frequent - kana;
    const score =
      kana * KANA + frequent * FREQUENT + rest * SELDOM + (characters - joined) * RUN + beside * RUN * 3;
    return { name, text, score, least: characters * (FREQUENT + RUN) };
  });
}

/** Text as an encoding reads it, and its log-likelihood. */
interface Reading {
  readonly name: string;
  readonly text: string;
  readonly score: number;
  /** A text in none of the languages is less likely. */
  readonly least: number;
}

/** Log-likelihood of a byte that a text in none of the languages falls below on average. */
const LEAST = -3.9;
/** Enough text to tell its encoding by. */
const MOST_BYTES: Bytes = 8 * 1024;

const beyondAscii = (bytes: Uint8Array): number =>
  bytes.reduce((count, byte) => count + (byte >= 0x80 ? 1 : 0), 0);

/** `bytes` as each encoding reads them, in the order of `PAGES`. */
async function readingsOf(bytes: Uint8Array, origin: Origin): Promise<Reading[]> {
  const least = LEAST * beyondAscii(bytes) + PRIOR[origin].rare;
  const readings = PAGES.map(async ([name, languages, place]) => {
    const text = (await loadCodec(name))(bytes);
    const prior = PRIOR[origin][place] + (languages === 'western' ? 0 : FARTHER);
    return { name, text, score: likelihood(text, LANGUAGES[languages] ?? []) + prior, least };
  });
  return [...(await Promise.all(readings)), ...multiByteReadings(bytes)];
}

/** Difference of log-likelihoods beyond which one encoding is sure, and from which it is preferred at all. */
const SURE = 5;
const LIKELY = 1.5;
/** Bytes beyond ASCII from which the statistics of other letters count in full. */
const ENOUGH = 24;
const MOST_OTHERS = 3;

/**
 * The encoding of text in a language known here; `guess` if that is as likely, or if it is in none of them. The
 * confidence is at most 0.5 if others are nearly as likely.
 */
export async function encodingByLetters<Known extends Guess | undefined>(
  sample: Uint8Array,
  guess: Known,
  origin: Origin = 'windows',
): Promise<Guess | Known> {
  // From the first byte beyond ASCII to the end of a line or word, so that no character is cut.
  const start = Math.max(0, sample.findIndex((byte) => byte >= 0x80) - 64);
  let end = Math.min(sample.length, start + MOST_BYTES);
  while (end < sample.length && end > start && (sample[end] ?? 0) > 0x20) end -= 1;
  const bytes = sample.subarray(start, end);
  const high = beyondAscii(bytes);
  const readings = await readingsOf(bytes, origin);
  const ranked = readings.toSorted((a, b) => b.score - a.score);
  const [first] = ranked;
  if (!first || first.score < first.least) return guess;
  const own = guess && (await loadCodec(guess.name))(bytes);
  const second = ranked.find(({ text }) => text !== first.text);
  const margin = first.score - (second?.score ?? -Infinity);
  const confidence = margin >= SURE ? 0.8 : 0.5;
  const isSame = own === first.text;
  if (guess && !isSame) {
    const ahead = first.score - (ranked.find(({ text }) => text === own)?.score ?? -Infinity);
    const needed = (guess.confidence > 0.5 ? SURE : LIKELY) * Math.min(1, high / ENOUGH);
    // Two that disagree are named both.
    if (ahead < needed)
      return ahead <= 0
        ? guess
        : {
            ...guess,
            confidence: Math.min(0.5, guess.confidence),
            others: [first.name, ...(guess.others ?? [])],
          };
  }
  const name = readings.find(({ text }) => text === first.text)?.name ?? first.name;
  const names = [
    ...ranked.filter(({ text }) => text !== first.text).map((other) => other.name),
    guess?.name ?? name,
  ];
  return {
    name,
    confidence: isSame && guess ? Math.max(guess.confidence, confidence) : confidence,
    mark: 0,
    others: [...new Set(names)].filter((other) => other !== name).slice(0, MOST_OTHERS),
  };
}
