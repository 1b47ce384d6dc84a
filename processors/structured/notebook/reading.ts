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
  safeCut,
  staleCursor,
  type TextPart,
  type TextSource,
  throwIfAborted,
} from '../../../src/contract/index.ts';
import { outline as outlineOfJson, processJson } from '../json/reading.ts';
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

class Cells {
  readonly count: number;
  readonly #notebook: Notebook;

  constructor(found: Notebook) {
    this.#notebook = found;
    this.count = found.cells.length;
  }

  text(number: number, whole: boolean): CellText {
    return cellText(this.#notebook.cells[number - 1], number, this.#notebook.language, whole);
  }

  extent(from: number, to: number): Extent {
    return { unit: 'item', from, to, of: this.count, name: 'cells' };
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
      yield { kind: 'text', text: cells.text(number, true).text, shown: [cells.extent(number, number)] };
    }
    return;
  }
  const all = wholeCells(cells, from, to, budget.characters);
  const isAll = from === 1 && to === cells.count;
  const [tokens, characters] = isAll
    ? [budget.tokens, budget.characters]
    : [budget.tokensBesideNotes, budget.charactersBesideNotes];
  if (all !== undefined && budget.fits(all, tokens, characters)) {
    yield { kind: 'text', text: all, shown: [cells.extent(from, to)] };
    return;
  }
  if (budget.tokensBesideNotes <= 0 || budget.charactersBesideNotes <= 0) return;

  let tokensLeft = budget.tokensBesideNotes;
  let charactersLeft = budget.charactersBesideNotes;
  const texts: string[] = [];
  const shown: Extent[] = [];
  let firstCut = 0;
  for (let number = from; number <= to; number++) {
    throwIfAborted(context.signal);
    const cell = cells.text(number, false);
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
    yield* walk(cells, context, { to, cell: from, offset: 0, seen: 0 });
    return;
  }
  const last = from + texts.length - 1;
  const part: TextPart = { kind: 'text', text: texts.join(''), shown: [cells.extent(from, last), ...shown] };
  const spot: Spot = { to, cell: firstCut || last + 1, offset: 0, seen: firstCut ? last : 0 };
  yield spot.cell > to ? part : { ...part, next: nextOf(spot) };
}

/** The text of a range of cells, unless it is longer than `most`. */
function wholeCells(cells: Cells, from: number, to: number, most: number): string | undefined {
  let text = '';
  for (let number = from; number <= to; number++) {
    text += cells.text(number, true).text;
    if (text.length > most) return undefined;
  }
  return text;
}

/** Where a walk continues. Cells up to `seen` were in the view, so only those with a cut output are returned again. */
interface Spot {
  readonly to: number;
  readonly cell: number;
  readonly offset: number;
  readonly seen: number;
}

function nextOf(spot: Spot): NonNullable<TextPart['next']> {
  const position: Position = [CELL, spot.cell, spot.offset, spot.to, spot.seen];
  if (spot.cell <= spot.seen || spot.offset > 0) {
    const after = Math.max(spot.seen, spot.cell) + 1;
    return after > spot.to ? { position } : { position, skip: { rows: `${after}-${spot.to}` } };
  }
  return { position, request: { rows: `${spot.cell}-${spot.to}` } };
}

const NOT_HERE = 'The cursor points to a cell this notebook does not have.';

function readSpot(position: Position, cells: Cells): Spot {
  const fields = new PositionReader(position, NOT_HERE);
  fields.oneOf([CELL]);
  const cell = fields.count(cells.count, 1);
  const offset = fields.count();
  const to = fields.count(cells.count, cell);
  const seen = fields.count(to);
  return { cell, offset, to, seen };
}

/** The first spot from `spot` on that has not been returned. */
function seek(cells: Cells, spot: Spot): Spot | undefined {
  let { cell } = spot;
  if (spot.offset > 0) return spot;
  while (cell <= spot.seen && cells.text(cell, false).cuts.length === 0) cell++;
  return cell > spot.to ? undefined : { ...spot, cell };
}

/** Yields cells whole, as many as fit the budget; a longer one by characters. */
async function* walk(
  cells: Cells,
  { budget, signal }: ProcessContext,
  start: Spot,
): AsyncGenerator<TextPart> {
  let tokens = budget.tokensBesideNotes;
  let characters = budget.charactersBesideNotes;
  let pending: TextPart | undefined;
  let fresh = true;
  for (let spot = seek(cells, start); spot; ) {
    throwIfAborted(signal);
    if (pending) yield { ...pending, next: nextOf(spot) };
    pending = undefined;
    const whole = cells.text(spot.cell, true).text;
    if (spot.offset >= whole.length) throw staleCursor(NOT_HERE);
    const text = whole.slice(spot.offset);
    const name = `cell ${spot.cell}`;
    const cell = cells.extent(spot.cell, spot.cell);
    const stretch = (length: number, from: number): Extent => ({
      unit: 'character',
      from: from + 1,
      to: from + Math.max(1, length),
      of: whole.length,
      name,
    });
    if (budget.fits(text, tokens, characters)) {
      const shown = spot.offset > 0 ? [stretch(text.length, spot.offset), cell] : [cell];
      pending = { kind: 'text', text, shown };
      if (tokens !== Number.POSITIVE_INFINITY) tokens -= budget.count(text);
      characters -= text.length;
      fresh = false;
      const after: Spot = { ...spot, cell: spot.cell + 1, offset: 0 };
      spot = after.cell > after.to ? undefined : seek(cells, after);
      continue;
    }
    if (!fresh) return;
    const within = text.slice(0, characters);
    const kept = text.slice(0, safeCut(text, budget.prefix(within, tokens)));
    if (kept === '' || !budget.fits(kept, tokens, characters)) return;
    yield {
      kind: 'text',
      text: kept,
      shown: [stretch(kept.length, spot.offset)],
      next: nextOf({ ...spot, offset: spot.offset + kept.length }),
    };
    return;
  }
  if (pending) yield pending;
}
