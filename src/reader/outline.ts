// The outline of a file instead of its content, page by page: as many lines as fit the budget, and a cursor to the next
// ones. Works the same for every format; the processor supplies the lines.

import {
  type Budget,
  type Extent,
  OUTLINE,
  type OutlineLine,
  omittedExtents,
  type Position,
  PositionReader,
  ReaderError,
  type RequestFields,
  safeCut,
  staleCursor,
  type TextPart,
  viewOf,
  type Whole,
} from '../contract/index.ts';
import type { Converted } from './converter.ts';
import type { Engine } from './engine.ts';
import { type Gathered, nextOf } from './gather.ts';
import type { ContentsPage } from './result.ts';
import type { Session } from './session.ts';

/** Start of a page: `offset` UTF-16 units into line `line` (from 0), in the order for `depth`. */
interface PageStart {
  /** Number of levels shown first; 0 if not chosen yet. */
  readonly depth: number;
  readonly line: number;
  readonly offset: number;
  /** Identifies the outline in which the lines are counted; absent at the start of the walk. */
  readonly digest?: number;
}

/** A line with its place in the file. */
interface PlacedLine {
  readonly line: OutlineLine;
  readonly at: number;
}

/** A line in walk order, with the lines of its parents. */
interface OrderedLine extends PlacedLine {
  readonly parents: readonly PlacedLine[];
}

/** One page of an outline. */
interface OutlinePage {
  readonly parts: readonly TextPart[];
  readonly shown: readonly Extent[];
  readonly wholes: readonly Whole[];
  /** Null at the end of the outline. */
  readonly next: NonNullable<Gathered['account']['next']> | null;
  readonly converted: Converted;
}

/**
 * The page at the session's cursor; undefined if the file has no outline.
 * @throws {ReaderError} STALE_CURSOR for a cursor that points past the outline
 */
async function pageOf(engine: Engine, session: Session, budget: Budget): Promise<OutlinePage | undefined> {
  const { converter, cursor } = session;
  const start = startOf(session);
  // A character takes up to two bytes, here and again in the answer's text.
  const characters = Math.min(budget.charactersBesideNotes, engine.limits.maxBytesInMemory / 4);
  const page = new Page(start, budget, characters);
  const order = new Order(start.depth, budget, characters);
  for await (const ordered of order.of(converter.lines(budget))) page.add(ordered);
  const converted = converter.converted();
  if (page.count === 0 && cursor?.walk !== 'outline') return undefined;
  if (page.count <= start.line || (start.digest ?? page.digest) !== page.digest) throw staleCursor(NOT_HERE);
  const levels = levelsOf(converted);
  const position = page.next(order.depth);
  return {
    parts: page.parts(),
    shown: [...page.shown, ...levelsShown(order.deepest, levels)],
    wholes: [...page.wholes, ...levels],
    next: position ? await nextOf(session, converted, { position }, true) : null,
    converted,
  };
}

/** The outline instead of `content`, all of which counts as omitted. A file without an outline keeps its content. */
export async function outlined(
  engine: Engine,
  session: Session,
  content: Gathered,
  budget: Budget,
): Promise<Gathered> {
  if (!content.converted.processor.outline) return content;
  let page: OutlinePage | undefined;
  try {
    page = await pageOf(engine, session, budget);
  } catch (error) {
    // If the process died before it finished the outline, show the content instead, if there is any.
    if (session.cursor?.walk === 'outline' || !isEnding(error)) throw error;
    const converted = session.converter.converted();
    const message = `${error.message} The content is shown instead of the outline.`;
    const warnings = [...converted.warnings, { code: 'INTERRUPTED', message } as const];
    return { ...content, converted: { ...converted, warnings } };
  }
  if (!page) return { ...content, converted: session.converter.converted() };
  const { parts, shown, wholes, converted } = page;
  // Files are counted in the unit their format declares first: lines, rows, pages, root keys.
  const [main] = content.converted.wholes;
  const next =
    page.next ?? (await nextOf(session, converted, { position: [], ...requestOf(session, converted, main) }));
  const left = main ? omittedExtents([], [main]) : content.account.omitted;
  const omitted = [...omittedExtents(shown, wholes), ...left];
  return { parts, account: { shown, omitted, cellsCut: 0, isAsAsked: false, next }, converted };
}

