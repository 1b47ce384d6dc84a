// Jupyter notebooks as text, cell by cell. A view cuts long outputs; a walk returns every cell whole. A file that is
// not a notebook is read as JSON.

import {
  type Extent,
  type Limits,
  type OutlineLine,
  type Part,
  type Position,
  PositionReader,
  type ProcessContext,
  resolveRange,
  type Source,
  type TextPart,
  type TextSource,
  throwIfAborted,
} from '../../../src/contract/index.ts';
import type { Gap } from '../elision.ts';
import { outline as outlineOfJson, processJson } from '../json/reading.ts';
import { gapPages, lineEnd, type Place, type Walk } from '../source-pages.ts';
import { type CellText, cellText, type Notebook, notebookIn } from './cells.ts';
import { cellsOutline } from './outline.ts';

/** Larger notebooks are read as JSON, which does not load them into memory. */
const MAX_PARSED_BYTES = 64 * 1024 * 1024;
/** Marks a cursor position as a cell rather than a JSON position. */
const CELL = 'cell';
const MAX_PLACES = 50;

/** A view of the cells, or the next page of a walk. */
export async function* process(source: Source, context: ProcessContext): AsyncGenerator<Part> {
  const { selection } = context;
  const utf8 = await context.text(source);
  const isCell =
    selection.resume === undefined || selection.resume.length === 0 || selection.resume[0] === CELL;
  const found = selection.pointer === undefined && isCell ? await parse(utf8, context.limits) : undefined;
  if (!found) {
    yield* processJson(utf8, context);
    return;
  }
  describe(found, context);
  const cells = new Cells(found);
  if (selection.resume && selection.resume.length > 0)
    yield* walk(cells, context, readSpot(selection.resume, cells));
  else yield* firstView(cells, context);
}

/** The cells, or the schema of the JSON value a pointer names. */
export async function* outline(source: Source, context: ProcessContext): AsyncGenerator<OutlineLine> {
  const { pointer } = context.selection;
  const found = pointer === undefined ? await parse(await context.text(source), context.limits) : undefined;
  if (found) yield* cellsOutline(found);
  else yield* outlineOfJson(source, context);
}

