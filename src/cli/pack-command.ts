// `lectern pack`: prints many files under one budget, for one prompt. Small files are complete; a file larger than its
// share is reduced to its outline and beginning.

import { OWN, plural, type Tokens } from '../contract/index.ts';
import { createReader, createWorkspace, type Input, type Reader, ReaderError } from '../index.ts';
import { LIMIT_DEFINITIONS } from '../limits/index.ts';
import type { Command } from './command.ts';
import { isDirectory } from './folder-text.ts';
import { limitsFrom } from './limit-flags.ts';
import { COMMON_OPTIONS, READ_OPTIONS } from './options.ts';
import { asJson, needFiles, printText, report, statusOf, tokenizerFrom } from './read-command.ts';
import type { Terminal } from './terminal.ts';
import { BUDGET_OPTIONS } from './tree-command.ts';

/** Default budget: a quarter of a window of 200 000 tokens. */
const DEFAULT_TOKENS: Tokens = 50_000;
/** A heading and the least useful content below it. Files without room for it are counted, not listed. */
const LEAST_SHARE: Tokens = 40;
/** Reserve for the line that counts them. */
const NOTE_TOKENS: Tokens = 60;

export const pack: Command = {
  options: [
    ...BUDGET_OPTIONS.map((option) => ({
      ...option,
      help: `tokens of the whole pack (default: ${DEFAULT_TOKENS})`,
    })),
    ...READ_OPTIONS.filter(({ name }) => name === 'tokenizer' || name === 'no-cache'),
    ...COMMON_OPTIONS,
  ],
  variables: LIMIT_DEFINITIONS,
  async run(words, values, terminal) {
    needFiles(words);
    const tokenizer = tokenizerFrom(values);
    const maxTokens = limitsFrom(values).maxTokensPerFile ?? DEFAULT_TOKENS;
    const [folder] = words;
    const isFolder = words.length === 1 && folder !== undefined && (await isDirectory(folder));
    const workspace = isFolder ? createWorkspace({ root: folder }) : undefined;
    const reader = createReader({
      environment: terminal.environment,
      ...(workspace && { workspace }),
      ...(tokenizer && { tokenizer }),
      ...(values['no-cache'] === true && { cache: false }),
    });
    const files = workspace ? await filesIn(workspace, terminal) : await named(words, terminal);
    return packed(reader, files, maxTokens, values['json'] === true, terminal);
  },
};

/** The files in `words`, and those in its folders. */
async function named(words: readonly string[], terminal: Terminal): Promise<string[]> {
  const files: string[] = [];
  for (const word of words) {
    if (!(await isDirectory(word))) files.push(word);
    else {
      const base = word.replace(/\/+$/, '');
      for (const path of await filesIn(createWorkspace({ root: word }), terminal))
        files.push(`${base}/${path}`);
    }
  }
  return files;
}

const ALL_LEVELS = 100;

/** Every file below the root that is not ignored. */
async function filesIn(
  workspace: Pick<ReturnType<typeof createWorkspace>, 'list'>,
  { signal }: Terminal,
): Promise<string[]> {
  const files: string[] = [];
  for (let cursor: string | null = null; ; ) {
    const page = await workspace.list('', {
      depth: ALL_LEVELS,
      ignore: true,
      signal,
      ...(cursor !== null && { cursor }),
    });
    for (const { kind, path } of page.entries) if (kind === 'file') files.push(path);
    cursor = page.next;
    if (cursor === null) return files;
  }
}

async function packed(
  reader: Reader,
  files: readonly string[],
  maxTokens: Tokens,
  json: boolean,
  terminal: Terminal,
): Promise<number> {
  if (files.length === 0)
    throw new ReaderError(
      'FILE_NOT_FOUND',
      'The folder contains no files to pack.',
      'Check the path and the ignore files.',
    );
  const most = Math.max(1, Math.floor((maxTokens - NOTE_TOKENS) / LEAST_SHARE));
  const shown: readonly Input[] = files.slice(0, most);
  const left = files.length - shown.length;
  const budget = left > 0 ? maxTokens - NOTE_TOKENS : maxTokens;
  const results = await reader.readMany(shown, {
    maxTokens: budget,
    signal: terminal.signal,
    onProgress: terminal.progress,
  });
  terminal.done();
  if (json) await terminal.out(asJson({ results, left }));
  else {
    for (const [at, result] of results.entries()) {
      if (result.success) await printText(result.text, results.length > 1, terminal);
      else report(terminal, files[at] ?? result.metadata.name, result.error);
    }
    if (left > 0)
      await terminal.out(
        `${OWN.note}${plural(left, 'more file')} not listed. Raise \`--max-tokens\`, or pack a subfolder.]\n`,
      );
  }
  return statusOf(results);
}