/** A page of the outline for `inspect`; undefined if the file has none. */
export async function listing(
  engine: Engine,
  session: Session,
  budget: Budget,
): Promise<ContentsPage | undefined> {
  const { processor } = session.converter.converted();
  const page = processor.outline && (await pageOf(engine, session, budget));
  if (!page) return undefined;
  const { parts, shown, wholes, next } = page;
  const [whole] = wholes;
  const [entries] = shown;
  return {
    text: parts.map(viewOf).join(''),
    shown: entries?.unit === 'entry' ? [entries.from, entries.to] : null,
    of: whole?.of ?? 0,
    next: next && { cursor: next.cursor },
  };
}

function isEnding(error: unknown): error is ReaderError {
  return error instanceof ReaderError && ['TIMED_OUT', 'OUT_OF_MEMORY', 'CRASHED'].includes(error.code);
}

const NOT_HERE = 'The cursor does not point into this outline.';

/** @throws {ReaderError} STALE_CURSOR */
function startOf({ cursor }: Session): PageStart {
  if (cursor?.walk !== 'outline') return { depth: 0, line: 0, offset: 0 };
  const fields = new PositionReader(cursor.position, NOT_HERE);
  const depth = fields.count();
  const line = fields.count();
  const offset = fields.count();
  const digest = fields.count();
  fields.end();
  // Another order makes another outline.
  return { depth, line, offset, ...(depth > 0 && { digest }) };
}

/** The levels of the file, if the processor says that its outline does not reach all of them. */
function levelsOf({ wholes }: Converted): Whole[] {
  return wholes.filter(({ unit, name }) => unit === 'level' && name === OUTLINE);
}

function levelsShown(deepest: number, levels: readonly Whole[]): Extent[] {
  return levels.flatMap((whole) =>
    deepest > 0 ? [{ ...whole, from: 1, to: Math.min(deepest, whole.of) }] : [],
  );
}

/** The start of the content as a request, unless the request already selects a part. */
function requestOf(
  { request }: Session,
  { processor }: Converted,
  main: Whole | undefined,
): { request?: RequestFields } {
  if (main?.unit === 'line' && request.lines === undefined && processor.selects.includes('lines'))
    return { request: { lines: `1-${main.of}` } };
  const paged = main?.unit === 'page' || main?.unit === 'slide';
  if (main && paged && request.pages === undefined && processor.selects.includes('pages'))
    return { request: { pages: `1-${main.of}` } };
  return {};
}

/** Puts outline lines into walk order: outer levels first, if not all fit in one answer. */
class Order {
  depth: number;
  deepest = 0;
  readonly #budget: Budget;
  readonly #characters: number;

  constructor(depth: number, budget: Budget, characters: number) {
    this.depth = depth;
    this.#budget = budget;
    this.#characters = characters;
  }

  async *of(lines: AsyncIterable<OutlineLine>): AsyncGenerator<OrderedLine> {
    const leveled: PlacedLine[] = [];
    let at = 0;
    for await (const line of lines) {
      if (line.level === undefined) yield { line, at, parents: [] };
      else leveled.push({ line, at });
      at += 1;
    }
    for (const { level = 0 } of leveled.map(({ line }) => line)) this.deepest = Math.max(this.deepest, level);
    if (this.depth === 0) this.depth = this.#choose(leveled);
    yield* within(leveled, 0, this.depth);
    for (let level = this.depth + 1; level <= this.deepest; level += 1) yield* within(leveled, level, level);
  }

  /** The largest number of levels that fit in one answer, at least 1. */
  #choose(lines: readonly PlacedLine[]): number {
    for (let depth = this.deepest; depth > 1; depth -= 1) {
      const kept = lines.filter(({ line: { level = 0 } }) => level <= depth);
      const text = kept.map(({ line }) => `${line.text}\n`).join('');
      if (this.#budget.fits(text, this.#budget.tokensBesideNotes, this.#characters)) return depth;
    }
    return 1;
  }
}

/** The lines of levels `from` to `to`, each with its parents. */
function* within(lines: readonly PlacedLine[], from: number, to: number): Generator<OrderedLine> {
  const open: PlacedLine[] = [];
  for (const { line, at } of lines) {
    const level = line.level ?? 0;
    // A skipped level has no line.
    const parents = line.nested ? open.slice(1, level).filter((parent) => parent !== undefined) : [];
    if (level >= from && level <= to) yield { line, at, parents };
    open.length = Math.min(open.length, level);
    open[level] = { line, at };
  }
}

