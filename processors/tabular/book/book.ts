// A workbook, for all spreadsheet formats: chooses the sheets to show, divides the budget between them, and walks from
// sheet to sheet. `sheet-parts.ts` shows a sheet.

import {
  type Budget,
  type Extent,
  type OutlineLine,
  type Part,
  type Position,
  type ProcessContext,
  plural,
  quoted,
  shortName,
  type TextPart,
  viewOf,
} from '../../../src/contract/index.ts';
import { tableParts } from '../../../src/table/index.ts';
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
import { type Note, noteLine } from './note.ts';
import { commentParts, isAmong } from './remarks.ts';
import { LEAST_TOKENS, MEASURED_BYTES, sampleOf, wishOf } from './sample.ts';
import { limited, Shares } from './shares.ts';
import { isBare, MAX_NOTE_TOKENS, type NoteRoom, SheetParts } from './sheet-parts.ts';
import { type BookSheet, detailsOf, findSheet, headingOf, MAX_LISTED, type OpenSheet } from './sheets.ts';
import { type Pending, pendingOf, positionOf, walkAt } from './walk-position.ts';

/** Column names per line of an outline. */
const COLUMNS_A_LINE = 50;
/** Upper bound of cells per token, even if they are empty: eight commas are one token. */
const MOST_CELLS_A_TOKEN = 8;

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
  readonly #parts: SheetParts;
  /** Sheets, or tables in them, in walk order: those the selection allows, hidden ones last. */
  #order: readonly BookSheet[];
  readonly #single: boolean;
  /** All sheets with all content, if that fits the response. */
  #whole: readonly TextPart[] | undefined;

  constructor(sheets: readonly BookSheet[], context: ProcessContext) {
    this.#sheets = sheets;
    this.#context = context;
    this.#parts = new SheetParts(
      context,
      (sheet) => this.#open(sheet),
      (sheet) => this.#extentOf(sheet),
    );
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
    const shown = sampleOf(this.#order, this.#opened, this.#context);
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
    const shown = sampleOf(this.#order, this.#opened, this.#context);
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
      for (const [sheet, notes] of dropped) this.#parts.dropped.drop(sheet, notes);
    };
    for (const most of [Number.POSITIVE_INFINITY, MAX_NOTE_TOKENS, 0]) {
      parts = [];
      dropped = [];
      const room: NoteRoom = { tokens: most, drop: (sheet, notes) => dropped.push([sheet, notes]) };
      let text = '';
      for (const [place, sheet] of this.#order.entries())
        for await (const part of this.#parts.of(sheet, ample, null, parts.length > 0, room)) {
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
    const sample = sampleOf(this.#order, this.#opened, this.#context);
    const shares = new Shares(
      this.#context.budget,
      sample.map((sheet) => wishOf(sheet, this.#opened, this.#context.limits)),
    );
    const pending: Pending[] = [];
    let separate = false;
    for (const [index, sheet] of sample.entries()) {
      const place = this.#order.indexOf(sheet);
      const budget =
        sample.length === 1 && this.#order.length === 1 ? this.#context.budget : shares.take(index);
      let used = 0;
      let unfinished: Pending | undefined;
      for await (const part of this.#parts.of(sheet, budget, null, separate)) {
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
    let { pending, fresh } = walkAt(resume, this.#order.length);
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
      for await (const part of this.#parts.of(sheet, budget, first?.own ?? undefined, separate)) {
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
      const shown = this.#extentOf(sheet);
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
      if (!isMarkdown && !searched) this.#parts.dropped.drop(sheet, all);
      const view =
        notes.length === 0 ? '' : `${title || '\n'}${notes.map((note) => noteLine(note)).join('\n\n')}\n`;
      if (bare || view !== '') yield { kind: 'text', text: '', ...(view !== '' && { view }), shown };
      if (opened) this.#parts.warn(opened);
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

  #withNext(part: TextPart, pending: readonly Pending[], fresh: number): TextPart {
    const { next: _, ...rest } = part;
    const [first] = pending;
    const position = positionOf(pending, fresh);
    if (first) {
      const request = first.request ?? { sheet: this.#order[first.place]?.name ?? '' };
      return { ...rest, next: { position, request } };
    }
    const following = this.#order[fresh];
    if (!following) return rest;
    return { ...rest, next: { position, request: { sheet: following.name } } };
  }

  #extentOf(sheet: BookSheet): Extent[] {
    if (this.#single) return [];
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
}

/** True if the views fit, each counted separately. */
function fitEach(parts: readonly TextPart[], { tokens, characters, count }: Budget): boolean {
  const views = parts.map(viewOf);
  const length = views.reduce((sum, view) => sum + view.length, 0);
  if (length > characters) return false;
  return tokens === Number.POSITIVE_INFINITY || views.reduce((sum, view) => sum + count(view), 0) <= tokens;
}
