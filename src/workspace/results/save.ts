// Saves what a tool or query gives as a file of the workspace: chooses format and name, streams it through, describes it.
// The file appears whole or not at all; whatever fails says how much had been taken from the source.

import {
  isCount,
  isInsidePair,
  plural,
  quoted,
  ReaderError,
  type Tokens,
  type WorkspaceLimits,
  within,
} from '../../contract/index.ts';
import type { SavedResult, SaveOptions } from '../workspace.ts';
import { CsvWriter } from './csv.ts';
import { contentOf, type Given, givenBy, Items, isRow } from './input.ts';
import { JsonRowWriter } from './json-lines.ts';
import { checkFormat, checkName, formatOfName, resultPath } from './name.ts';
import type { Column, ResultFormat, ResultInput } from './result.ts';
import { Table } from './rows.ts';
import { TextSink } from './sink.ts';
import { type ResultStore, Staging } from './staging.ts';
import { BadValue, encodableJson, jsonPieces, Remarks } from './value.ts';
import type { RowWriter } from './writer.ts';

/** What saving needs of the workspace it is part of. */
export interface SaveContext {
  readonly limits: Pick<WorkspaceLimits, 'previewTokens'>;
  /** What a read of `path` shows within `tokens`. */
  readonly preview: (path: string, tokens: Tokens) => Promise<string>;
}

const PROGRESS_MILLISECONDS = 100;

/** Bytes looked at to tell text from what is none: as many as git looks at. */
const HEAD_BYTES = 8000;

/**
 * Saves `input`; see `SaveOptions`. Takes from a source only as fast as the file is written, in constant memory.
 * @throws {ReaderError} BAD_INPUT for what cannot be saved or a source that fails, LIMIT_EXCEEDED for what a format has no
 * room for, ABORTED, and what the store throws; nothing is saved then, and the message says what had been taken
 */
export async function saveResult(
  store: ResultStore,
  input: ResultInput,
  options: SaveOptions,
  { limits, preview }: SaveContext,
): Promise<SavedResult> {
  // What is wrong with the options is said before anything is taken from a source.
  const name = checkName(options.name);
  const asked = checkFormat(options.format) ?? formatOfName(name ?? '');
  const columns = checkColumns(options.columns);
  const tokens = options.previewTokens ?? limits.previewTokens;
  if (!isCount(tokens))
    throw new ReaderError(
      'BAD_INPUT',
      `\`previewTokens\` is ${quoted(String(tokens))}; expected a whole number of 0 or more.`,
      'Leave `previewTokens` out, or set it to 0 for no preview.',
    );
  checkAborted(options.signal);
  const given = await unlessAborted(() => givenBy(input), options.signal);
  const items = given.kind === 'items' ? given.items : undefined;
  let plan: Plan | undefined;
  let saved: Omit<SavedResult, 'preview'>;
  try {
    plan = await unlessAborted(() => planOf(given, asked), options.signal);
    saved = await save(store, plan, columns, options);
  } catch (error) {
    items?.close();
    throw failure(error, plan, items);
  }
  if (tokens === 0) return { ...saved, preview: '' };
  try {
    return { ...saved, preview: await preview(saved.path, tokens) };
  } catch {
    // The result is saved; a preview that fails must not make it look lost.
    return { ...saved, preview: '', notes: [...saved.notes, 'No preview could be made.'] };
  }
}

/** What is written, and as what. */
type Plan = { readonly format: ResultFormat; readonly ending?: string } & (
  | { readonly kind: 'rows'; readonly items: Items }
  | { readonly kind: 'content'; readonly content: string | Uint8Array | Blob | Items }
  | { readonly kind: 'value'; readonly value: unknown }
);

async function planOf(given: Given, asked: ResultFormat | undefined): Promise<Plan> {
  switch (given.kind) {
    case 'text':
      if (asked === 'xlsx') throw noWorkbook();
      return { kind: 'content', format: asked ?? 'text', content: given.text };
    case 'bytes': {
      const head = given.bytes instanceof Blob ? await headOf(given.bytes) : given.bytes;
      return { kind: 'content', format: asked ?? 'text', content: given.bytes, ...binaryEnding(head) };
    }
    case 'value':
      if (asked === undefined || asked === 'json' || asked === 'text')
        return { kind: 'value', format: asked ?? 'json', value: given.value };
      return { kind: 'rows', format: asked, items: new Items([given.value]) };
    case 'items':
      return planOfItems(given.items, asked);
  }
}

