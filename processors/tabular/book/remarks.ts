// What a sheet holds besides its cells, of every spreadsheet format: comments, text boxes, pictures and charts, print
// headers, formulas and merged ranges. As notes below the table, and as facts.

import { type Extent, oneLine, type Selection, type TextPart } from '../../../src/contract/index.ts';
import { cutCell } from '../../../src/table/index.ts';
import { columnOf } from '../xlsx/cell.ts';
import { type Note, noteLine } from './note.ts';

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
 * True if `cells`, such as `B4` or `A1:C2`, are in these rows and columns of a sheet; in all columns if none is given.
 */
export function isAmong(extents: readonly Extent[], cells: string): boolean {
  const [first = '', last = first] = cells.split(':');
  const touches = (wanted: Extent['unit'], from: number, to: number): boolean =>
    extents.some((one) => one.unit === wanted && one.from <= to && from <= one.to);
  const isInColumns =
    !extents.some(({ unit }) => unit === 'column') || touches('column', columnOf(first), columnOf(last));
  return isInColumns && touches('row', rowOf(first), rowOf(last));
}

const rowOf = (cell: string): number => Number(cell.replace(/^[A-Z]+/, ''));

/** The cells that a request names by rows and letters of columns, if it does. */
export function askedCells({ rows, columns }: Selection): readonly Extent[] | undefined {
  const [, first, last = first] = /^([A-Z]{1,3})(?:-([A-Z]{1,3}))?$/.exec(columns ?? '') ?? [];
  if ((columns !== undefined && first === undefined) || (rows && 'last' in rows)) return undefined;
  const { from, to } = rows ?? { from: 1, to: Number.POSITIVE_INFINITY };
  return [
    { unit: 'row', from, to },
    ...(first !== undefined && last !== undefined
      ? [{ unit: 'column' as const, from: columnOf(first), to: columnOf(last) }]
      : []),
  ];
}

/**
 * Content first, then what only tells about the cells in `shown`, rows and columns. Comments on these come before
 * others.
 */
export function remarkNotes(
  remarks: Remarks,
  file: string,
  shown: readonly Extent[],
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
  const isShown = (cells: string): boolean => isAmong(shown, cells);
  const sorted = [
    ...comments.filter(({ cell }) => isShown(cell)),
    ...comments.filter(({ cell }) => !isShown(cell)),
  ];
  const rows = shown.filter(({ unit }) => unit === 'row');
  const shownMerged = merged.filter((cells) => isAmong(rows, cells));
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

/** Each comment on a cell of a sheet as a line of text, at its cell. */
export function* commentParts(comments: readonly Comment[], sheet: string): Generator<TextPart> {
  for (const { cell, author, text } of comments) {
    const row = rowOf(cell);
    const column = columnOf(cell);
    const title = author === '' ? 'Comment' : `Comment (${author})`;
    const line = `${noteLine({ title, items: [text] })}\n`;
    yield {
      kind: 'text',
      text: line,
      shown: [
        { unit: 'row', from: row, to: row, name: sheet },
        { unit: 'column', from: column, to: column, name: sheet },
      ],
      blocks: [{ kind: 'text', to: line.length }],
    };
  }
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
