// The tool query_result: SQL over files of the workspace.

import { z } from 'zod';
import { ReaderError } from '../contract/index.ts';
import { filesNamedIn, isParquet, type QueryEngine, showAndSave } from '../query/index.ts';
import { bad } from './argument-rules.ts';
import { type DefinedTool, defineTool, type RunContext, type ToolRoom } from './definition.ts';
import { present } from './present.ts';
import { errorAnswer, type ToolAnswer, textAnswer } from './tool.ts';

/** The arguments in the definition of a set that saves nothing. */
const SHOWN = z.object({
  sql: z.string(),
  files: z.array(z.string()).optional().describe('Default: those in the SQL'),
  header: z.boolean().optional().describe('False: no header row'),
  cursor: z.string().optional(),
});
/** The same of a set that writes. */
const SAVED = SHOWN.extend({ name: z.string().optional().describe('Save all rows as') });
/** All arguments. */
const INPUT = SAVED.extend({
  rows: z.string().optional(),
  format: z.enum(['csv', 'markdown', 'json']).optional(),
  max_tokens: z.int().min(1).optional(),
});

/** Accepts one path as the list of files. */
const FILE_FORMS = ['file', 'path', 'file_path', 'table', 'paths', 'tables', 'inputs', 'sources'];

/** Runs queries in `engine`. A set of tools that writes saves answers that do not fit. */
export function queryResultTool(engine: QueryEngine, saves: boolean): DefinedTool {
  let hasAdvised = false;
  /** Says what to install once in a conversation. */
  const advised = (error: unknown): unknown => {
    if (!(error instanceof ReaderError) || error.code !== 'MISSING_DEPENDENCY') return error;
    const { code, message, cause } = error;
    if (hasAdvised) return new ReaderError(code, message, 'Read or search the files instead.', cause);
    hasAdvised = true;
    return error;
  };
  return defineTool({
    name: 'query_result',
    title: 'Query files with SQL',
    readOnly: !saves,
    destructive: false,
    input: INPUT,
    advertised: saves ? SAVED : SHOWN,
    aliases: {
      query: 'sql',
      statement: 'sql',
      q: 'sql',
      save_as: 'name',
      output_name: 'name',
      result_name: 'name',
      next_cursor: 'cursor',
      page_token: 'cursor',
      max_output_tokens: 'max_tokens',
      token_limit: 'max_tokens',
      token_budget: 'max_tokens',
      output_format: 'format',
    },
    main: 'sql',
    arrange: (draft) => {
      for (const form of ['files', ...FILE_FORMS]) {
        const given = draft.get(form);
        if (!given || (form !== 'files' && draft.has('files'))) continue;
        draft.delete(form);
        const isOne = typeof given.value === 'string' && !/^\s*\[/.test(given.value);
        draft.set('files', { ...given, value: isOne ? [given.value] : given.value });
      }
    },
    describe: () => {
      const kept = saves ? ' Rows that do not fit are saved.' : '';
      return `SELECT (DuckDB) over tables: FROM "a.csv", "a.zip!/b.txt", "b.xlsx#Sheet!A1:D9", "c.pdf#table=3", "d.json#/paths/*/*", "e.log" (line_no, line). DESCRIBE "b.xlsx" lists tables with columns.${kept}`;
    },
    run: async (args, room, context) => {
      try {
        return await run(args, room, context, engine, saves);
      } catch (error) {
        throw advised(error);
      }
    },
  });
}

async function run(
  { sql, files, header, name, max_tokens: asked, ...shown }: z.output<typeof INPUT>,
  room: ToolRoom,
  { signal }: RunContext,
  engine: QueryEngine,
  saves: boolean,
): Promise<ToolAnswer> {
  const { workspace, reader, count } = room;
  if (name !== undefined && !saves)
    throw bad('`name` cannot be used: this set of tools saves nothing.', 'Omit `name`.');
  const named = files ?? (await filesNamedIn(sql, workspace, signal));
  if (named.length === 0)
    throw bad('The query names no file of the workspace.', 'Pass the files it reads as `files`.');
  const maxTokens = Math.min(asked ?? room.budget, room.maxTokens);
  const request = { ...present(shown), maxTokens, signal };
  const rows = await engine.run({
    sql,
    files: named,
    reader: { ...reader, workspace },
    parquet: isParquet(name),
    ...present({ header }),
    signal,
  });
  try {
    const { answer } = saves
      ? await showAndSave(rows, request, { workspace, count, ...(name !== undefined && { name }) })
      : { answer: await rows.show(request) };
    return answer.success ? textAnswer(answer.text) : errorAnswer(answer.error);
  } finally {
    await rows.close();
  }
}