async function planOfItems(items: Items, asked: ResultFormat | undefined): Promise<Plan> {
  const first = await items.first();
  const content = first.done || items.kept ? undefined : contentOf(first.value);
  if (content !== undefined || (first.done && items.bytes)) {
    if (asked === 'xlsx' && typeof content === 'string') throw noWorkbook();
    const ending = typeof content === 'object' ? binaryEnding(content) : {};
    return { kind: 'content', format: asked ?? 'text', content: items, ...ending };
  }
  const rows = first.done || items.everyRow(isRow);
  const format = asked ?? (rows ? 'csv' : 'json');
  return { kind: 'rows', format, items };
}

async function headOf(blob: Blob): Promise<Uint8Array> {
  return new Uint8Array(await blob.slice(0, HEAD_BYTES).arrayBuffer());
}

function binaryEnding(bytes: Uint8Array): { readonly ending?: string } {
  return bytes.subarray(0, HEAD_BYTES).includes(0) ? { ending: '.bin' } : {};
}

function noWorkbook(): ReaderError {
  return new ReaderError(
    'BAD_INPUT',
    'Text cannot be saved as an XLSX file; expected rows.',
    'Give rows, or save it as `csv` or `text`.',
  );
}

async function save(
  store: ResultStore,
  plan: Plan,
  columns: readonly string[] | undefined,
  { name, overwrite, signal, onProgress }: SaveOptions,
): Promise<Omit<SavedResult, 'preview'>> {
  const staging = await Staging.create(store, resultPath(name, plan.format, plan.ending), {
    ...(overwrite !== undefined && { overwrite }),
    ...(signal && { signal }),
  });
  const remarks = new Remarks();
  const open = plan.format !== 'csv' && plan.format !== 'xlsx';
  const table = new Table(columns ?? [], remarks, open);
  const watch = new Watch(
    signal,
    onProgress && (() => onProgress({ rows: table.rows, bytes: staging.bytes })),
  );
  try {
    await watch.over(writePlan(plan, staging, table, remarks, columns !== undefined));
    const written = await staging.commit();
    return { ...written, format: plan.format, ...description(plan, table, columns, remarks) };
  } catch (error) {
    await staging.discard();
    throw error;
  } finally {
    watch.end();
  }
}

async function writePlan(
  plan: Plan,
  staging: Staging,
  table: Table,
  remarks: Remarks,
  named: boolean,
): Promise<void> {
  const sink = new TextSink(staging, remarks);
  switch (plan.kind) {
    case 'content': {
      const { content, format } = plan;
      const isJson = typeof content === 'string' && (format === 'json' || format === 'jsonl');
      return writeContent(isJson ? encodableJson(content, remarks) : content, sink);
    }
    case 'value':
      return writeValue(plan.value, sink, remarks);
    case 'rows': {
      const writer = await writerOf(plan.format, staging, table, sink, remarks, named);
      await plan.items.each((row) => {
        table.read(row);
        writer.add();
        return writer.full ? writer.flush() : undefined;
      });
      const rewrite = await writer.finish();
      if (rewrite) await staging.rewrite(rewrite);
    }
  }
}

async function writerOf(
  format: ResultFormat,
  staging: Staging,
  table: Table,
  sink: TextSink,
  remarks: Remarks,
  named: boolean,
): Promise<RowWriter> {
  switch (format) {
    case 'csv':
      return new CsvWriter(table, sink);
    case 'xlsx': {
      const { XlsxWriter } = await import('./xlsx.ts');
      return new XlsxWriter(table, staging, remarks);
    }
    default:
      return new JsonRowWriter(table, sink, remarks, format !== 'jsonl', named);
  }
}

/** Characters of a text added to a sink at once. */
const TEXT_PIECE = 64 * 1024;

async function writeContent(content: string | Uint8Array | Blob | Items, sink: TextSink): Promise<void> {
  if (typeof content === 'string') await addText(content, sink);
  else if (content instanceof Uint8Array) await sink.write(content);
  else if (content instanceof Blob) for await (const bytes of content.stream()) await sink.write(bytes);
  else await addPieces(content, sink);
  await sink.end();
}

async function addPieces(items: Items, sink: TextSink): Promise<void> {
  // Two pieces of text may share a character between them.
  let half = '';
  await items.each(async (item) => {
    const piece = contentOf(item);
    if (piece === undefined)
      throw new ReaderError(
        'BAD_INPUT',
        `Piece ${items.taken} is of type \`${item === null ? 'null' : typeof item}\`; expected text or bytes, as the first was.`,
        'Give either rows, or text and bytes.',
      );
    if (typeof piece !== 'string') {
      sink.add(half);
      half = '';
      await sink.write(piece);
      return;
    }
    const text = half + piece;
    const last = text.charCodeAt(text.length - 1);
    half = last >= 0xd800 && last <= 0xdbff ? text.slice(-1) : '';
    await addText(half === '' ? text : text.slice(0, -1), sink);
  });
  sink.add(half);
}