async function parse(utf8: TextSource, limits: Limits): Promise<Notebook | undefined> {
  if (utf8.size > Math.min(MAX_PARSED_BYTES, limits.maxBytesInMemory)) return undefined;
  try {
    return notebookIn(JSON.parse(new TextDecoder().decode(await utf8.read(0, utf8.size))));
  } catch (error) {
    // Invalid JSON, or nested too deeply to parse: the JSON reader reports it.
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}

function describe({ cells, language, kernel, version }: Notebook, context: ProcessContext): void {
  context.describe({
    cells: cells.length,
    ...(language !== '' && { language }),
    ...(kernel !== '' && { kernel }),
    ...(version !== '' && { nbformat: version }),
  });
  context.whole({ unit: 'item', of: cells.length, name: 'cells' });
}

/** The text of a notebook with every output whole, and where its cells are in it. */
class Cells {
  readonly count: number;
  readonly text: string;
  readonly #notebook: Notebook;
  /** Start of each cell; then the end. */
  readonly #starts: number[] = [0];

  constructor(found: Notebook) {
    this.#notebook = found;
    this.count = found.cells.length;
    const texts = found.cells.map((cell, at) => cellText(cell, at + 1, found.language, true).text);
    for (const text of texts) this.#starts.push((this.#starts.at(-1) ?? 0) + text.length);
    this.text = texts.join('');
  }

  /** Cell `number` with its long outputs cut. */
  shortened(number: number): CellText {
    return cellText(this.#notebook.cells[number - 1], number, this.#notebook.language, false);
  }

  /** Cells `from` to `to` in the text. */
  stretch(from: number, to: number): Gap {
    return { from: this.#starts[from - 1] ?? 0, to: this.#starts[to] ?? this.text.length, pointer: '' };
  }

  /** Number of the cell at `offset`. */
  at(offset: number): number {
    return Math.min(this.count, this.#starts.findLastIndex((start) => start <= offset) + 1);
  }

  extent(from: number, to: number): Extent {
    return { unit: 'item', from, to, of: this.count, name: 'cells' };
  }

  /** A stretch of one cell: its characters, and the cell once it is complete. */
  extents(from: number, to: number): Extent[] {
    const number = this.at(from);
    const cell = this.stretch(number, number);
    const whole = to === cell.to ? [this.extent(number, number)] : [];
    if (from === cell.from && whole.length > 0) return whole;
    const of = cell.to - cell.from;
    const name = `cell ${number}`;
    return [{ unit: 'character', from: from - cell.from + 1, to: to - cell.from, of, name }, ...whole];
  }
}

async function* firstView(cells: Cells, context: ProcessContext): AsyncGenerator<TextPart> {
  const { budget, selection } = context;
  if (cells.count === 0) return;
  const { from, to } = selection.rows
    ? resolveRange('rows', selection.rows, cells.count)
    : { from: 1, to: cells.count };
  if (selection.all) {
    for (let number = from; number <= to; number++) {
      throwIfAborted(context.signal);
      const cell = cells.stretch(number, number);
      yield {
        kind: 'text',
        text: cells.text.slice(cell.from, cell.to),
        shown: [cells.extent(number, number)],
      };
    }
    return;
  }
  const range = cells.stretch(from, to);
  const isAll = from === 1 && to === cells.count;
  const [tokens, characters] = isAll
    ? [budget.tokens, budget.characters]
    : [budget.tokensBesideNotes, budget.charactersBesideNotes];
  if (range.to - range.from <= characters) {
    const all = cells.text.slice(range.from, range.to);
    if (budget.fits(all, tokens, characters)) {
      yield { kind: 'text', text: all, shown: [cells.extent(from, to)] };
      return;
    }
  }
  if (budget.tokensBesideNotes <= 0 || budget.charactersBesideNotes <= 0) return;

  let tokensLeft = budget.tokensBesideNotes;
  let charactersLeft = budget.charactersBesideNotes;
  const texts: string[] = [];
  const shown: Extent[] = [];
  let firstCut = 0;
  for (let number = from; number <= to; number++) {
    throwIfAborted(context.signal);
    const cell = cells.shortened(number);
    if (!budget.fits(cell.text, tokensLeft, charactersLeft)) break;
    tokensLeft -= budget.count(cell.text);
    charactersLeft -= cell.text.length;
    texts.push(cell.text);
    if (cell.cuts.length > 0 && firstCut === 0) firstCut = number;
    for (const cut of cell.cuts) {
      if (shown.length >= MAX_PLACES) break;
      const name = `cell ${number}, output ${cut.output}`;
      context.whole({ unit: 'line', of: cut.of, name });
      if (cut.shown > 0) shown.push({ unit: 'line', from: 1, to: cut.shown, of: cut.of, name });
    }
  }
  if (texts.length === 0) {
    yield* walk(cells, context, { to, offset: range.from, seen: 0 });
    return;
  }
  const last = from + texts.length - 1;
  const part: TextPart = { kind: 'text', text: texts.join(''), shown: [cells.extent(from, last), ...shown] };
  const cell = firstCut || last + 1;
  const spot = { to, offset: cells.stretch(cell, cell).from, seen: firstCut ? last : 0 };
  yield cell > to ? part : { ...part, next: nextOf(cells, spot) };
}

/** Where a walk continues. Cells up to `seen` were in the view, so only those with a cut output are returned again. */
interface Spot {
  readonly to: number;
  readonly offset: number;
  readonly seen: number;
}

function nextOf(cells: Cells, { offset, to, seen }: Spot): NonNullable<TextPart['next']> {
  const position: Position = [CELL, offset, to, seen];
  const cell = cells.at(offset);
  if (cell > seen && cells.stretch(cell, cell).from === offset)
    return { position, request: { rows: `${cell}-${to}` } };
  const after = Math.max(seen, cell) + 1;
  return after > to ? { position } : { position, skip: { rows: `${after}-${to}` } };
}

function readSpot(position: Position, cells: Cells): Spot {
  const fields = new PositionReader(position, 'The cursor points to a cell this notebook does not have.');
  fields.oneOf([CELL]);
  const offset = fields.count(Math.max(0, cells.text.length - 1));
  const to = fields.count(cells.count, cells.at(offset));
  return { offset, to, seen: fields.count(to) };
}

/** Yields cells whole, as many as fit the budget; a longer one in parts. */
async function* walk(
  cells: Cells,
  { budget }: ProcessContext,
  { offset, to, seen }: Spot,
): AsyncGenerator<TextPart> {
  const gaps: Gap[] = [];
  for (let number = cells.at(offset); number <= to; number++)
    if (number > seen || cells.shortened(number).cuts.length > 0) gaps.push(cells.stretch(number, number));
  const pages: Walk<Place> = {
    start: ({ from }) => ({ offset: from }),
    read: (gap, place) => cells.text.slice(place.offset, gap.to),
    heading: () => '',
    end: (_gap, _place, text, fits) => lineEnd(text, fits),
    after: (_gap, place, text) => ({ offset: place.offset + text.length }),
    shown: (_gap, from, end) => cells.extents(from.offset, end.offset),
    next: (_gaps, at) => nextOf(cells, { offset: at.offset, to, seen }),
  };
  yield* gapPages(pages, gaps, { offset }, { budget, plain: false });
}
