// Objects on a sheet (ECMA-376 part 1, 20.5): text boxes, pictures, charts and diagrams, each with its anchor cell.

import { columnLetters } from '../../../src/contract/index.ts';
import { XmlWalk } from '../../../src/package/index.ts';
import { cutCell } from '../../../src/table/index.ts';
import type { Drawn } from '../book/remarks.ts';

/** An object on a sheet, and the id of the relationship to its part; `''` if it has none. */
export interface Drawing extends Pick<Drawn, 'kind' | 'cell' | 'text'> {
  readonly relation: string;
}

/** Facts from a chart part. */
export interface ChartFacts extends Pick<Drawn, 'series' | 'axes'> {
  readonly title: string;
  /** The cell ranges of its series, as written in the formulas. */
  readonly ranges: readonly string[];
}

export const MAX_DRAWINGS = 10_000;
const MAX_TEXT = 200;
const MAX_SHAPE_TEXT = 20_000;
const MAX_CHART_RANGES = 4;
const MAX_NAMES = 50;

/** The element that refers to the part of an object, and the attribute with the relationship. */
const PARTS: Readonly<Record<string, readonly [kind: Drawing['kind'], attribute: string]>> = {
  blip: ['picture', 'embed'],
  chart: ['chart', 'id'],
  relIds: ['diagram', 'dm'],
};

/** The objects of a drawing part in file order, those in groups too. */
export function readDrawings(xml: string): Drawing[] {
  const drawings: Drawing[] = [];
  const walk = new XmlWalk(xml);
  let place: { column: number; row: number } | undefined;
  let counted: 'column' | 'row' | undefined;
  let inFrom = false;
  let title = '';
  let skipped = 0;
  const words = new DrawnText();
  while (walk.next() && drawings.length < MAX_DRAWINGS) {
    if (walk.kind === 'text') {
      if (inFrom && counted) {
        place ??= { column: 0, row: 0 };
        place[counted] = Number(walk.text);
      }
      words.step(walk);
      continue;
    }
    const opens = walk.kind === 'open';
    // What older programs show in place of an object, and before it.
    if (walk.name === 'Fallback') skipped = opens && !walk.empty ? walk.depth : 0;
    if (skipped > 0) continue;
    words.step(walk);
    if (walk.name === 'from') inFrom = opens && !walk.empty;
    else if (walk.name === 'col') counted = opens ? 'column' : undefined;
    else if (walk.name === 'row') counted = opens ? 'row' : undefined;
    else if (walk.name === 'sp' || walk.name === 'cxnSp') {
      const text = words.take();
      if (!opens && text !== '') drawings.push({ kind: 'text box', cell: cellOf(place), text, relation: '' });
    } else if (!opens) continue;
    else if (walk.name.endsWith('Anchor')) {
      place = undefined;
      title = '';
    } else if (walk.name === 'cNvPr') title = (walk.attribute('descr') ?? '').slice(0, MAX_TEXT);
    else {
      const [kind, attribute] = PARTS[walk.name] ?? [];
      if (kind === undefined || attribute === undefined) continue;
      const relation = walk.attribute(attribute) ?? walk.attribute('link') ?? '';
      if (relation !== '') drawings.push({ kind, cell: cellOf(place), text: title, relation });
    }
  }
  return drawings;
}

/** The text of a diagram's data part. */
export function diagramText(xml: string): string {
  const walk = new XmlWalk(xml);
  const words = new DrawnText();
  while (walk.next()) words.step(walk);
  return words.take();
}

/** Gathers the text of runs, a line for each paragraph. */
class DrawnText {
  #text = '';
  #inRun = false;

  step({ kind, name, text, empty }: XmlWalk): void {
    if (kind === 'text') {
      if (this.#inRun && this.#text.length <= MAX_SHAPE_TEXT) this.#text += text;
    } else if (name === 't') this.#inRun = kind === 'open' && !empty;
    else if (name === 'br' || (name === 'p' && kind === 'close')) this.#text += '\n';
  }

  take(): string {
    const lines = this.#text.split('\n').map((line) => line.trim());
    this.#text = '';
    return cutCell(lines.filter((line) => line !== '').join('\n'), MAX_SHAPE_TEXT);
  }
}

/** Converts zero-based column and row to a cell name. */
function cellOf(place: { readonly column: number; readonly row: number } | undefined): string {
  if (!place) return '';
  const { column, row } = place;
  const isCell = Number.isInteger(column) && Number.isInteger(row) && column >= 0 && row >= 0;
  return isCell && column < 16_384 && row < 1_048_576 ? `${columnLetters(column + 1)}${row + 1}` : '';
}

/** What a chart part says: its title, the names of its series and axes, and its source cells. */
export function readChartFacts(xml: string): ChartFacts {
  const walk = new XmlWalk(xml);
  const ranges = new Set<string>();
  const titles: string[] = [];
  const axes: string[] = [];
  const series: string[] = [];
  let inAxis = false;
  /** Of the series around the current element, which has its name in a child. */
  let seriesDepth = 0;
  let label: { readonly depth: number; readonly of: string[] } | undefined;
  let text = '';
  /** The cell with the text, which names it where the file keeps no copy. */
  let cell = '';
  let inside: 'text' | 'formula' | undefined;
  while (walk.next()) {
    if (walk.kind === 'text') {
      if (inside === 'text' && text.length < MAX_TEXT) text += walk.text;
      if (inside === 'formula' && label) cell ||= walk.text.replaceAll('$', '');
      else if (inside === 'formula' && ranges.size <= MAX_CHART_RANGES)
        ranges.add(ranges.size < MAX_CHART_RANGES ? walk.text.replaceAll('$', '').slice(0, MAX_TEXT) : '…');
      continue;
    }
    const opens = walk.kind === 'open' && !walk.empty;
    if (/^(?:ser|series)$/.test(walk.name)) seriesDepth = opens ? walk.depth : 0;
    else if (/(?:Ax|^axis)$/.test(walk.name)) inAxis = opens;
    else if (label) {
      if (walk.depth === label.depth) {
        const name = text.trim() || cell;
        if (name !== '') label.of.push(name.slice(0, MAX_TEXT));
        label = undefined;
      }
    } else if (opens) {
      const isName = walk.name === 'tx' && seriesDepth > 0 && walk.depth === seriesDepth + 1;
      if (isName || walk.name === 'title')
        label = { depth: walk.depth, of: isName ? series : inAxis ? axes : titles };
      text = '';
      cell = '';
    }
    const isText = label !== undefined && (walk.name === 't' || walk.name === 'v');
    inside = !opens ? undefined : isText ? 'text' : walk.name === 'f' ? 'formula' : undefined;
  }
  return {
    title: titles[0] ?? '',
    ranges: [...ranges],
    ...(series.length > 0 && { series: bounded(series) }),
    ...(axes.length > 0 && { axes: bounded(axes) }),
  };
}

/** The first names, and how many more there are. */
const bounded = (names: readonly string[]): readonly string[] =>
  names.length <= MAX_NAMES ? names : [...names.slice(0, MAX_NAMES), `and ${names.length - MAX_NAMES} more`];
