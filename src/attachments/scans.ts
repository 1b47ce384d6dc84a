// Scans in a document included as text: the first scanned pages as pictures, and a report on those left out.

import { type Extent, throwIfAborted } from '../contract/index.ts';
import type { ReadSuccess } from '../reader/index.ts';
import type { GivePictures } from './text.ts';

/** Maximum scanned pages shown as pictures. */
const SHOWN_SCANS = 8;

/** The scans an answer reports. */
interface Scans {
  readonly unit: 'page' | 'slide';
  /** Their page numbers, ascending. */
  readonly numbers: readonly number[];
  /** Total number of pages. */
  readonly of: number;
}

/** The pictures of an answer or, if it reports scans, pictures of those. */
export function scansBy(givePictures: GivePictures): GivePictures {
  return async (file, result, turn) => {
    const scans = scansOf(result);
    if (!scans) return givePictures(file, result, turn);
    const { tools, allowance, share, signal } = turn;
    const takes = allowance.limits.imageTypes.value.length > 0 && allowance.another && share > 0;
    const wanted = takes ? scans.numbers.slice(0, Math.min(SHOWN_SCANS, allowance.images)) : [];
    const shown =
      wanted.length === 0
        ? undefined
        : await tools.reader.read(file.again(), {
            pages: inRanges(wanted),
            detail: 'auto',
            maxTokens: 1000,
            signal,
          });
    throwIfAborted(signal);
    const given = shown?.success
      ? await givePictures(file, shown, turn)
      : { parts: [], tokens: 0, pages: [], unpaid: share < 1 };
    const seen = new Set(given.pages);
    const left = scans.numbers.filter((number) => !seen.has(number));
    const { unit, of } = scans;
    const next = left.slice(0, SHOWN_SCANS);
    return {
      ...given,
      ...(next.length > 0 && {
        omitted: rangesOf(left).map((range): Extent => ({ unit, ...range, of, name: 'scanned' })),
        ...(allowance.limits.imageTypes.value.length > 0 && {
          request: { pages: inRanges(next), detail: 'auto' } as const,
        }),
      }),
    };
  };
}

/** The reader names scanned pages in its warning. */
function scansOf({ warnings }: ReadSuccess): Scans | undefined {
  const message = warnings.find(({ code }) => code === 'SCANNED_PAGES')?.message ?? '';
  const [, word, list = '', count] = /^(Page|Slide)s? ([\d,-]+) of (\d+):/.exec(message) ?? [];
  const of = Number(count);
  const numbers: number[] = [];
  for (const range of list.split(',')) {
    const [from = 0, to = from] = range.split('-').map(Number);
    for (let number = from; number >= 1 && number <= Math.min(to, of); number += 1) numbers.push(number);
  }
  return numbers.length === 0 ? undefined : { unit: word === 'Slide' ? 'slide' : 'page', numbers, of };
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** Ascending numbers as ranges. */
export function rangesOf(numbers: readonly number[]): readonly Range[] {
  const ranges: { from: number; to: number }[] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last?.to === number - 1) last.to = number;
    else ranges.push({ from: number, to: number });
  }
  return ranges;
}

/** `1-3,7`. */
export function inRanges(numbers: readonly number[]): string {
  return rangesOf(numbers)
    .map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`))
    .join(',');
}
