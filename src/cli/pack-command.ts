// `lectern pack`: prints many files under one budget, for one prompt. Small files are complete; a file larger than its
// share is reduced to its outline and beginning.

import { OWN, plural, type Tokens, withoutEnd } from '../contract/index.ts';
import { createReader, createWorkspace, type Reader, ReaderError } from '../index.ts';
import { LIMIT_DEFINITIONS } from '../limits/index.ts';
import type { Command } from './command.ts';
import { isDirectory } from './folder-text.ts';
import { limitsFrom } from './limit-flags.ts';
import { COMMON_OPTIONS, READ_OPTIONS, redactFrom } from './options.ts';
import { asJson, printText, report, statusOf, tokenizerFrom } from './read-command.ts';
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
    ...READ_OPTIONS.filter(({ name }) => ['tokenizer', 'no-cache', 'redact'].includes(name)),
    ...COMMON_OPTIONS,
  ],
  variables: LIMIT_DEFINITIONS,
  async run(words, values, terminal) {
    if (words.length === 0)
      throw new ReaderError('BAD_INPUT', 'No file or folder given.', 'Give one or more files or folders.');
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
      ...redactFrom(values),
    });
    const files = workspace
      ? (await filesIn(workspace, terminal)).map((path) => ({ path, isNamed: false }))
      : await named(words, terminal);
    return packed(reader, files, maxTokens, values['json'] === true, terminal);
  },
};

interface Packed {
  readonly path: string;
  /** On the command line; otherwise it was found in a folder. */
  readonly isNamed: boolean;
}

/** The files in `words`, and those in its folders. */
async function named(words: readonly string[], terminal: Terminal): Promise<Packed[]> {
  const files: Packed[] = [];
  for (const word of words) {
    if (!(await isDirectory(word))) files.push({ path: word, isNamed: true });
    else {
      const base = withoutEnd(word, '/');
      for (const path of await filesIn(createWorkspace({ root: word }), terminal))
        files.push({ path: `${base}/${path}`, isNamed: false });
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
  files: readonly Packed[],
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
  const shown = files.slice(0, most);
  const left = files.length - shown.length;
  const budget = left > 0 ? maxTokens - NOTE_TOKENS : maxTokens;
  const results = await reader.readMany(
    shown.map(({ path }) => path),
    { maxTokens: budget, signal: terminal.signal, onProgress: terminal.progress },
  );
  terminal.done();
  if (json) {
    await terminal.out(asJson({ results, left }));
    return statusOf(results.filter((_, at) => shown[at]?.isNamed));
  }
  let skipped = 0;
  for (const [at, result] of results.entries()) {
    const { path, isNamed } = shown[at] ?? { path: result.metadata.name, isNamed: true };
    if (result.success) await printText(result.text, results.length > 1, terminal);
    else if (!isNamed && result.error.code === 'UNSUPPORTED_FORMAT') skipped += 1;
    else report(terminal, path, result.error);
  }
  const note = noteOf(left, skipped);
  if (note !== '') await terminal.out(`${OWN.note}${note}]\n`);
  return statusOf(results.filter(({ success }, at) => success || shown[at]?.isNamed));
}

/** What is not in the pack. A skipped file has paid for its error, which takes more tokens than the note. */
function noteOf(left: number, skipped: number): string {
  const notes: string[] = [];
  if (skipped > 0) notes.push(`${plural(skipped, 'file')} skipped: unsupported format.`);
  if (left > 0)
    notes.push(`${plural(left, 'more file')} not listed. Raise \`--max-tokens\`, or pack a subfolder.`);
  return notes.join(' ');
}
