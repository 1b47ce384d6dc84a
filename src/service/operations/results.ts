// Operations that save a large result in a workspace as it arrives, and stream its rows back.

import { Readable } from 'node:stream';
import { z } from 'zod';
import { quoted } from '../../contract/index.ts';
import { type Part, ReaderError } from '../../index.ts';
import { type Operation, operation } from '../http/operation.ts';
import { ALREADY_EXISTS, KEY_REUSED, KEY_UNDER_WAY, READING, WRITING } from '../http/problem-statuses.ts';
import { type IdempotencyStore, type KeptAnswer, onceFor } from '../idempotency.ts';
import type { Readers } from '../readers.ts';
import { errorOf } from './read.ts';
import { SESSION, WORKSPACE_TAG as TAG, written } from './written.ts';

const count = z.int();

export function resultOperations(readers: Readers, kept: IdempotencyStore): readonly Operation[] {
  return [saveResult(readers, kept), resultRows(readers)];
}

const RESULT_TYPES = ['application/x-ndjson', 'text/plain', 'application/json', 'application/octet-stream'];

function saveResult(readers: Readers, kept: IdempotencyStore): Operation {
  return operation({
    id: 'saveResult',
    method: 'POST',
    path: '/v1/workspaces/{session}/results',
    tag: TAG,
    summary: 'Save a large result as a file, streamed: rows as NDJSON, or text',
    scope: 'files',
    params: z.strictObject({ session: SESSION }),
    query: z.strictObject({
      name: z
        .string()
        .exactOptional()
        .meta({ description: 'File name, with optional folders and extension.' }),
      format: z.enum(['csv', 'jsonl', 'json', 'xlsx', 'text']).exactOptional(),
      overwrite: z.boolean().exactOptional(),
      previewTokens: z.int().min(0).exactOptional(),
    }),
    body: { kind: 'stream', types: RESULT_TYPES },
    headers: ['idempotency-key'],
    problems: { ...WRITING, 409: `${ALREADY_EXISTS} ${KEY_UNDER_WAY}`, 422: KEY_REUSED },
    answers: {
      201: {
        description: 'Its path, its contents, and a preview within a budget.',
        content: {
          'application/json': written.extend({
            format: z.string(),
            rows: count.nullable(),
            columns: z.array(z.looseObject({ name: z.string() })).nullable(),
            preview: z.string(),
            notes: z.array(z.string()),
          }),
        },
      },
    },
    run: ({ identity: { user }, params: { session }, query, body, headers, contentType, signal }) => {
      const workspace = readers.workspace(user, session);
      const isRows = contentType === 'application/x-ndjson';
      const save = async (content: AsyncIterable<Uint8Array>): Promise<KeptAnswer> => {
        const saved = await workspace.saveResult(isRows ? rowsOf(content) : bytesOf(content), {
          ...query,
          signal,
        });
        return { status: 201, headers: { etag: `"${saved.sha256}"` }, body: saved };
      };
      const { 'idempotency-key': key } = headers;
      if (key === undefined) return save(body);
      const target = JSON.stringify([session, query, isRows]);
      return onceFor(kept, { user, target, key }, body, save);
    },
  });
}

function resultRows(readers: Readers): Operation {
  return operation({
    id: 'resultRows',
    method: 'GET',
    path: '/v1/workspaces/{session}/results/{path*}',
    tag: TAG,
    summary: 'Stream the rows of a table as NDJSON',
    scope: 'files',
    params: z.strictObject({
      session: SESSION,
      path: z.string().min(1).meta({ description: 'Path of the saved table in the workspace.' }),
    }),
    problems: READING,
    answers: {
      200: {
        description:
          'One JSON object or array per line. A CSV file holds text, so its values are strings; a result saved as `jsonl` keeps numbers, Booleans and null.',
        content: { 'application/x-ndjson': undefined },
      },
    },
    run: async ({ identity: { user }, params: { session, path }, signal }) => {
      const reader = readers.of(user, session);
      const inspected = await reader.inspect(path, { signal });
      if (!inspected.success) throw errorOf(inspected);
      const { fileType } = inspected;
      if (fileType !== 'csv' && fileType !== 'jsonl')
        throw new ReaderError(
          'UNSUPPORTED_FORMAT',
          `${quoted(path)} is ${fileType}; only rows of CSV and JSON Lines can be streamed.`,
          'Get the file itself with `GET /v1/workspaces/{session}/files/{path}`, or read a part of it.',
        );
      const parts = reader.stream(path, { signal, ...(fileType === 'csv' && { format: 'json' }) });
      return { body: Readable.from(rowLines(parts), { objectMode: false }), type: 'application/x-ndjson' };
    },
  });
}

/**
 * Lines of rows. As JSON, a table is an array with one row per line, whose brackets and commas are not part of the
 * rows.
 */
async function* rowLines(parts: AsyncIterable<Part>): AsyncGenerator<string> {
  let rest = '';
  const line = (text: string): string => {
    const row = text.replace(/,$/, '');
    return row === '[' || row === ']' || row.trim() === '' ? '' : `${row}\n`;
  };
  for await (const part of parts) {
    if (part.kind !== 'text') continue;
    const lines = (rest + part.text).split('\n');
    rest = lines.pop() ?? '';
    const rows = lines.map(line).join('');
    if (rows !== '') yield rows;
  }
  if (rest !== '') yield line(rest);
}

/** Longer NDJSON lines are rejected, so that one row cannot fill the memory. */
const MAX_ROW_BYTES = 16 * 1024 * 1024;

/** Objects or arrays, one per line. @throws {ReaderError} BAD_INPUT naming the invalid line */
async function* rowsOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Record<string, unknown>> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest = '';
  let line = 0;
  const row = (text: string): Record<string, unknown> => {
    line += 1;
    try {
      const value: unknown = JSON.parse(text);
      if (typeof value === 'object' && value !== null) return value as Record<string, unknown>; // its keys are strings
    } catch {
      // Rejected below, with its line number.
    }
    throw new ReaderError(
      'BAD_INPUT',
      `Line ${line} is not a JSON object or array.`,
      'Send one row as JSON on each line.',
    );
  };
  for await (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true });
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    for (const text of lines) if (text.trim() !== '') yield row(text);
    if (rest.length > MAX_ROW_BYTES)
      throw new ReaderError(
        'LIMIT_EXCEEDED',
        `Line ${line + 1} has more than ${MAX_ROW_BYTES} bytes.`,
        'Send shorter rows.',
      );
  }
  rest += decoder.decode();
  if (rest.trim() !== '') yield row(rest);
}

async function* bytesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* chunks;
}
