// The operation that answers an SQL query over files of a workspace.

import { z } from 'zod';
import { ReaderError, type Written } from '../../index.ts';
import { filesNamedIn, isParquet, type QueryEngine, showAndSave } from '../../query/index.ts';
import { type Operation, operation } from '../http/operation.ts';
import { READING, WRITING } from '../http/problem-statuses.ts';
import { resultSchema } from '../http/schemas.ts';
import type { Readers } from '../readers.ts';
import { errorOf } from './read.ts';
import { SESSION, WORKSPACE_TAG as TAG, written } from './written.ts';

const column = z.object({ name: z.string(), type: z.string().meta({ description: 'Of DuckDB.' }) });
const count = z.int().min(0);

const requestSchema = z.strictObject({
  sql: z.string().min(1).meta({ description: 'One `SELECT` statement in the dialect of DuckDB.' }),
  files: z
    .array(z.string().min(1))
    .min(1)
    .max(20)
    .exactOptional()
    .meta({ description: 'Paths of the tables. Default: those the query names.' }),
  header: z.boolean().exactOptional().meta({
    description:
      'False reads the first record of each delimited file, sheet and table as a row. Default: detected.',
  }),
  name: z.string().min(1).exactOptional().meta({
    description:
      'Save all rows under this file name, as Parquet if it ends in `.parquet`, else as CSV. Default: only rows that do not fit, as `results/query.csv`.',
  }),
  rows: z.string().exactOptional().meta({ description: 'Rows of the answer: `21-40`, `-10`.' }),
  cursor: z
    .string()
    .exactOptional()
    .meta({ description: 'Continues the previous answer to the same query.' }),
  format: z.enum(['csv', 'markdown', 'json']).exactOptional(),
  maxTokens: count.exactOptional(),
});

/** Without what `query` says of the rows. */
const writtenOf = ({ path, mounted, bytes, sha256, replaced }: Written): Written => ({
  path,
  mounted,
  bytes,
  sha256,
  replaced,
});

export function queryOperations(readers: Readers, queries: QueryEngine): readonly Operation[] {
  return [
    operation({
      id: 'query',
      method: 'POST',
      path: '/v1/workspaces/{session}/query',
      tag: TAG,
      summary: 'Answer an SQL query over files of the workspace',
      scope: 'files',
      params: z.strictObject({ session: SESSION }),
      body: { kind: 'json', schema: requestSchema },
      problems: { ...READING, ...WRITING },
      answers: {
        200: {
          description:
            'The rows within the budget, as a read of them gives them, and what is known about all.',
          content: {
            'application/json': z.object({
              result: resultSchema,
              query: z.object({
                rows: count,
                columns: z.array(column),
                bytes: count.meta({ description: 'Of all rows, as CSV.' }),
                tables: z.array(z.object({ name: z.string(), columns: z.array(column) })),
              }),
              saved: written.nullable(),
            }),
          },
        },
      },
      run: async ({ identity: { user }, params: { session }, body, signal }) => {
        const { sql, files, header, name, ...shown } = body;
        const reader = readers.of(user, session);
        const workspace = readers.workspace(user, session);
        const named = files ?? (await filesNamedIn(sql, workspace, signal));
        if (named.length === 0)
          throw new ReaderError(
            'BAD_INPUT',
            'The query names no file of the workspace.',
            'Pass the paths it reads as `files`.',
          );
        const rows = await queries.run({
          sql,
          files: named,
          reader,
          user,
          parquet: isParquet(name),
          signal,
          ...(header !== undefined && { header }),
        });
        try {
          const request = { ...shown, maxTokens: shown.maxTokens ?? reader.limits.maxTokensPerFile, signal };
          const place = { workspace, count: reader.count, ...(name !== undefined && { name }) };
          const { answer, saved } = await showAndSave(rows, request, place);
          if (!answer.success) throw errorOf(answer);
          return { body: { result: answer, query: rows.facts, saved: saved ? writtenOf(saved) : null } };
        } finally {
          await rows.close();
        }
      },
    }),
  ];
}
