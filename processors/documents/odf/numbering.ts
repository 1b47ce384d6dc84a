// Numbers of list items and headings (ODF 1.3 part 3, 5.3 and 19.880): which list a list continues, and its current
// counts.

import { BoundedMap } from '../../../src/contract/index.ts';
import type { XmlElement } from '../../../src/package/index.ts';
import { formatNumber } from '../docx/number-format.ts';
import type { ListLevel } from './style.ts';

const MAX_LISTS = 10_000;
const MAX_NUMBER = 1_000_000_000;

/** The counts of one list, by 0-based level. */
export type Counts = (number | undefined)[];

/** All lists of a document, in document order. */
export class Numbering {
  readonly #byId = new BoundedMap<string, Counts>({ most: MAX_LISTS });
  readonly #byStyle = new BoundedMap<string, Counts>({ most: MAX_LISTS });

  /** The initial counts of an outermost list. */
  begin(list: XmlElement, style: string | undefined): Counts {
    const goesOn = list.get('continue-list');
    const counts =
      (goesOn === undefined ? undefined : this.#byId.get(goesOn)) ??
      (list.get('continue-numbering') === 'true' ? this.#byStyle.get(style ?? '') : undefined) ??
      [];
    const id = list.get('xml:id') ?? list.get('id');
    if (id !== undefined) this.#byId.set(id, counts);
    this.#byStyle.set(style ?? '', counts);
    return counts;
  }
}

/** Label of the next item on `level` (0-based), which it counts; `''` for a level without labels, `-` for a bullet. */
export function nextLabel(
  counts: Counts,
  level: number,
  levelOf: (level: number) => ListLevel,
  item: XmlElement,
): string {
  const { kind, start, prefix, suffix, shown, pattern } = levelOf(level);
  counts.length = Math.min(counts.length, level + 1);
  if (kind !== 'number') {
    counts[level] = undefined;
    return kind === 'bullet' ? '-' : '';
  }
  const stated = Number(item.get('start-value') ?? Number.NaN);
  const before = counts[level];
  const number =
    Number.isSafeInteger(stated) && stated >= 0 ? stated : before === undefined ? start : before + 1;
  counts[level] = Math.min(number, MAX_NUMBER - 1);
  const numbers: (string | undefined)[] = [];
  for (let at = 0; at <= level; at += 1) {
    const outer = levelOf(at);
    if (outer.kind !== 'number') continue;
    // A skipped level counts as started.
    counts[at] ??= outer.start;
    numbers[at] = formatNumber(counts[at] ?? 0, FORMATS[outer.format] ?? 'decimal');
  }
  if (pattern !== undefined)
    return pattern.replace(/%(\d{1,2})%/g, (_, at: string) => numbers[Number(at) - 1] ?? '').trim();
  const visible = numbers.slice(Math.max(0, level - shown + 1)).filter((one) => one !== undefined);
  return `${prefix}${visible.join('.')}${suffix}`;
}

/** Office Open XML names of the number formats. */
const FORMATS: Readonly<Record<string, string>> = {
  a: 'lowerLetter',
  A: 'upperLetter',
  i: 'lowerRoman',
  I: 'upperRoman',
};