async function addText(text: string, sink: TextSink): Promise<void> {
  for (let from = 0; from < text.length; ) {
    const cut = Math.min(text.length, from + TEXT_PIECE);
    const to = isInsidePair(text, cut) ? cut - 1 : cut;
    sink.add(text.slice(from, to));
    if (sink.full) await sink.flush();
    from = to;
  }
}

async function writeValue(value: unknown, sink: TextSink, remarks: Remarks): Promise<void> {
  try {
    for (const piece of jsonPieces(value, remarks, 2)) {
      sink.add(piece);
      if (sink.full) await sink.flush();
    }
  } catch (error) {
    throw error instanceof BadValue ? error.at('The value') : error;
  }
  sink.add('\n');
  await sink.end();
}

function description(
  plan: Plan,
  table: Table,
  columns: readonly string[] | undefined,
  remarks: Remarks,
): Pick<SavedResult, 'rows' | 'columns' | 'notes'> {
  if (plan.kind !== 'rows' || plan.format === 'text')
    return { rows: null, columns: null, notes: remarks.notes() };
  const notes = remarks.notes();
  if (table.rows === 0)
    notes.unshift(
      columns ? 'There were no rows.' : 'There were no rows, so that the names of the columns are not known.',
    );
  const described: readonly Column[] | null =
    columns || table.tabular || (table.rows > 0 && plan.format !== 'json' && plan.format !== 'jsonl')
      ? table.columns()
      : null;
  return { rows: table.rows, columns: described, notes };
}

/** Ends what it watches when the caller gives up, and says how far it is. */
class Watch {
  readonly #signal: AbortSignal | undefined;
  readonly #report: (() => void) | undefined;
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #stopped: Promise<never>;
  #stop: (error: unknown) => void = () => undefined;
  readonly #abort = (): void => this.#stop(aborted(this.#signal?.reason));

  constructor(signal: AbortSignal | undefined, report: (() => void) | undefined) {
    this.#signal = signal;
    this.#report = report;
    this.#stopped = new Promise((_, reject) => {
      this.#stop = reject;
    });
    this.#stopped.catch(() => undefined);
    if (signal?.aborted) this.#abort();
    signal?.addEventListener('abort', this.#abort, { once: true });
    // A timer also speaks while a slow source is waited for.
    if (report) this.#timer = setInterval(() => this.#tell(), PROGRESS_MILLISECONDS);
  }

  /** What `work` gives, or ABORTED at once while `work` may still be waiting for its source. */
  async over<Result>(work: Promise<Result>): Promise<Result> {
    work.catch(() => undefined);
    const result = await Promise.race([work, this.#stopped]);
    this.#tell();
    return result;
  }

  end(): void {
    clearInterval(this.#timer);
    this.#signal?.removeEventListener('abort', this.#abort);
  }

  #tell(): void {
    try {
      this.#report?.();
    } catch (error) {
      // Thrown from a timer it would end the process.
      this.#stop(error);
    }
  }
}

function aborted(reason: unknown): ReaderError {
  return new ReaderError('ABORTED', 'The save was cancelled.', 'Save again.', reason);
}

function checkAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw aborted(signal.reason);
}

/** What `work` gives. It may wait for the caller's source: a promise, or the first item of a stream. */
async function unlessAborted<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  try {
    return await within(work, { signal });
  } catch (error) {
    checkAborted(signal);
    throw error;
  }
}

function checkColumns(given: unknown): readonly string[] | undefined {
  if (given === undefined) return undefined;
  if (Array.isArray(given) && given.every((name) => typeof name === 'string')) return given;
  throw new ReaderError(
    'BAD_INPUT',
    '`columns` is no list of names.',
    'Give the names of the columns in order, or leave `columns` out.',
  );
}

/** `error`, and what has become of what was to be saved. */
function failure(error: unknown, plan: Plan | undefined, items: Items | undefined): ReaderError {
  const known =
    error instanceof ReaderError
      ? error
      : new ReaderError('INTERNAL', 'The result could not be saved.', 'Save it again.', error);
  return new ReaderError(
    known.code,
    `${known.message} Nothing was saved${fate(plan, items)}.`,
    known.hint,
    known.cause,
  );
}

function fate(plan: Plan | undefined, items: Items | undefined): string {
  if (!items || items.kept) return ', and nothing is lost: the caller still has all of it';
  const unit = plan?.kind === 'content' ? 'piece' : 'row';
  return `; ${items.taken === 0 ? 'nothing' : plural(items.taken, unit)} had been taken from the source`;
}
