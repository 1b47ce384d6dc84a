// Creates the tools of one workspace and one reader for an agent.

import { checkOptions, type OptionNames, quoted, ReaderError, type Tokens } from '../contract/index.ts';
import { createQueryEngine, hasDuckDb, type QueryEngine } from '../query/index.ts';
import { type Reader, SaidNotes } from '../reader/index.ts';

import { listed } from './argument-rules.ts';
import type { DefinedTool } from './definition.ts';
import { EDIT_FILE } from './edit-file.ts';
import { FILE_INFO } from './file-info.ts';
import { FIND_FILES, LIST_FILES } from './list-files.ts';
import { queryResultTool } from './query-result.ts';
import { READ_FILE } from './read-file.ts';
import { SAVE_RESULT } from './save-result.ts';
import { SEARCH_FILES } from './search-files.ts';
import { SeenFiles } from './seen-files.ts';
import type { Tool, ToolName } from './tool.ts';
import { workspaceOf } from './workspace-of.ts';
import { WRITE_FILE } from './write-file.ts';

const DEFINITIONS: readonly DefinedTool[] = [
  READ_FILE,
  LIST_FILES,
  FIND_FILES,
  SEARCH_FILES,
  FILE_INFO,
  WRITE_FILE,
  EDIT_FILE,
  SAVE_RESULT,
];

/** Options for creating tools. */
export interface CreateToolsOptions {
  /**
   * A reader with a workspace: `createReader({ workspace })`. Its limit `maxTokensPerFile` is the budget of an answer.
   */
  readonly reader: Pick<
    Reader,
    'read' | 'readMany' | 'inspect' | 'stream' | 'limits' | 'processors' | 'count' | 'redactor' | 'workspace'
  >;
  /** Include only these tools. Default: all. */
  readonly only?: readonly ToolName[];
  /** Include only tools that change nothing. Default false. */
  readonly readOnly?: boolean;
  /** Maximum tokens a model may request from `read_file`. Default: four times `maxTokensPerFile`. */
  readonly maxTokens?: Tokens;
  /**
   * Runs the queries of `query_result`; not closed by the tools. Default: an engine of their own if `@duckdb/node-api`
   * is installed where lectern is, else no such tool.
   */
  readonly queries?: QueryEngine | false;
}

/** One model call rarely benefits from more than four default answers at once. */
const MOST_ANSWERS = 4;

/**
 * The tools of a workspace, in a fixed order.
 * @throws {ReaderError} BAD_INPUT for an unknown tool or option, a reader without a workspace, or a `maxTokens` below 1
 */
export function createTools(options: CreateToolsOptions): Tool[] {
  checkOptions('createTools', options, OPTIONS);
  const workspace = workspaceOf(options?.reader, 'createTools');
  const { reader, only, readOnly = false } = options;
  const { maxTokens = MOST_ANSWERS * reader.limits.maxTokensPerFile } = options;
  if (only !== undefined && !Array.isArray(only))
    throw new ReaderError(
      'BAD_INPUT',
      '`only` is not an array of tool names.',
      "Write it as in `only: ['read_file']`, or omit it.",
    );
  const known: readonly ToolName[] = [...DEFINITIONS.map(({ name }) => name), 'query_result'];
  const unknown = only?.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new ReaderError(
      'BAD_INPUT',
      `Unknown tool ${quoted(String(unknown))}.`,
      `Choose from ${listed(known)}.`,
    );
  if (!Number.isSafeInteger(maxTokens) || maxTokens < 1)
    throw new ReaderError(
      'BAD_INPUT',
      `\`maxTokens\` is ${quoted(String(maxTokens))}; expected an integer of 1 or more.`,
      'Set `maxTokens` to an integer, or omit it.',
    );
  const engine = engineOf(options);
  const definitions = engine ? [...DEFINITIONS, queryResultTool(engine, !readOnly)] : DEFINITIONS;
  const chosen = definitions.filter(
    (tool) => (only === undefined || only.includes(tool.name)) && (!readOnly || tool.readOnly),
  );
  const room = {
    workspace,
    reader,
    count: (text: string) => reader.count(text),
    budget: Math.min(reader.limits.maxTokensPerFile, maxTokens),
    maxTokens,
    names: new Set(chosen.map(({ name }) => name)),
    said: new SaidNotes(),
    ...(chosen.some(({ name }) => name === 'write_file') && { seen: new SeenFiles(reader.redactor) }),
  };
  return chosen.map((tool) => tool.bind(room));
}

/** @throws {ReaderError} BAD_INPUT */
function engineOf({ queries, only }: CreateToolsOptions): QueryEngine | undefined {
  if (queries === false || (only !== undefined && !only.includes('query_result'))) return undefined;
  if (queries === undefined)
    // A query says what is missing if the tool was asked for by name.
    return only !== undefined || hasDuckDb() ? createQueryEngine() : undefined;
  if (typeof queries === 'object' && queries !== null && 'run' in queries) return queries;
  throw new ReaderError(
    'BAD_INPUT',
    '`queries` is not a query engine.',
    'Pass one from `createQueryEngine()`, or omit it.',
  );
}

const OPTIONS: OptionNames<CreateToolsOptions> = {
  reader: true,
  only: true,
  readOnly: true,
  maxTokens: true,
  queries: true,
};
