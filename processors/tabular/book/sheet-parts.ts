// The parts that show one sheet of a workbook: its table within a budget, and below it lines about what else the sheet
// holds. Does not choose the sheet.

import {
  type Budget,
  type Extent,
  type Next,
  type Position,
  type ProcessContext,
  quoted,
  staleCursor,
  type TextPart,
  viewOf,
} from '../../../src/contract/index.ts';
import { tableParts } from '../../../src/table/index.ts';
import { sheetOf } from './islands.ts';
import { fittedLine, type Note } from './note.ts';
import { askedCells, isAmong } from './remarks.ts';
import { limited } from './shares.ts';
import { type BookSheet, headingOf, type OpenSheet, withoutHeading } from './sheets.ts';

/** Share of a sheet's budget for the lines below its table. */
const NOTES_SHARE = 0.12;
export const MAX_NOTE_TOKENS = 300;

/** The room for the lines below a table, and who hears which of them found none. */
export interface NoteRoom {
  readonly tokens: number;
  drop(sheet: BookSheet, notes: readonly Note[]): void;
}

const ALL_ROWS: readonly Extent[] = [{ unit: 'row', from: 1, to: Number.POSITIVE_INFINITY }];
export const NOT_HERE = 'The cursor does not match this workbook.';
/** Follows the last row of a sheet. */
export const DONE: Next = { position: ['done'] };

/** True for a sheet with nothing to show: no rows, and no names of columns beside them. */
export const isBare = ({ table }: OpenSheet): boolean =>
  table.rows === 0 && (table.header === undefined || table.header.length === 0);

export class SheetParts {
  readonly #context: ProcessContext;
  readonly #open: (sheet: BookSheet) => Promise<OpenSheet | undefined>;
  readonly #extentOf: (sheet: BookSheet) => readonly Extent[];

  /** `extentOf` is the place of a sheet among the others; empty for the only one. */
  constructor(
    context: ProcessContext,
    open: (sheet: BookSheet) => Promise<OpenSheet | undefined>,
    extentOf: (sheet: BookSheet) => readonly Extent[],
  ) {
    this.#context = context;
    this.#open = open;
    this.#extentOf = extentOf;
  }

  /** With `resume`, what follows that position; null for the first view, undefined for the rows from the first on. */
  async *of(
    sheet: BookSheet,
    budget: Budget,
    resume: Position | null | undefined,
    separate: boolean,
    room: NoteRoom = this.dropped,
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
      if (opened) this.warn(opened);
      yield* this.#bare(sheet, opened, budget, separate, room);
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
        shown: [...part.shown, ...this.#extentOf(sheet)],
      };
      used += budget.count(viewOf(held));
      seen.push(...part.shown);
    }
    this.warn(opened);
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
    opened: OpenSheet | undefined,
    budget: Budget,
    separate: boolean,
    room: NoteRoom,
  ): Generator<TextPart> {
    const view = `${separate ? '\n' : ''}${headingOf(sheet, opened)}\n`;
    const fits = budget.fits(view, budget.tokensBesideNotes, budget.charactersBesideNotes);
    const isJson = this.#context.selection.format === 'json';
    const asked = askedCells(this.#context.selection) ?? ALL_ROWS;
    if (!fits && budget.tokens < 1) return;
    const part: TextPart = {
      kind: 'text',
      text: '',
      view: fits && !isJson ? view : '',
      shown: this.#extentOf(sheet),
      next: DONE,
    };
    yield fits && opened
      ? this.#noted(part, sheet, opened.notes(asked), budget, budget.count(view), room)
      : part;
  }

  /** All the room there is. Notes that find none are named, except those about cells that are shown themselves. */
  readonly dropped: NoteRoom = {
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

  warn(opened: OpenSheet): void {
    for (const warning of opened.warnings()) this.#context.warn(warning);
  }
}

function withoutResume(selection: ProcessContext['selection']): Omit<ProcessContext['selection'], 'resume'> {
  const { resume: _, ...rest } = selection;
  return rest;
}
