// The numbers of list items (ODF 1.3 part 3, 5.3 and 19.880): which count a list goes on with, and where it stands.

import type { XmlElement } from '../../../src/package/index.ts';
import type { ListLevel } from './style.ts';

const MAX_LISTS = 10_000;
const MAX_NUMBER = 1_000_000_000;

/** The counts of one list, by level from 0. */
export type Counts = (number | undefined)[];

/** All lists of a document, in the order in which they are met. */
export class Numbering {
  readonly #byId = new Map<string, Counts>();
  readonly #byStyle = new Map<string, Counts>();

  /** The counts that a list of the outermost level starts with. */
  begin(list: XmlElement, style: string | undefined): Counts {
    const goesOn = list.get('continue-list');
    const counts =
      (goesOn === undefined ? undefined : this.#byId.get(goesOn)) ??
      (list.get('continue-numbering') === 'true' ? this.#byStyle.get(style ?? '') : undefined) ??
      [];
    const id = list.get('xml:id') ?? list.get('id');
    if (this.#byId.size >= MAX_LISTS) this.#byId.clear();
    if (this.#byStyle.size >= MAX_LISTS) this.#byStyle.clear();
    if (id !== undefined) this.#byId.set(id, counts);
    this.#byStyle.set(style ?? '', counts);
    return counts;
  }
}

/** The marker of the next item on `level`; undefined for a level that shows none. */
export function nextMarker(
  counts: Counts,
  level: number,
  { kind, start }: ListLevel,
  item: XmlElement,
): string | undefined {
  counts.length = Math.min(counts.length, level + 1);
  if (kind !== 'number') {
    counts[level] = undefined;
    return kind === 'bullet' ? '-' : undefined;
  }
  const stated = Number(item.get('start-value') ?? Number.NaN);
  const before = counts[level];
  const number =
    Number.isSafeInteger(stated) && stated >= 0 ? stated : before === undefined ? start : before + 1;
  counts[level] = number;
  return `${Math.min(number, MAX_NUMBER - 1)}.`;
}
