// Shows the rows of a query, and saves them in a workspace: under a name that was given, or because they do not fit.

import { named, OWN } from '../contract/index.ts';
import type { FileExtractionResult } from '../reader/index.ts';
import type { SavedResult, Workspace } from '../workspace/index.ts';
import type { QueryRows, ShowRequest } from './rows.ts';

/** Where rows are saved. */
export interface SavePlace {
  readonly workspace: Pick<Workspace, 'saveResult'>;
  /** Save all rows under this name, as Parquet if it ends in `.parquet`. Default: only rows that do not fit, as `results/query.csv`, numbered if taken. */
  readonly name?: string;
  readonly count: (text: string) => number;
}

/** An answer, and the file that holds all its rows. */
export interface ShownRows {
  readonly answer: FileExtractionResult;
  readonly saved?: Omit<SavedResult, 'preview'>;
}

/** Room for the line that names the file. */
const NOTE_TOKENS = 40;

/** @throws {ReaderError} as `saveResult` */
export async function showAndSave(
  rows: QueryRows,
  request: ShowRequest & { readonly maxTokens: number },
  place: SavePlace,
): Promise<ShownRows> {
  const { name, count } = place;
  const first = await rows.show(request);
  const continues = request.cursor !== undefined || request.rows !== undefined;
  const isCut = first.success && first.truncation !== null && !continues;
  if (name === undefined && !isCut) return { answer: first };
  const saved = await save(rows, place, request.signal);
  const note = `${OWN.note}All rows are in ${named(saved.path)}.]\n`;
  const room = Math.max(NOTE_TOKENS, count(note));
  if (room >= request.maxTokens) return { answer: first, saved };
  const answer = await rows.show({ ...request, maxTokens: request.maxTokens - room });
  return { saved, answer: answer.success ? { ...answer, text: `${ended(answer.text)}${note}` } : answer };
}

const ended = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`);

async function save(
  rows: QueryRows,
  { workspace, name = 'query.csv' }: SavePlace,
  signal: AbortSignal | undefined,
): Promise<Omit<SavedResult, 'preview'>> {
  const options = { previewTokens: 0, ...(signal && { signal }) };
  const { preview: _preview, ...saved } = isParquet(name)
    ? await workspace.saveResult(rows.parquet(), { ...options, name, format: 'text' })
    : await workspace.saveResult(rows.chunks(), {
        ...options,
        name: /\.csv$/i.test(name) ? name : `${name}.csv`,
        format: 'csv',
      });
  return saved;
}

/** True if rows saved under this name are written as Parquet, for which their query has to ask. */
export const isParquet = (name: string | undefined): boolean =>
  name !== undefined && /\.parquet$/i.test(name);
