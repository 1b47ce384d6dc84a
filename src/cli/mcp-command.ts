// `lectern mcp`: serves a workspace to one MCP client over standard input and output. Arguments are checked before the
// protocol starts; from then on standard output carries only protocol messages.

import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import {
  DATA_DIRECTORY,
  type Environment,
  errnoOf,
  oneLine,
  plural,
  quoted,
  settingOf,
} from '../contract/index.ts';
import { createReader, createWorkspace, type Reader, ReaderError, type WorkspacePlace } from '../index.ts';
import { resolveLimits } from '../limits/index.ts';
import type { Tool } from '../tools/index.ts';
import type { Command } from './command.ts';
import { limitsFrom, workspaceLimitsFrom } from './limit-flags.ts';
import { OCR_OPTIONS, ocrFrom } from './ocr.ts';
import {
  COMMON_OPTIONS,
  LIMIT_OPTIONS,
  type Option,
  REDACT_OPTIONS,
  redactFrom,
  type Values,
  WORKSPACE_LIMIT_OPTIONS,
} from './options.ts';
import { environmentPassword } from './password.ts';

const MCP_OPTIONS: readonly Option[] = [
  { name: 'root', value: 'DIR', help: 'folder to serve (default: the current one)' },
  {
    name: 'data-dir',
    value: 'DIR',
    help: 'folder of stored workspaces (default: LECTERN_DATA_DIR, or ./data)',
  },
  { name: 'user', value: 'ID', help: 'serve a stored workspace: its user' },
  { name: 'session', value: 'ID', help: 'serve a stored workspace: its session' },
  { name: 'read-only', help: 'offer read-only tools only' },
  ...REDACT_OPTIONS,
  {
    name: 'context-dir',
    value: 'DIR',
    help: 'keep the plan, loop detection and archive in DIR, by convention .agent_context; adds the tools plan and recall',
  },
  { name: 'block-loops', help: 'reject calls that continue a loop, instead of only warning' },
];

/** How long running calls may take to stop after the session ends. */
const LINGER_MS = 2000;

/** Serves until the client disconnects or an interrupt; then returns 0. */
export const mcp: Command = {
  options: [
    ...MCP_OPTIONS,
    ...OCR_OPTIONS,
    ...LIMIT_OPTIONS,
    ...WORKSPACE_LIMIT_OPTIONS,
    ...COMMON_OPTIONS.filter(({ name }) => name !== 'json'),
  ],
  async run(words, values, terminal) {
    if (words.length > 0)
      throw new ReaderError(
        'BAD_INPUT',
        `\`lectern mcp\` does not accept the argument ${quoted(words.join(' '))}.`,
        'Set the folder with `--root DIR`.',
      );
    const place = await placeFrom(values, terminal.environment);
    const environment = environmentOf(place, terminal.environment);
    const workspace = createWorkspace(place, { limits: workspaceLimitsFrom(values), environment });
    const [{ createMcpServer, limitsForClients, MAX_ANSWER_TOKENS, serveStdio }, { createTools }] =
      await Promise.all([import('../mcp/index.ts'), import('../tools/index.ts')]);
    const given = limitsFrom(values);
    const limits = limitsForClients(resolveLimits(given, environment));
    const reader = createReader({
      workspace,
      environment,
      limits: { ...given, ...limits },
      ...(await ocrFrom(values, environment)),
      ...environmentPassword(environment),
      ...redactFrom(values),
    });
    const files = createTools({
      reader,
      readOnly: values['read-only'] === true,
      maxTokens: MAX_ANSWER_TOKENS,
    });
    const { tools, close } = await withMemory(files, reader, values);
    const log = (text: string): void => terminal.err(`lectern mcp: ${oneLine(text)}\n`);
    if (process.stderr.isTTY)
      log(
        `${nameOf(place)}, ${plural(tools.length, 'tool')}, over standard input and output; Ctrl-D ends it`,
      );
    if (!files.some(({ name }) => name === 'query_result'))
      log(
        'no SQL queries: install `@duckdb/node-api` where lectern is installed for the tool `query_result`',
      );
    // A parser's error on one file must not end the session.
    process.on('unhandledRejection', () => log('recovered from an internal error'));
    try {
      await serveStdio(() => createMcpServer({ reader, tools }), {
        signal: AbortSignal.any([terminal.signal, terminated()]),
        onProblem: (message) => log(message.slice(0, 200)),
      });
    } finally {
      await close();
    }
    setTimeout(() => process.exit(0), LINGER_MS).unref();
    return 0;
  },
};

