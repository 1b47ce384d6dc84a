// `lectern mcp`: a workspace served to one MCP client over standard input and output. What is wrong with the arguments is
// said before any protocol; afterwards standard output carries nothing else.

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
import {
  COMMON_OPTIONS,
  LIMIT_OPTIONS,
  type Option,
  type Values,
  WORKSPACE_LIMIT_OPTIONS,
} from './options.ts';

const MCP_OPTIONS: readonly Option[] = [
  { name: 'root', value: 'DIR', help: 'the folder to serve (the current one)' },
  { name: 'data-dir', value: 'DIR', help: 'where stored workspaces are (LECTERN_DATA_DIR, else ./data)' },
  { name: 'user', value: 'ID', help: 'serve a stored workspace: whose' },
  { name: 'session', value: 'ID', help: 'serve a stored workspace: of which session' },
  { name: 'read-only', help: 'only tools that change nothing' },
  {
    name: 'context-dir',
    value: 'DIR',
    help: 'keep a goal, loops and what was read in DIR, by convention .agent_context; adds the tools plan and recall',
  },
  { name: 'block-loops', help: 'refuse calls that continue a loop, in place of warnings alone' },
];

/** How long what is under way may take to notice that the session is over. */
const LINGER_MS = 2000;

/** Serves until the client closes its end; 0 then, and after an interrupt. */
export const mcp: Command = {
  options: [
    ...MCP_OPTIONS,
    ...LIMIT_OPTIONS,
    ...WORKSPACE_LIMIT_OPTIONS,
    ...COMMON_OPTIONS.filter(({ name }) => name !== 'json'),
  ],
  async run(words, values, terminal) {
    if (words.length > 0)
      throw new ReaderError(
        'BAD_INPUT',
        `\`lectern mcp\` takes no ${quoted(words.join(' '))}; a folder is named by an option.`,
        'Write it as in `lectern mcp --root DIR`.',
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
    // One file that a parser stumbles over must not end the session.
    process.on('unhandledRejection', () => log('a fault was set aside'));
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

/** The tools watched for loops, and with a folder for it the tools `plan` and `recall`. @throws {ReaderError} BUSY */
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
      '`--root` was given beside `--data-dir`, `--user` or `--session`.',
      'Leave out `--root`, or the others.',
    );
  if (stored.length > 0) {
    if (typeof user !== 'string' || typeof session !== 'string')
      throw new ReaderError(
        'BAD_INPUT',
        'A stored workspace is named by `--user` and `--session` together.',
        'Give both, or `--root DIR` for a plain folder.',
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
      `\`--root\` is ${quoted(folder)}, which is ${found === 'other' ? 'no folder' : 'not there'}.`,
      'Name a folder that there is.',
    );
  return { root: resolve(folder) };
}

/** What lies at `path`: a folder, nothing, or what no folder can be at or below. */
async function lies(path: string): Promise<'folder' | 'nothing' | 'other'> {
  try {
    return (await stat(path)).isDirectory() ? 'folder' : 'other';
  } catch (error) {
    return errnoOf(error) === 'ENOTDIR' ? 'other' : 'nothing';
  }
}

/** What is kept of documents lies with the data of the workspace. */
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
