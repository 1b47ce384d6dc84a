// Saves the output of a tool or query as a workspace file: chooses format and name, streams the data, and describes the
// result. The file is written completely or not at all; an error says how much had been read from the source.

import {
  isCount,
  plural,
  quoted,
  ReaderError,
  type Tokens,
  type WorkspaceLimits,
} from '../../../contract/index.ts';
import type { SavedResult, SaveOptions } from '../../workspace.ts';
import { Remarks } from '../encodable.ts';
import { givenBy, type Items } from '../input.ts';
import { checkFormat, checkName, formatOfName, resultPath } from '../name.ts';
import type { Column, ResultInput } from '../result.ts';
import { Table } from '../rows.ts';
import { type ResultStore, Staging } from '../staging.ts';
import { type Plan, planOf } from './plan.ts';
import { checkAborted, unlessAborted, Watch } from './watch.ts';
import { checkColumns, writePlan } from './write-content.ts';

/** What saving needs from its workspace. */
export interface SaveContext {
  readonly limits: Pick<WorkspaceLimits, 'previewTokens'>;
  /** Returns what a read of `path` shows within `tokens`. */
  readonly preview: (path: string, tokens: Tokens) => Promise<string>;
}

/**
 * Saves `input`; see `SaveOptions`. Reads from a source only as fast as the file is written, in constant memory.
 * @throws {ReaderError} BAD_INPUT for unsupported input or a failing source, LIMIT_EXCEEDED for what a format cannot
 * hold, ABORTED, and errors of the store; nothing is saved then, and the message says how much had been read
 */
export async function saveResult(
  store: ResultStore,
  input: ResultInput,
  options: SaveOptions,
  { limits, preview }: SaveContext,
): Promise<SavedResult> {
  // Check the options before reading from a source.
  const name = checkName(options.name);
  const asked = checkFormat(options.format) ?? formatOfName(name ?? '');
  const columns = checkColumns(options.columns);
  const tokens = options.previewTokens ?? limits.previewTokens;
  if (!isCount(tokens))
    throw new ReaderError(
      'BAD_INPUT',
      `\`previewTokens\` is ${quoted(String(tokens))}; expected an integer of 0 or more.`,
      'Omit `previewTokens`, or set it to 0 for no preview.',
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
    // The result is saved; a failing preview must not suggest otherwise.
    return { ...saved, preview: '', notes: [...saved.notes, 'The preview failed.'] };
  }
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
    notes.unshift(columns ? 'There were no rows.' : 'There were no rows, so the column names are unknown.');
  const described: readonly Column[] | null =
    columns || table.tabular || (table.rows > 0 && plan.format !== 'json' && plan.format !== 'jsonl')
      ? table.columns()
      : null;
  return { rows: table.rows, columns: described, notes };
}

/** `error`, with what happened to the input. */
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
  if (!items || items.kept) return '; the caller still has all of the input';
  const unit = plan?.kind === 'content' ? 'piece' : 'row';
  return `; ${items.taken === 0 ? 'nothing' : plural(items.taken, unit)} had been read from the source`;
}
