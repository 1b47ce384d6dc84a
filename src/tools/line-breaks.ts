// Normalises the line breaks of a text to LF for comparison, and restores them: edited text keeps the breaks it had.

import { countBefore } from '../contract/index.ts';

/** A normalised text, with offsets into the original. */
export interface Flattened {
  /** CR LF becomes LF; in a text without LF, CR does too. */
  readonly flat: string;
  /** Offset in the original of an offset in `flat`. */
  original(offset: number): number;
  /**
   * `text` (with LF or CR LF) with the line breaks the original has from `start` to `end` of `flat`, or nearest to it.
   */
  restored(text: string, start: number, end: number): string;
}

/** Normalises `text`. */
export function flatten(text: string): Flattened {
  if (!text.includes('\r')) return plain(text, '\n', text);
  if (!text.includes('\n')) return plain(text, '\r', text.replaceAll('\r', '\n'));
  const flat = text.replaceAll('\r\n', '\n');
  /** Offsets in `flat` of each LF that was CR LF. */
  const removed: number[] = [];
  for (let at = text.indexOf('\r\n'); at >= 0; at = text.indexOf('\r\n', at + 2))
    removed.push(at - removed.length);
  const original = (offset: number): number => offset + below(removed, offset);
  return {
    flat,
    original,
    restored: (given, start, end) => {
      const inside = flat.indexOf('\n', start);
      const before = flat.lastIndexOf('\n', Math.max(0, start - 1));
      const at = inside >= 0 && inside < end ? inside : before >= 0 && before < start ? before : inside;
      const crlf = at >= 0 && removed[below(removed, at)] === at;
      return lf(given).replaceAll('\n', crlf ? '\r\n' : '\n');
    },
  };
}

function plain(text: string, end: string, flat: string): Flattened {
  return {
    flat,
    original: (offset) => offset,
    restored: (given) => (text === '' ? given : lf(given).replaceAll('\n', end)),
  };
}

/** `text` with CR LF as LF, for comparison. */
export function lf(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

/** How many of the ascending `numbers` are below `limit`. */
function below(numbers: readonly number[], limit: number): number {
  return countBefore(numbers.length, (at) => (numbers[at] ?? 0) < limit);
}
