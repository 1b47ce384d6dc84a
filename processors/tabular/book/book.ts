// A workbook, for all spreadsheet formats: chooses the sheets to show, divides the budget between them, and walks from
// sheet to sheet. `src/table` shows the rows of a sheet.

import {
  type Budget,
  type Extent,
  MAX_POSITION,
  type Next,
  type OutlineLine,
  type Part,
  type Position,
  PositionReader,
  type ProcessContext,
  plural,
  quoted,
  type RequestFields,
  shortName,
  staleCursor,
  type TextPart,
  viewOf,
} from '../../../src/contract/index.ts';
import { POSITION_LENGTH, tableParts } from '../../../src/table/index.ts';
import {
  byIslands,
  isIsland,
  islandNamed,
  islandsOf,
  rangeIn,
  sheetOf,
  titleOf,
  withoutRange,
} from './islands.ts';
import { fittedLine, type Note, noteLine } from './note.ts';
import { askedCells, commentParts, isAmong } from './remarks.ts';
import { limited, Shares } from './shares.ts';
import {
  type BookSheet,
  detailsOf,
  findSheet,
  headingOf,
  MAX_LISTED,
  type OpenSheet,
  withoutHeading,
} from './sheets.ts';

/** Sheets that are not shown are still measured if all of them together cost less than this. */
const MEASURED_BYTES = 16 * 1024 * 1024;
/** Number of sheets the first response always shows. */
const FEW_SHEETS = 3;
/** All sheets of a response may be unfinished, and their positions are parts of one. */
const MAX_SAMPLED = Math.floor((MAX_POSITION - 2) / (1 + POSITION_LENGTH));
/** Column names per line of an outline. */
const COLUMNS_A_LINE = 50;
/** Minimum tokens left for a response to continue with another sheet. */
const LEAST_TOKENS = 120;
/** Share of a sheet's budget for the lines below its table. */
const NOTES_SHARE = 0.12;
const MAX_NOTE_TOKENS = 300;

/** The room for the lines below a table, and who hears which of them found none. */
interface NoteRoom {
  readonly tokens: number;
  drop(sheet: BookSheet, notes: readonly Note[]): void;
}
/** Estimates of what a sheet costs: a title line, and a cell with its comma. */
const TITLE_TOKENS = 20;
const TOKENS_A_CELL = 4;
/** Upper bound of cells per token, even if they are empty: eight commas are one token. */
const MOST_CELLS_A_TOKEN = 8;

/** The unfinished walk of one sheet: its index in the book, and the table's own position. */
interface Pending {
  readonly place: number;
  readonly own: Position;
  /** The same as a request, if this response determined it. */
  readonly request?: RequestFields;
}

const ALL_ROWS: readonly Extent[] = [{ unit: 'row', from: 1, to: Number.POSITIVE_INFINITY }];
const NOT_HERE = 'The cursor does not match this workbook.';
const DONE: Next = { position: ['done'] };

/** The parts of a response about `sheets`. @throws {ReaderError} BAD_INPUT for an unknown sheet, STALE_CURSOR. */
export async function* bookParts(
  sheets: readonly BookSheet[],
  context: ProcessContext,
): AsyncGenerator<Part> {
  const book = new Book(sheets, context);
  await book.measure();
  if (context.selection.all) yield* book.everything();
  else if (context.selection.resume === undefined) yield* book.fresh();
  else yield* book.page(context.selection.resume);
}

/** Sheets with their sizes, one line each. */
export async function* bookOutline(
  sheets: readonly BookSheet[],
  context: ProcessContext,
): AsyncGenerator<OutlineLine> {
  const book = new Book(sheets, context);
  await book.measure();
  yield* book.outline();
}

class Book {
  readonly #sheets: readonly BookSheet[];
  readonly #context: ProcessContext;
  readonly #opened = new Map<BookSheet, OpenSheet>();
  /** Sheets, or tables in them, in walk order: those the selection allows, hidden ones last. */
  #order: readonly BookSheet[];
  readonly #single: boolean;
  /** All sheets with all content, if that fits the response. */
  #whole: readonly TextPart[] | undefined;

