// Detects legacy encodings by statistics: chardet's candidates, each checked against the text it decodes to.

import { isKnown, loadCodec } from './codec.ts';
import { canonical, type Guess } from './guess.ts';
import { multiByteFits } from './multi-byte.ts';
import { implausibleIn, profileOf } from './plausible-text.ts';

/** Minimum confidence of chardet in multibyte text recognised by frequent characters; chance sequences score lower. */
const SURE = 0.8;

/** The most likely legacy encoding; undefined when none decodes the sample to text. */
export async function statistics(sample: Uint8Array): Promise<Guess | undefined> {
  const { clean, parted, repetitive } = profileOf(sample);
  if (!clean) return undefined;
  const chardet = await import('chardet');
  const matches = chardet.analyse(sample);
  for (const match of matches) {
    const name = canonical(match.name);
    if (name === 'utf-8' || name === 'ascii' || name.startsWith('utf-') || !(await isKnown(name))) continue;
    const confidence = Math.max(0.1, Math.min(0.99, match.confidence / 100));
    if (!parted && !(MULTIBYTE.has(name) ? confidence >= SURE : repetitive)) continue;
    const text = (await loadCodec(name))(sample);
    if ((parted ? damageIn(text) : implausibleIn(text)) > 1 + text.length / 200) continue;
    if (MULTIBYTE.has(name))
      return fittest({ name, confidence, mark: 0, others: othersOf(matches, name) }, sample);
    const refined = refine(name, sample);
    return { name: refined, confidence, mark: 0, others: othersOf(matches, refined) };
  }
  // Text in an encoding unknown to chardet, such as those of DOS.
  const name = 'windows-1252';
  const fallback: Guess = { name, confidence: 0.2, mark: 0, others: othersOf(matches, name) };
  if (parted) return fallback;
  const text = (await loadCodec(name))(sample);
  return repetitive && damageIn(text) <= 1 + text.length / 200 ? fallback : undefined;
}

const MOST_OTHERS = 3;

/** The next best of `matches`, except the Unicode family and ISO-2022, which are detected elsewhere. */
function othersOf(matches: readonly { readonly name: string }[], chosen: string): readonly string[] {
  const names = new Set(matches.map(({ name }) => canonical(name)));
  return [...names]
    .filter((name) => name !== chosen && !/^(?:utf-|ascii$|iso-2022-)/.test(name))
    .slice(0, MOST_OTHERS);
}

const MULTIBYTE: ReadonlySet<string> = new Set(['shift_jis', 'euc-jp', 'euc-kr', 'gb18030', 'big5']);

/** Maximum confidence in an encoding whose frequent characters are rare in the text. */
const DOUBTFUL = 0.5;
/** Share of frequent characters in running text and in lists of names: 0.85 and more; in the wrong encoding, up to 0.6. */
const FREQUENT = 0.7;
const AHEAD = 0.2;

/** Fewer characters do not show which of two encodings it is if they are frequent in both. */
const ENOUGH = 40;

/** `guess`, or the encoding in which clearly more of the characters are frequent ones. */
function fittest(guess: Guess, sample: Uint8Array): Guess {
  const fits = multiByteFits(sample);
  const own = fits.find(({ name }) => name === guess.name);
  const [best] = fits;
  if (!best) return guess;
  const isOther = best.share >= (own?.share ?? 0) + AHEAD;
  const chosen = isOther || !own ? best : own;
  const rivals = fits.filter(({ name, share }) => name !== chosen.name && share > chosen.share - AHEAD / 2);
  const isDoubtful = chosen.share < FREQUENT || (rivals.length > 0 && chosen.characters < ENOUGH);
  const confidence = isOther ? Math.max(guess.confidence, chosen.share * 0.9) : guess.confidence;
  const names = [...rivals.map(({ name }) => name), guess.name, ...(guess.others ?? [])];
  return {
    ...guess,
    name: chosen.name,
    confidence: isDoubtful ? Math.min(DOUBTFUL, confidence) : confidence,
    others: [...new Set(names)].filter((name) => name !== chosen.name).slice(0, MOST_OTHERS),
  };
}

/** True for a sure guess at an encoding with several bytes per character. */
export const isSureMultiByte = ({ name, confidence }: Guess): boolean =>
  MULTIBYTE.has(name) && confidence >= DOUBTFUL;

/**
 * ISO-8859-1 with bytes 0x80 to 0x9f is windows-1252: they are control characters in the former, quotes in the latter.
 */
export function refine(name: string, sample: Uint8Array): string {
  if (name === 'iso-8859-1' && sample.some((byte) => byte >= 0x80 && byte <= 0x9f)) return 'windows-1252';
  return name;
}

function damageIn(text: string): number {
  let damage = 0;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit === 0xfffd || (unit >= 0x80 && unit < 0xa0)) damage += 1;
  }
  return damage;
}