/** One answer: as many lines as fit from its start on, in file order, and the total number of lines. */
class Page {
  count = 0;
  /** Digest of the texts of all lines in order (FNV-1a). */
  digest = 0x811c9dc5;
  readonly #start: PageStart;
  readonly #budget: Budget;
  #tokens: number;
  #characters: number;
  /** Written lines by place in the file, including parent lines shown only for context. */
  readonly #written = new Map<number, { readonly text: string; readonly isLead: boolean }>();
  #full = false;
  /** Lines before this one (from 0) are complete with this page. */
  #done: number;
  /** A line cut at its start or end: its number from 1, its length and the part shown. */
  readonly #cuts: {
    readonly number: number;
    readonly of: number;
    readonly from: number;
    readonly to: number;
  }[] = [];

  constructor(start: PageStart, budget: Budget, characters: number) {
    this.#start = start;
    this.#budget = budget;
    this.#tokens = budget.tokensBesideNotes;
    this.#characters = characters;
    this.#done = start.line;
  }

  add({ line, at, parents }: OrderedLine): void {
    this.count += 1;
    for (let at = 0; at < line.text.length; at += 1)
      this.digest = Math.imul(this.digest ^ line.text.charCodeAt(at), 0x01000193) >>> 0;
    if (this.#full || this.count <= this.#start.line) return;
    const offset = this.count === this.#start.line + 1 ? this.#start.offset : 0;
    const whole = `${line.text}\n`;
    if (offset >= whole.length) throw staleCursor(NOT_HERE);
    const text = whole.slice(offset);
    // The rest of a line begun on another page comes first.
    const place = offset > 0 ? -1 : at;
    const leads = offset > 0 ? [] : parents.filter((parent) => !this.#written.has(parent.at));
    const isFirst = this.#written.size === 0;
    if (this.#take(place, text, leads) || (isFirst && leads.length > 0 && this.#take(place, text, []))) {
      this.#done = this.count;
      if (offset > 0) this.#cut(whole.length, offset, whole.length);
      return;
    }
    this.#full = true;
    if (!isFirst) return;
    // Not even one line fits: the walk continues inside it.
    const room = this.#budget.prefix(text.slice(0, Math.max(0, this.#characters)), this.#tokens);
    const end = safeCut(text, room);
    if (end === 0 || end > room) return;
    this.#written.set(place, { text: text.slice(0, end), isLead: false });
    this.#cut(whole.length, offset, offset + end);
  }

  get wholes(): Whole[] {
    return [
      { unit: 'entry', of: this.count, name: OUTLINE },
      ...this.#cuts.map(({ number, of }): Whole => ({ unit: 'character', of, name: inside(number) })),
    ];
  }

  get shown(): Extent[] {
    const from = this.#start.line + 1;
    const to = this.#done;
    return [
      ...(to >= from ? [{ unit: 'entry', from, to, of: this.count, name: OUTLINE } as const] : []),
      ...this.#cuts.map(
        ({ number, ...cut }): Extent => ({ unit: 'character', ...cut, name: inside(number) }),
      ),
    ];
  }

  /** Where the outline continues; undefined when all of it has been shown. */
  next(depth: number): Position | undefined {
    if (this.#done >= this.count) return undefined;
    const cut = this.#cuts.find(({ number, to, of }) => number === this.#done + 1 && to < of);
    const { line, offset } = this.#start;
    const nothing = this.#done === line && !cut;
    // An empty page leaves the choice of the order to the next one.
    if (nothing) return [line === 0 && offset === 0 ? 0 : depth, line, offset, this.digest];
    return [depth, this.#done, cut?.to ?? 0, this.digest];
  }

  parts(): TextPart[] {
    if (this.#written.size === 0) return [];
    const lines = [...this.#written].sort(([a], [b]) => a - b).map(([, line]) => line);
    const joined = (some: typeof lines): string => some.map(({ text }) => text).join('');
    const text = joined(lines.filter(({ isLead }) => !isLead));
    const view = joined(lines);
    return [{ kind: 'text', text, ...(view !== text && { view }), shown: this.shown }];
  }

  #take(place: number, text: string, leads: readonly PlacedLine[]): boolean {
    const lead = leads.map(({ line }) => `${line.text}\n`).join('');
    const cost = this.#budget.count(lead + text);
    if (cost > this.#tokens || lead.length + text.length > this.#characters) return false;
    this.#tokens -= cost;
    this.#characters -= lead.length + text.length;
    for (const { line, at } of leads) this.#written.set(at, { text: `${line.text}\n`, isLead: true });
    this.#written.set(place, { text, isLead: false });
    return true;
  }

  #cut(of: number, from: number, to: number): void {
    this.#cuts.push({ number: this.count, of, from: from + 1, to });
  }
}

const inside = (number: number): string => `entry ${number} of ${OUTLINE}`;