/** Adds loop detection, and with `--context-dir` the tools `plan` and `recall`. @throws {ReaderError} BUSY */
async function withMemory(
  files: readonly Tool[],
  reader: Reader,
  values: Values,
): Promise<{ readonly tools: readonly Tool[]; close(): Promise<void> }> {
  const [{ archivingTools, guardTools, planTool, recallTool }, { createLoopGuard, openPlan }] =
    await Promise.all([import('../tools/index.ts'), import('../plan/index.ts')]);
  const block = values['block-loops'] === true;
  const folder = values['context-dir'];
  if (typeof folder !== 'string')
    return { tools: guardTools(files, createLoopGuard({ block })), close: async () => undefined };
  const { openRecall } = await import('../recall/index.ts');
  const storage = resolve(folder);
  const plan = await openPlan({ storage, block });
  const recall = await openRecall({ storage });
  const found = recallTool(recall, {
    count: (text) => reader.count(text),
    maxTokens: reader.limits.maxTokensPerFile,
    ...(reader.redactor && { redactor: reader.redactor }),
  });
  return {
    tools: guardTools([...archivingTools(files, recall), planTool(plan), found], plan),
    close: async () => {
      await recall.close();
      await plan.close();
    },
  };
}

async function placeFrom(values: Values, variables: Environment): Promise<WorkspacePlace> {
  const { root, user, session, 'data-dir': dataDir } = values;
  const stored = [dataDir, user, session].filter((value) => value !== undefined);
  if (typeof root === 'string' && stored.length > 0)
    throw new ReaderError(
      'BAD_INPUT',
      '`--root` cannot be combined with `--data-dir`, `--user` or `--session`.',
      'Omit `--root`, or the other options.',
    );
  if (stored.length > 0) {
    if (typeof user !== 'string' || typeof session !== 'string')
      throw new ReaderError(
        'BAD_INPUT',
        'A stored workspace requires both `--user` and `--session`.',
        'Set both, or use `--root DIR` for a plain folder.',
      );
    const named = dataDir ?? settingOf(variables, DATA_DIRECTORY);
    if (typeof named === 'string' && (await lies(named)) === 'other')
      throw new ReaderError(
        'NOT_A_FOLDER',
        `The data directory is ${quoted(named)}, which is not a folder, or a parent in its path is not.`,
        'Choose another with `--data-dir`; a missing one is created.',
      );
    return { user, session, ...(typeof dataDir === 'string' && { dataDir: resolve(dataDir) }) };
  }
  const folder = typeof root === 'string' ? root : '.';
  const found = await lies(folder);
  if (found !== 'folder')
    throw new ReaderError(
      found === 'other' ? 'NOT_A_FOLDER' : 'FILE_NOT_FOUND',
      `\`--root\` is ${quoted(folder)}, which ${found === 'other' ? 'is not a folder' : 'does not exist'}.`,
      'Use an existing folder.',
    );
  return { root: resolve(folder) };
}

/** Checks whether `path` is a folder, is missing, or cannot be a folder. */
async function lies(path: string): Promise<'folder' | 'nothing' | 'other'> {
  try {
    return (await stat(path)).isDirectory() ? 'folder' : 'other';
  } catch (error) {
    return errnoOf(error) === 'ENOTDIR' ? 'other' : 'nothing';
  }
}

/** Converted documents are kept with the data of the workspace. */
function environmentOf(place: WorkspacePlace, given: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return 'dataDir' in place ? { ...given, [DATA_DIRECTORY.variable]: place.dataDir } : given;
}

const nameOf = (place: WorkspacePlace): string =>
  'root' in place ? `serving ${place.root}` : `serving the workspace ${place.session} of ${place.user}`;

function terminated(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.once(signal, () => controller.abort());
  return controller.signal;
}
