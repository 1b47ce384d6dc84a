// Computes which parts of a file an answer shows, for drawing.

import type { Extent, ReadSuccess } from './wire.ts';

/** All units of one kind, such as the rows of a sheet, and the ranges that are shown. */
export interface Whole {
  readonly unit: string;
  readonly name: string;
  readonly of: number;
  readonly shown: readonly { readonly from: number; readonly to: number }[];
  readonly count: number;
}

/** The units of one file, with what the visible answers show of them; the most significant unit first. */
export function coverageOf(answers: readonly ReadSuccess[]): readonly Whole[] {
  const wholes = new Map<string, { unit: string; name: string; of: number; shown: Extent[] }>();
  const whole = (extent: Extent) => {
    const id = `${extent.unit}\u0000${extent.name ?? ''}`;
    let found = wholes.get(id);
    if (!found) {
      found = { unit: extent.unit, name: extent.name ?? '', of: 0, shown: [] };
      wholes.set(id, found);
    }
    found.of = Math.max(found.of, extent.of ?? 0, extent.to);
    return found;
  };
  for (const { truncation, content } of answers) {
    const shown = truncation?.shown ?? content.flatMap(({ at }) => at);
    for (const extent of shown) whole(extent).shown.push(extent);
    for (const extent of truncation?.omitted ?? []) whole(extent);
  }
  return [...wholes.values()]
    .map(({ unit, name, of, shown }) => {
      const joined = join(shown);
      return {
        unit,
        name,
        of,
        shown: joined,
        count: joined.reduce((sum, { from, to }) => sum + to - from + 1, 0),
      };
    })
    .sort((a, b) => order(a.unit) - order(b.unit));
}

const ORDER = ['page', 'slide', 'sheet', 'document', 'row', 'column', 'line', 'entry', 'key', 'item'];
const order = (unit: string): number => (ORDER.includes(unit) ? ORDER.indexOf(unit) : ORDER.length);

function join(extents: readonly Extent[]): { from: number; to: number }[] {
  const joined: { from: number; to: number }[] = [];
  for (const { from, to } of [...extents].sort((a, b) => a.from - b.from)) {
    if (to < from) continue;
    const last = joined.at(-1);
    if (last && from <= last.to + 1) last.to = Math.max(last.to, to);
    else joined.push({ from, to });
  }
  return joined;
}

const figure = (value: number): string => value.toLocaleString('en');

export function plural(unit: string, count: number): string {
  if (count === 1) return unit;
  return unit === 'entry' ? 'entries' : `${unit}s`;
}

/** As in `rows 1–20 and 111–120 of 120`. */
export function sentenceOf({ unit, name, of, shown, count }: Whole): string {
  const place = name === '' ? '' : ` in ${name}`;
  if (count >= of) return of === 1 ? `the ${unit}${place}` : `all ${figure(of)} ${plural(unit, of)}${place}`;
  if (count === 0) return `none of ${figure(of)} ${plural(unit, of)}${place}`;
  const ranges = shown.map(({ from, to }) => (from === to ? figure(from) : `${figure(from)}–${figure(to)}`));
  const first = ranges.slice(0, 4).join(', ') + (ranges.length > 4 ? ', …' : '');
  return `${plural(unit, count)} ${first} of ${figure(of)}${place}`;
}

/** Share of the file that is shown, measured by its most significant unit: 0 to 1. */
export function shareOf(wholes: readonly Whole[]): number {
  const [first] = wholes;
  return first && first.of > 0 ? Math.min(1, first.count / first.of) : 1;
}
