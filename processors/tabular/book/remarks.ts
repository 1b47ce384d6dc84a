// What a sheet holds besides its cells, of every spreadsheet format: comments, text boxes, pictures and charts, print
// headers, formulas and merged ranges. As notes below the table, and as facts.

import { type Extent, oneLine } from '../../../src/contract/index.ts';
import { cutCell } from '../../../src/table/index.ts';
import type { Note } from './note.ts';

/** A note or a threaded comment on a cell. */
export interface Comment {
  readonly cell: string;
  readonly author: string;
  readonly text: string;
}

/** An object on a sheet. */
export interface Drawn {
  readonly kind: 'text box' | 'picture' | 'chart' | 'diagram' | 'embedded file';
  /** The cell under its upper left corner; `''` if there is none. */
  readonly cell: string;
  /** Its text, title or alternative text. */
  readonly text: string;
  /** The part that contains it, as used in its address. */
  readonly path?: string;
  /** The cells a chart is drawn from. */
  readonly ranges?: readonly string[];
  /** The names of its series. */
  readonly series?: readonly string[];
  /** The titles of its axes. */
  readonly axes?: readonly string[];
}

export interface Remarks {
  readonly comments: readonly Comment[];
  readonly drawn: readonly Drawn[];
  /** Texts printed above and below each page. */
  readonly headers: readonly string[];
  readonly footers: readonly string[];
  /** Links of cells in the header row, each with its cell; others are shown in their cells. */
  readonly links: readonly string[];
  readonly merged: readonly string[];
  readonly mergedCount: number;
}

const KINDS = ['text box', 'picture', 'chart', 'diagram', 'embedded file'] as const;
const MAX_RANGES = 12;
const MAX_LISTED = 20;
const MAX_DRAWN = 100;
const MAX_FACT_LENGTH = 500;

/**
 * Content first, then what only tells about the cells in `rows`, those that are shown. Comments on these come before
 * others.
 */
export function remarkNotes(
  remarks: Remarks,
  file: string,
  rows: readonly Extent[],
  formulas: string | undefined,
): Note[] {
  const { drawn, comments, merged, mergedCount } = remarks;
  const objects = KINDS.map((kind): Note => {
    const items = drawn.filter((one) => one.kind === kind).map((one) => drawnItem(one, file));
    return {
      title: kind === 'text box' ? 'Text boxes' : `${kind.charAt(0).toUpperCase()}${kind.slice(1)}s`,
      items,
    };
  });
  const isShown = (cells: string): boolean => {
    const [first = 0, last = first] = Array.from(cells.matchAll(/\d+/g), Number);
    return rows.some(({ from, to }) => from <= last && first <= to);
  };
  const sorted = [
    ...comments.filter(({ cell }) => isShown(cell)),
    ...comments.filter(({ cell }) => !isShown(cell)),
  ];
  const shownMerged = merged.filter(isShown);
  return [
    ...objects.slice(0, 1),
    { title: 'Print header', items: remarks.headers },
    { title: 'Print footer', items: remarks.footers },
    { title: 'Links', items: remarks.links },
    {
      title: 'Comments',
      items: sorted.map(({ cell, author, text }) => `${cell}${author === '' ? '' : ` (${author})`}: ${text}`),
    },
    ...objects.slice(1),
    { title: 'Formulas', items: formulas === undefined ? [] : [formulas], isAside: true as const },
    {
      title: 'Merged',
      items: shownMerged.slice(0, MAX_RANGES),
      count: shownMerged.length === merged.length ? mergedCount : shownMerged.length,
      isAside: true as const,
    },
  ].filter(({ items }) => items.length > 0);
}

/** The entries of `metadata.sheets`. */
export function remarkFacts({
  comments,
  drawn,
  headers,
  footers,
  merged,
  mergedCount,
}: Remarks): Record<string, unknown> {
  return {
    mergedCount,
    ...(merged.length > 0 && { merged: merged.slice(0, MAX_LISTED) }),
    commentCount: comments.length,
    ...(comments.length > 0 && {
      comments: comments
        .slice(0, MAX_LISTED)
        .map(({ cell, author, text }) => ({ cell, author, text: cutCell(text, MAX_FACT_LENGTH) })),
    }),
    ...(drawn.length > 0 && {
      drawings: drawn
        .slice(0, MAX_DRAWN)
        .map((one) => ({ ...one, text: cutCell(one.text, MAX_FACT_LENGTH) })),
    }),
    ...(headers.length > 0 && { printHeader: headers }),
    ...(footers.length > 0 && { printFooter: footers }),
  };
}

/** An object with its cell, its text and its address. */
function drawnItem({ cell, text, path, ranges = [], series = [], axes = [] }: Drawn, file: string): string {
  const names = Object.entries({ series, axes })
    .filter(([, list]) => list.length > 0)
    .map(([what, list]) => `${what} ${list.map((name) => JSON.stringify(name)).join(', ')}`);
  return (
    [
      ...(cell === '' ? [] : [cell]),
      ...(text === '' ? [] : [JSON.stringify(text)]),
      ...(ranges.length === 0 ? [] : [`of ${ranges.join(', ')}`]),
      ...(names.length === 0 ? [] : [`(${names.join('; ')})`]),
      ...(path === undefined ? [] : [`\`${oneLine(file)}!/${oneLine(path)}\``]),
    ].join(' ') || '(no text)'
  );
}
