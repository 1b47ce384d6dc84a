// Pictures and charts on a sheet (ECMA-376 part 1, 20.5), each with its anchor cell and its part.

import { XmlWalk } from '../../../src/package/index.ts';
import { columnLetters } from './cell.ts';

/** A picture or a chart on a sheet. */
export interface Drawing {
  readonly kind: 'picture' | 'chart';
  /** The cell under its upper left corner; `''` if there is none. */
  readonly cell: string;
  /** Alternative text. */
  readonly text: string;
  /** Id of the relationship to its part. */
  readonly relation: string;
}

/** Facts from a chart part. */
export interface ChartFacts {
  readonly title: string;
  /** The cell ranges of its series, as written in the formulas. */
  readonly ranges: readonly string[];
}

const MAX_DRAWINGS = 1000;
const MAX_TEXT = 200;
const MAX_CHART_RANGES = 4;

/** The pictures and charts of a drawing part, in file order. */
export function readDrawings(xml: string): Drawing[] {
  const drawings: Drawing[] = [];
  const walk = new XmlWalk(xml);
  let place: { column: number; row: number } | undefined;
  let counted: 'column' | 'row' | undefined;
  let inFrom = false;
  let text = '';
  while (walk.next() && drawings.length < MAX_DRAWINGS) {
    if (walk.kind === 'text') {
      if (inFrom && counted) {
        place ??= { column: 0, row: 0 };
        place[counted] = Number(walk.text);
      }
      continue;
    }
    const opens = walk.kind === 'open';
    if (walk.name === 'from') inFrom = opens && !walk.empty;
    else if (walk.name === 'col') counted = opens ? 'column' : undefined;
    else if (walk.name === 'row') counted = opens ? 'row' : undefined;
    else if (!opens) continue;
    else if (walk.name.endsWith('Anchor')) {
      place = undefined;
      text = '';
    } else if (walk.name === 'cNvPr') text = (walk.attribute('descr') ?? '').slice(0, MAX_TEXT);
    else if (walk.name === 'blip' || walk.name === 'chart') {
      const relation = walk.attribute(walk.name === 'blip' ? 'embed' : 'id');
      if (relation === undefined || relation === '') continue;
      const kind = walk.name === 'blip' ? 'picture' : 'chart';
      drawings.push({ kind, cell: cellOf(place), text, relation });
    }
  }
  return drawings;
}

/** Converts zero-based column and row to a cell name. */
function cellOf(place: { readonly column: number; readonly row: number } | undefined): string {
  if (!place) return '';
  const { column, row } = place;
  const isCell = Number.isInteger(column) && Number.isInteger(row) && column >= 0 && row >= 0;
  return isCell && column < 16_384 && row < 1_048_576 ? `${columnLetters(column + 1)}${row + 1}` : '';
}

/** The first title of a chart part, and its source cells. */
export function readChartFacts(xml: string): ChartFacts {
  const walk = new XmlWalk(xml);
  const ranges = new Set<string>();
  let title = '';
  let titleDepth = 0;
  let titled = false;
  let inside: 'text' | 'formula' | undefined;
  while (walk.next()) {
    if (walk.kind === 'text') {
      if (inside === 'text' && title.length < MAX_TEXT) title += walk.text;
      // A single cell is the name of a series.
      if (inside === 'formula' && ranges.size < MAX_CHART_RANGES && walk.text.includes(':'))
        ranges.add(walk.text.replaceAll('$', '').slice(0, MAX_TEXT));
      continue;
    }
    const opens = walk.kind === 'open' && !walk.empty;
    if (walk.name === 'title' && !titled) {
      if (opens) titleDepth = walk.depth;
      else if (walk.depth === titleDepth) {
        titleDepth = 0;
        titled = true;
      }
    }
    const isText = walk.name === 't' || walk.name === 'v';
    if (titleDepth > 0) inside = opens && isText ? 'text' : undefined;
    else inside = opens && walk.name === 'f' ? 'formula' : undefined;
  }
  return { title: title.trim().slice(0, MAX_TEXT), ranges: [...ranges] };
}
