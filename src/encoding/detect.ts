// Detects the encoding of a text. Order: byte order mark, strict UTF-8, the file's own declaration, statistics on at
// most 64 KiB.

import { isUtf8 } from 'node:buffer';
import { type Source, wholeLength } from '../contract/index.ts';
import { isKnown } from './codec.ts';
import { declaredEncoding, escapeEncoding } from './declared.ts';
import { canonical, type Guess } from './guess.ts';
import { encodingByLetters } from './letters.ts';
import { markOf } from './marks.ts';
import { profileOf } from './plausible-text.ts';
import { isSureMultiByte, refine, statistics } from './statistics.ts';
import { checkUtf8, countUtf8, sampleOf } from './utf8.ts';
import { wideWithoutMark } from './wide.ts';

/** The encoding named by the caller. */
export function chosen(name: string, head: Uint8Array): Guess {
  const known = canonical(name);
  const mark = markOf(head);
  return {
    name: known,
    confidence: 1,
    mark: mark?.name === known ? mark.mark : 0,
    damaged: known === 'utf-8',
  };
}

/** The encoding detected from the bytes; `head` is up to the first MiB. */
export async function detectEncoding(source: Source, head: Uint8Array, signal: AbortSignal): Promise<Guess> {
  const mark = markOf(head);
  if (mark && mark.name !== 'utf-8') return mark;
  const skip = mark?.mark ?? 0;
  const wide = wideWithoutMark(head);
  if (wide && !mark) return wide;
  const check = await checkUtf8(source, head, signal);
  if (check.valid) {
    const stateful = check.ascii ? escapeEncoding(head) : undefined;
    return stateful ?? { name: 'utf-8', confidence: 1, mark: skip };
  }
  // Damaged UTF-8 if there is a mark, or if valid sequences far outnumber bad bytes.
  if (mark || check.sequences >= 20 * check.bad)
    return {
      name: 'utf-8',
      confidence: mark ? 1 : check.sequences / (check.sequences + check.bad),
      mark: skip,
      damaged: true,
    };
  const declared = declaredEncoding(head);
  if (
    declared !== undefined &&
    declared !== 'utf-8' &&
    !declared.startsWith('utf-') &&
    (await isKnown(declared))
  )
    return { name: refine(declared, check.sample), confidence: 0.9, mark: 0 };
  const guess = await statistics(check.sample);
  // Text followed by binary data: non-ASCII bytes show as damage.
  if (!guess) return { name: 'utf-8', confidence: 0.1, mark: 0, damaged: true };
  return isSureMultiByte(guess) ? guess : encodingByLetters(check.sample, guess);
}

/** True when `head`, the start of a file, is UTF-8, damaged UTF-8 or text in some legacy encoding. */
export async function isText(head: Uint8Array): Promise<boolean> {
  if (isUtf8(head.subarray(0, wholeLength(head))) || markOf(head)) return true;
  const { sequences, bad, first } = countUtf8(head);
  if (sequences >= 20 * bad) return true;
  const sample = sampleOf(head, first);
  const { clean, parted } = profileOf(sample);
  return clean && (parted || (await statistics(sample)) !== undefined);
}
