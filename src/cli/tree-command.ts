// `lectern tree`: the files of a folder with their sizes and tokens, as deep as the budget reaches.

import { stat } from 'node:fs/promises';
import { errnoOf, quoted } from '../contract/index.ts';
import { createReader, ReaderError } from '../index.ts';
import { LIMIT_DEFINITIONS } from '../limits/index.ts';
import type { Command } from './command.ts';
import { folderText } from './folder-text.ts';
import { limitsFrom } from './limit-flags.ts';
import { COMMON_OPTIONS, LIMIT_OPTIONS, type Option } from './options.ts';

/** `--max-tokens`, the one limit of a read that a tree has. */
export const BUDGET_OPTIONS: readonly Option[] = LIMIT_OPTIONS.filter(({ name }) => name === 'max-tokens');

export const tree: Command = {
  options: [...BUDGET_OPTIONS, ...COMMON_OPTIONS.filter(({ name }) => name !== 'json')],
  variables: LIMIT_DEFINITIONS,
  async run(words, values, terminal) {
    const [folder = '.', ...more] = words;
    if (more.length > 0)
      throw new ReaderError(
        'BAD_INPUT',
        `\`lectern tree\` takes one folder; ${quoted(more.join(' '))} is more.`,
        'Run it once for each folder.',
      );
    await refuseOthers(folder);
    const reader = createReader({ environment: terminal.environment, limits: limitsFrom(values) });
    const text = await folderText(folder, reader, { signal: terminal.signal });
    await terminal.out(text ?? '');
    return 0;
  },
};

/** @throws {ReaderError} FILE_NOT_FOUND, NOT_A_FOLDER */
async function refuseOthers(folder: string): Promise<void> {
  let isFolder: boolean;
  try {
    isFolder = (await stat(folder)).isDirectory();
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    throw new ReaderError(
      'FILE_NOT_FOUND',
      `There is no folder ${quoted(folder)}.`,
      'Check the name, or list the parent folder first.',
      error,
    );
  }
  if (isFolder) return;
  throw new ReaderError(
    'NOT_A_FOLDER',
    `${quoted(folder)} is a file; expected a folder.`,
    'Read it with `lectern read`.',
  );
}
