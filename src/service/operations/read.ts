// Operations that read files: by upload, or by workspace path.

import { Readable } from 'node:stream';
import { z } from 'zod';
import {
  createTokenCounter,
  type FileExtractionResult,
  type Input,
  type Inspection,
  type Reader,
  ReaderError,
  type ReadFailure,
  type ReadRequest,
} from '../../index.ts';
import { authorize } from '../http/access/authenticate.ts';
import type { Given } from '../http/body/uploads.ts';
import { type Operation, operation, type Reply } from '../http/operation.ts';
import { READING } from '../http/problem-statuses.ts';
import {
  inspectAnswerSchema,
  inspectRequestSchema,
  readAnswerSchema,
  readRequestSchema,
} from '../http/schemas.ts';
import type { Readers } from '../readers.ts';
import { countTokens } from '../tasks.ts';
import { searchOperation } from './search.ts';

/** `read`, `inspect`, `search` and `tokens`. `folder` holds the files of a search. */
export function readOperations(readers: Readers, folder: string): readonly Operation[] {
  return [
    readOperation(readers),
    inspectOperation(readers),
    searchOperation(readers, folder),
    tokensOperation(readers),
  ];
}

function readOperation(readers: Readers): Operation {
  return operation({
    id: 'read',
    method: 'POST',
    path: '/v1/read',
    tag: 'Reading',
    summary: 'Read one file, or several within one budget',
    scope: 'read',
    problems: READING,
    body: { kind: 'files', schema: readRequestSchema },
    answers: {
      200: {
        description:
          'One file: its result. Several: a list of results, each with its own success or error. With `Accept: text/plain`, what a model sees of one file, or of a folder of the workspace; with `all` too, the whole converted text as a stream.',
        content: { 'application/json': readAnswerSchema, 'text/plain': undefined },
      },
    },
    run: async ({ identity, body, accept, signal }) => {
      const { session, several } = body;
      const { entry, place, ...fields } = body.fields;
      if (session !== undefined) authorize(identity, 'files');
      const reader = readers.of(identity.user, session);
      const request = { ...fields, signal };
      const inputs = inside(body.inputs, { entry, place });
      const [only] = inputs;
      if (several || only === undefined) return { body: { results: await reader.readMany(inputs, request) } };
      const asText = accepts(accept, 'text/plain');
      const folder = asText && session !== undefined && typeof only === 'string' ? only : undefined;
      if (folder !== undefined && (await reader.workspace?.kind(folder)) === 'directory') {
        const { folderTree } = await import('../../tools/index.ts');
        const workspace = readers.workspace(identity.user, session ?? '');
        const maxTokens = fields.maxTokens ?? reader.limits.maxTokensPerFile;
        return { body: await folderTree(folder, { workspace, reader, maxTokens, signal }), type: TEXT };
      }
      if (asText && fields.all === true) return { body: await wholeText(reader, only, request), type: TEXT };
      const result = await reader.read(only, request);
      if (!result.success) throw errorOf(result);
      return asText ? { body: result.text, type: TEXT } : { body: result };
    },
  });
}

const TEXT = 'text/plain; charset=utf-8';

/** The only file, with the part of it to read. @throws {ReaderError} BAD_INPUT for several */
function inside(
  inputs: readonly Given[],
  way: { readonly entry: string | undefined; readonly place: string | undefined },
): readonly Input[] {
  const [given] = Object.entries(way).filter(([, value]) => value !== undefined);
  if (given === undefined) return inputs;
  if (inputs.length > 1)
    throw new ReaderError('BAD_INPUT', `\`${given[0]}\` needs a single file.`, 'Send one file, or omit it.');
  const { entry, place } = way;
  return inputs.map((input) => ({
    ...(typeof input === 'string' ? { path: input } : input),
    ...(entry !== undefined && { entry }),
    ...(place !== undefined && { place }),
  }));
}

/** The whole converted file. Its first part is ready when this resolves, so that the file stays open from then on. */
async function wholeText(
  reader: Reader,
  input: Input,
  { all: _all, cursor, ...request }: ReadRequest,
): Promise<Readable> {
  if (cursor !== undefined)
    throw new ReaderError('BAD_INPUT', '`all` and `cursor` cannot be combined.', 'Omit one of them.');
  const parts = reader.stream(input, request)[Symbol.asyncIterator]();
  const first = await parts.next();
  const texts = async function* (): AsyncGenerator<string> {
    for (let next = first; next.done !== true; next = await parts.next())
      if (next.value.kind === 'text') yield next.value.text;
  };
  return Readable.from(texts(), { objectMode: false });
}

function inspectOperation(readers: Readers): Operation {
  return operation({
    id: 'inspect',
    method: 'POST',
    path: '/v1/inspect',
    tag: 'Reading',
    summary: 'Get type, encoding, counts and a list of contents of files',
    scope: 'read',
    problems: READING,
    body: { kind: 'files', schema: inspectRequestSchema },
    answers: {
      200: { description: 'Facts about each file.', content: { 'application/json': inspectAnswerSchema } },
    },
    run: async ({ identity, body, signal }) => {
      if (body.session !== undefined) authorize(identity, 'files');
      const reader = readers.of(identity.user, body.session);
      const results: Inspection[] = [];
      for (const input of body.inputs) results.push(await reader.inspect(input, { ...body.fields, signal }));
      return answered(results, body.several);
    },
  });
}

function tokensOperation({ pool }: Readers): Operation {
  const encoding = z.enum(['cl100k_base', 'o200k_base']);
  return operation({
    id: 'tokens',
    method: 'POST',
    path: '/v1/tokens',
    tag: 'Reading',
    summary: 'Count the tokens of a text',
    scope: 'read',
    problems: READING,
    body: {
      kind: 'json',
      schema: z.strictObject({ text: z.string(), tokenizer: encoding.optional() }),
      textField: 'text',
    },
    answers: {
      200: {
        description: 'The exact count.',
        content: {
          'application/json': z.object({
            tokens: z.int(),
            characters: z.int().meta({ description: 'UTF-16 units.' }),
            tokenizer: encoding,
          }),
        },
      },
    },
    run: async ({ identity: { user }, body: { text, tokenizer }, signal }) => {
      const counter = createTokenCounter(tokenizer);
      const tokens = await countTokens(pool, text, counter, { user, signal });
      return { body: { tokens, characters: text.length, tokenizer: counter.encoding } };
    },
  });
}

/** One file answers with its result or error, several with a list. */
function answered(results: readonly (FileExtractionResult | Inspection)[], several: boolean): Reply {
  const [only] = results;
  if (several || !only) return { body: { results } };
  if (!only.success) throw errorOf(only);
  return { body: only };
}

/** The error of an answer that failed, to be thrown. */
export const errorOf = ({ error }: ReadFailure): ReaderError =>
  new ReaderError(error.code, error.message, error.hint);

/** The client prefers `type` to JSON. */
function accepts(header: string | undefined, type: string): boolean {
  const first = header?.split(',', 1)[0]?.split(';', 1)[0]?.trim();
  return first === type;
}