  constructor(sheets: readonly BookSheet[], context: ProcessContext) {
    this.#sheets = sheets;
    this.#context = context;
    const { sheet, rows, columns } = context.selection;
    const visible = sheets.filter(({ state }) => state === 'visible');
    const hidden = sheets.filter(({ state }) => state !== 'visible');
    const all = [...visible, ...hidden];
    if (sheet !== undefined) {
      this.#order = [findSheet(sheets, byIslands(context.selection) ? withoutRange(sheet) : sheet)];
    } else if (rows !== undefined || columns !== undefined) {
      // Row and column numbers are ambiguous across sheets.
      const first = all.find((candidate) => candidate.open) ?? all[0];
      this.#order = first ? [first] : [];
    } else this.#order = all;
    this.#single = this.#order.length < sheets.length || sheets.length === 1;
  }

  /** Replaces each sheet to show by the tables in it. */
  async #divide(): Promise<void> {
    const { selection, signal } = this.#context;
    const tables: BookSheet[] = [];
    for (const sheet of this.#order) {
      const opened = sheet.cost <= MEASURED_BYTES ? await this.#open(sheet) : undefined;
      tables.push(...(opened ? await islandsOf(sheet, opened, signal) : [sheet]));
    }
    for (const table of tables) if (isIsland(table)) await this.#open(table);
    this.#order =
      rangeIn(selection.sheet ?? '') === undefined ? tables : [islandNamed(tables, selection.sheet ?? '')];
  }

  /** Opens the sheets to show, and others if that is cheap; reports all known facts. */
  async measure(): Promise<void> {
    const { selection, limits } = this.#context;
    if (byIslands(selection)) await this.#divide();
    const resumed = selection.resume !== undefined;
    const shown = this.#sample();
    let left = MEASURED_BYTES;
    for (const sheet of this.#sheets) {
      const isShown = !resumed && !selection.all && shown.includes(sheet);
      if (!sheet.open) continue;
      if (isShown) await this.#open(sheet);
      else if (sheet.cost <= left && !resumed) {
        left -= sheet.cost;
        await this.#open(sheet);
      }
    }
    this.#describe();
    // Reported first: the unit of the totals.
    if (this.#sheets.length > 1 && !this.#single && limits.maxSheets > 0)
      this.#context.whole({ unit: 'sheet', of: this.#sheets.length });
    if (!resumed && !selection.all && !selection.outline) this.#whole = await this.#wholeParts();
    this.#warnOfHidden();
  }

  #warnOfHidden(): void {
    const { selection } = this.#context;
    const hidden = this.#sheets.filter(({ state }) => state !== 'visible');
    if (hidden.length === 0 || selection.sheet !== undefined) return;
    const names = hidden.slice(0, 10).map(({ name }) => quoted(name));
    const count = `${plural(hidden.length, 'sheet')} of the workbook ${hidden.length === 1 ? 'is' : 'are'} hidden`;
    const shown = this.#sample();
    const allShown =
      selection.all || this.#whole !== undefined || hidden.every((sheet) => shown.includes(sheet));
    const advice = allShown ? '' : ' Use `sheet` to read one.';
    this.#context.warn({
      code: 'HIDDEN_CONTENT',
      message: `${count}: ${names.join(', ')}${hidden.length > names.length ? ', ...' : ''}.${advice}`,
    });
  }

  /**
   * The whole content of all sheets, with surrounding lines if they fit too. Tried with twice the budget, so that no
   * sheet's or note's share cuts what fits in total.
   */
  async #wholeParts(): Promise<readonly TextPart[] | undefined> {
    const { budget, limits, selection } = this.#context;
    const { tokens, characters } = budget;
    if (selection.rows !== undefined || selection.columns !== undefined) return undefined;
    if (tokens < 1 || this.#order.length > limits.maxSheets) return undefined;
    let cells = 0;
    for (const sheet of this.#order) {
      const opened = this.#opened.get(sheet);
      if (sheet.open && !opened) return undefined;
      cells += opened ? opened.table.rows * opened.table.columns : 0;
    }
    if (cells > MOST_CELLS_A_TOKEN * tokens) return undefined;
    const ample: Budget = {
      ...limited(budget, 2 * tokens, 2 * characters),
      tokensBesideNotes: 2 * tokens,
      charactersBesideNotes: 2 * characters,
    };
    let parts: TextPart[] = [];
    let dropped: (readonly [BookSheet, readonly Note[]])[] = [];
    const warn = (): void => {
      for (const [sheet, notes] of dropped) this.#dropped.drop(sheet, notes);
    };
    for (const most of [Number.POSITIVE_INFINITY, MAX_NOTE_TOKENS, 0]) {
      parts = [];
      dropped = [];
      const room: NoteRoom = { tokens: most, drop: (sheet, notes) => dropped.push([sheet, notes]) };
      let text = '';
      for (const [place, sheet] of this.#order.entries())
        for await (const part of this.#sheetParts(sheet, place, ample, null, parts.length > 0, room)) {
          text += part.text;
          if (pendingOf(part.next, place) || !budget.fits(text, tokens, characters)) return undefined;
          parts.push(this.#withNext(part, [], place + 1));
        }
      if (!fitEach(parts, budget)) continue;
      warn();
      return parts;
    }
    warn();
    // The content fits, but without surrounding lines.
    const plain = parts.map(({ view: _, ...part }) => part);
    if (fitEach(plain, budget)) return plain;
    // Texts counted separately may cost a token more than together.
    const text = plain.map((part) => part.text).join('');
    return [{ kind: 'text', text, shown: plain.flatMap(({ shown }) => shown) }];
  }

  /** The first response: everything, or a sample of the first sheets, each within its share. */
  async *fresh(): AsyncGenerator<TextPart> {
    if (this.#whole) {
      yield* this.#whole;
      return;
    }
    const sample = this.#sample();
    const shares = new Shares(
      this.#context.budget,
      sample.map((sheet) => this.#wish(sheet)),
    );
    const pending: Pending[] = [];
    let separate = false;
    for (const [index, sheet] of sample.entries()) {
      const place = this.#order.indexOf(sheet);
      const budget =
        sample.length === 1 && this.#order.length === 1 ? this.#context.budget : shares.take(index);
      let used = 0;
      let unfinished: Pending | undefined;
      for await (const part of this.#sheetParts(sheet, place, budget, null, separate)) {
        unfinished = pendingOf(part.next, place);
        used += budget.tokens === Number.POSITIVE_INFINITY ? 0 : budget.count(viewOf(part));
        separate = true;
        yield this.#withNext(part, unfinished ? [...pending, unfinished] : pending, place + 1);
      }
      if (unfinished) pending.push(unfinished);
      shares.spend(used);
    }
  }

  /** A page of the walk: unfinished sheets first, then each sheet from its first row. */
  async *page(resume: Position): AsyncGenerator<TextPart> {
    let { pending, fresh } = this.#decode(resume);
    let left = this.#context.budget.tokensBesideNotes;
    let leftCharacters = this.#context.budget.charactersBesideNotes;
    let separate = false;
    for (;;) {
      const [first, ...rest] = pending;
      const place = first ? first.place : fresh;
      const sheet = this.#order[place];
      if (!sheet) return;
      if (!first) fresh++;
      const budget = limited(this.#context.budget, left, leftCharacters);
      let finished = true;
      for await (const part of this.#sheetParts(sheet, place, budget, first?.own ?? undefined, separate)) {
        const unfinished = pendingOf(part.next, place);
        finished = unfinished === undefined;
        left -= budget.count(viewOf(part));
        leftCharacters -= viewOf(part).length;
        separate = true;
        yield this.#withNext(part, unfinished ? [unfinished, ...rest] : rest, fresh);
      }
      if (!finished || left < LEAST_TOKENS || leftCharacters < LEAST_TOKENS) return;
      pending = rest;
    }
  }

  /** Every sheet, whole; in Markdown with its title, and the lines about it below. */
  async *everything(): AsyncGenerator<Part> {
    const { format, searched = false, rows: someRows, columns: someColumns } = this.#context.selection;
    const isMarkdown = format === 'markdown';
    const isWhole = someRows === undefined && someColumns === undefined;
    for (const [place, sheet] of this.#order.entries()) {
      const opened = await this.#open(sheet);
      const shown = this.#sheetExtent(place);
      const bare = !opened || isBare(opened);
      const seen: Extent[] = [];
      let title = isMarkdown ? titleOf(sheet, this.#order[place - 1]) : '';
      if (!bare)
        for await (const part of tableParts(opened.table, this.#context, { resume: null })) {
          yield {
            ...part,
            ...(title !== '' && { view: title + part.text }),
            shown: [...part.shown, ...shown],
          };
          title = '';
          if (searched) seen.push(...part.shown);
        }
      if (searched) {
        const comments = opened?.comments ?? [];
        yield* commentParts(
          isWhole ? comments : comments.filter(({ cell }) => isAmong(seen, cell)),
          sheet.name,
        );
      }
      const rows = [{ unit: 'row' as const, from: 1, to: opened?.table.rows ?? 0 }];
      const all = opened?.notes(rows) ?? [];
      const notes = isMarkdown ? all : [];
      if (!isMarkdown && !searched) this.#dropped.drop(sheet, all);
      const view =
        notes.length === 0 ? '' : `${title || '\n'}${notes.map((note) => noteLine(note)).join('\n\n')}\n`;
      if (bare || view !== '') yield { kind: 'text', text: '', ...(view !== '' && { view }), shown };
      if (opened) this.#warn(opened);
    }
  }

  /** One line per sheet, followed by its column names, if any. */
  *outline(): Generator<OutlineLine> {
    const { sheet: wanted, brief } = this.#context.selection;
    for (const [index, sheet] of this.#sheets.entries()) {
      if (wanted !== undefined && !this.#order.includes(sheet)) continue;
      const opened = this.#opened.get(sheet);
      const heading = opened?.table.heading ?? headingOf(sheet);
      const more = brief || !opened ? '' : detailsOf(opened.facts);
      yield { level: 1, text: `${index + 1}. ${heading}${more}` };
      const header = opened?.table.header ?? [];
      for (let at = 0; at < header.length; at += COLUMNS_A_LINE) {
        const names = header.slice(at, at + COLUMNS_A_LINE).map(shortName);
        yield { level: 2, nested: true, text: `  ${names.join(', ')}` };
      }
    }
  }

  async *#sheetParts(
    sheet: BookSheet,
    place: number,
    budget: Budget,
    resume: Position | null | undefined,
    separate: boolean,
    room: NoteRoom = this.#dropped,
  ): AsyncGenerator<TextPart> {
    const opened = await this.#open(sheet);
    const isEmpty = opened?.table.rows === 0;
    if (
      !opened ||
      isBare(opened) ||
      (isEmpty && this.#context.selection.rows !== undefined) ||
      this.#isBeside(opened)
    ) {
      if (resume !== null && resume !== undefined) throw staleCursor(NOT_HERE);
      if (opened) this.#warn(opened);
      yield* this.#bare(sheet, place, budget, separate, room);
      return;
    }
    const { selection } = this.#context;
    const isJson = selection.format === 'json';
    // In a walk, a sheet that was not sampled is read from its first row on.
    const fromStart = resume === undefined && selection.rows === undefined && !isEmpty;
    const context: ProcessContext = fromStart
      ? {
          ...this.#context,
          selection: { ...withoutResume(selection), rows: { from: 1, to: Number.POSITIVE_INFINITY } },
        }
      : this.#context;
    // A later page of a sheet has no notes: they are on its first.
    const withNotes = (resume === null || resume === undefined) && opened.notes(ALL_ROWS).length > 0;
    const reserve =
      withNotes && !isJson && room.tokens > 0
        ? Math.min(MAX_NOTE_TOKENS, Math.floor(budget.tokensBesideNotes * NOTES_SHARE))
        : 0;
    const table = isJson ? withoutHeading(opened.table) : opened.table;
    let held: TextPart | undefined;
    let used = 0;
    const seen: Extent[] = [];
    const parts = tableParts(table, context, {
      budget:
        reserve > 0 ? limited(budget, budget.tokens - reserve, budget.characters - reserve, reserve) : budget,
      resume: resume ?? null,
      after: DONE,
    });
    for await (const part of parts) {
      if (held) yield held;
      const view = held || used > 0 || !separate || isJson ? part.view : `\n${viewOf(part)}`;
      held = {
        ...part,
        ...(view !== undefined && { view }),
        shown: [...part.shown, ...this.#sheetExtent(place)],
      };
      used += budget.count(viewOf(held));
      seen.push(...part.shown);
    }
    this.#warn(opened);
    if (!held) return;
    yield withNotes ? this.#noted(held, sheet, opened.notes(seen), budget, used, room) : held;
  }

  /** Only comments are in the cells asked for: the table ends before them. */
  #isBeside({ table, comments = [] }: OpenSheet): boolean {
    const asked = askedCells(this.#context.selection);
    const isOutside = asked?.some(({ unit, from }) => from > (unit === 'row' ? table.rows : table.columns));
    return asked !== undefined && isOutside === true && comments.some(({ cell }) => isAmong(asked, cell));
  }

  /** Appends the lines below a table to its last part, as many as fit. A finished table leaves them its room. */
  #noted(
    part: TextPart,
    sheet: BookSheet,
    notes: readonly Note[],
    budget: Budget,
    used: number,
    room: NoteRoom,
  ): TextPart {
    let view = viewOf(part);
    // What follows the rows that were asked for needs no room.
    const isFinished =
      part.next === undefined || part.next === DONE || this.#context.selection.rows !== undefined;
    let left = Math.min(
      isFinished ? room.tokens : Math.min(room.tokens, MAX_NOTE_TOKENS),
      budget.tokensBesideNotes - used,
    );
    const dropped: Note[] = [];
    for (const note of notes) {
      const line =
        this.#context.selection.format === 'json'
          ? undefined
          : fittedLine(note, (text) =>
              budget.fits(`${text}\n`, left, budget.charactersBesideNotes - view.length),
            );
      if (line === undefined) {
        dropped.push(note);
        continue;
      }
      left -= budget.count(`${line}\n`);
      view += `${line}\n`;
    }
    room.drop(sheet, dropped);
    return view === viewOf(part) ? part : { ...part, view };
  }

  /** A sheet without rows: its title line, and that it was shown. */
  *#bare(
    sheet: BookSheet,
    place: number,
    budget: Budget,
    separate: boolean,
    room: NoteRoom,
  ): Generator<TextPart> {
    const opened = this.#opened.get(sheet);
    const view = `${separate ? '\n' : ''}${headingOf(sheet, opened)}\n`;
    const fits = budget.fits(view, budget.tokensBesideNotes, budget.charactersBesideNotes);
    const isJson = this.#context.selection.format === 'json';
    const asked = askedCells(this.#context.selection) ?? ALL_ROWS;
    if (!fits && budget.tokens < 1) return;
    const part: TextPart = {
      kind: 'text',
      text: '',
      view: fits && !isJson ? view : '',
      shown: this.#sheetExtent(place),
      next: DONE,
    };
    yield fits && opened
      ? this.#noted(part, sheet, opened.notes(asked), budget, budget.count(view), room)
      : part;
  }

  #withNext(part: TextPart, pending: readonly Pending[], fresh: number): TextPart {
    const { next: _, ...rest } = part;
    const [first] = pending;
    const position = [fresh, pending.length, ...pending.flatMap(({ place, own }) => [place, ...own])];
    if (first) {
      const request = first.request ?? { sheet: this.#order[first.place]?.name ?? '' };
      return { ...rest, next: { position, request } };
    }
    const following = this.#order[fresh];
    if (!following) return rest;
    return { ...rest, next: { position, request: { sheet: following.name } } };
  }

  #decode(position: Position): { pending: Pending[]; fresh: number } {
    const fields = new PositionReader(position, NOT_HERE);
    const fresh = fields.count(this.#order.length);
    const count = fields.count(this.#order.length);
    const pending: Pending[] = [];
    while (pending.length < count)
      pending.push({ place: fields.count(this.#order.length - 1), own: fields.take(POSITION_LENGTH) });
    fields.end();
    fields.check(count > 0 || fresh < this.#order.length);
    return { pending, fresh };
  }

  /** The sheets of a first response. */
  #sample(): readonly BookSheet[] {
    const { budget, limits } = this.#context;
    const visible = this.#order.filter(({ state }) => state === 'visible');
    // Include hidden sheets if everything fits.
    const fits = this.#order.reduce((sum, sheet) => sum + this.#cost(sheet), 0) <= budget.tokensBesideNotes;
    const sheets = visible.length === 0 || fits ? this.#order : visible;
    const shares = Math.floor(budget.tokensBesideNotes / LEAST_TOKENS);
    const affordable = fits ? sheets.length : Math.max(FEW_SHEETS, shares);
    const most = Math.max(1, Math.min(limits.maxSheets, affordable, MAX_SAMPLED));
    let left = MEASURED_BYTES;
    const costly = sheets.findIndex(({ cost }, index) => {
      left -= cost;
      return index >= FEW_SHEETS && left < 0;
    });
    return sheets.slice(0, costly < 0 ? most : Math.min(most, costly));
  }

  /** Estimated tokens of a sheet, from its number of cells. */
  #cost(sheet: BookSheet): number {
    const table = this.#opened.get(sheet)?.table;
    return TITLE_TOKENS + (table ? table.rows * table.columns * TOKENS_A_CELL : 0);
  }

  /** Estimated tokens of a sheet's sample. */
  #wish(sheet: BookSheet): number {
    const { rowsHead, rowsTail, maxColumns } = this.#context.limits;
    const columns = Math.min(this.#opened.get(sheet)?.table.columns ?? 0, maxColumns);
    return Math.min(this.#cost(sheet), TITLE_TOKENS + (rowsHead + rowsTail) * columns * TOKENS_A_CELL);
  }

  #sheetExtent(place: number): Extent[] {
    const sheet = this.#order[place];
    if (this.#single || !sheet) return [];
    const number = this.#sheets.indexOf(sheetOf(sheet)) + 1;
    return [{ unit: 'sheet', from: number, to: number, of: this.#sheets.length }];
  }

  async #open(sheet: BookSheet): Promise<OpenSheet | undefined> {
    const known = this.#opened.get(sheet);
    if (known || !sheet.open) return known;
    const opened = await sheet.open();
    this.#opened.set(sheet, opened);
    return opened;
  }

  #describe(): void {
    const facts = this.#sheets.slice(0, MAX_LISTED).map((sheet) => ({
      name: sheet.name,
      state: sheet.state,
      ...(sheet.kind !== 'worksheet' && { kind: sheet.kind }),
      ...this.#opened.get(sheet)?.facts,
    }));
    const [only] = this.#order;
    const table = this.#order.length === 1 && only ? this.#opened.get(only)?.table : undefined;
    this.#context.describe({
      sheets: facts,
      ...(facts.length < this.#sheets.length && { sheetCount: this.#sheets.length }),
      ...(table && { rows: table.rows, columns: table.columns }),
    });
  }

  /** All the room there is. Notes that find none are named, except those about cells that are shown themselves. */
  readonly #dropped: NoteRoom = {
    tokens: Number.POSITIVE_INFINITY,
    drop: (sheet, notes) => {
      const { format, plain, all } = this.#context.selection;
      const titles = notes.filter(({ isAside }) => !isAside).map(({ title }) => title.toLowerCase());
      if (titles.length === 0 || plain) return;
      const isFormat = format === 'json' || all === true;
      this.#context.warn({
        code: 'SKIPPED_CONTENT',
        message: `Sheet ${quoted(sheetOf(sheet).name)}: not shown: ${titles.join(', ')}. ${
          isFormat
            ? 'Read it as Markdown to see them.'
            : 'Read it with `rows: "1"` or a larger budget to see them.'
        }`,
      });
    },
  };

  #warn(opened: OpenSheet): void {
    for (const warning of opened.warnings()) this.#context.warn(warning);
  }
}

/** True if the views fit, each counted separately. */
function fitEach(parts: readonly TextPart[], { tokens, characters, count }: Budget): boolean {
  const views = parts.map(viewOf);
  const length = views.reduce((sum, view) => sum + view.length, 0);
  if (length > characters) return false;
  return tokens === Number.POSITIVE_INFINITY || views.reduce((sum, view) => sum + count(view), 0) <= tokens;
}

/** True for a sheet with nothing to show: no rows, and no names of columns beside them. */
const isBare = ({ table }: OpenSheet): boolean =>
  table.rows === 0 && (table.header === undefined || table.header.length === 0);

function pendingOf(next: Next | undefined, place: number): Pending | undefined {
  if (next === undefined || next === DONE) return undefined;
  return { place, own: next.position, ...(next.request && { request: next.request }) };
}

function withoutResume(selection: ProcessContext['selection']): Omit<ProcessContext['selection'], 'resume'> {
  const { resume: _, ...rest } = selection;
  return rest;
}
