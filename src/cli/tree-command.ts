// `lectern tree`: prints the files of a folder with sizes and tokens, as deep as the budget allows.

import { stat } from 'node:fs/promises';
import { quoted, shortName, systemError } from '../contract/index.ts';
import { createReader, ReaderError } from '../index.ts';
import { LIMIT_DEFINITIONS } from '../limits/index.ts';
import type { Command } from './command.ts';
import { folderText } from './folder-text.ts';
import { limitsFrom } from './limit-flags.ts';
import { COMMON_OPTIONS, LIMIT_OPTIONS, type Option } from './options.ts';

/** `--max-tokens`, the only read limit of a tree. */
export const BUDGET_OPTIONS: readonly Option[] = LIMIT_OPTIONS.filter(({ name }) => name === 'max-tokens');

export const tree: Command = {
  options: [...BUDGET_OPTIONS, ...COMMON_OPTIONS.filter(({ name }) => name !== 'json')],
  variables: LIMIT_DEFINITIONS,
  async run(words, values, terminal) {
    const [folder = '.', ...more] = words;
    if (more.length > 0)
      throw new ReaderError(
        'BAD_INPUT',
        `\`lectern tree\` accepts one folder; unexpected argument ${quoted(more.join(' '))}.`,
        'Run it once per folder.',
      );
    const reader = createReader({ environment: terminal.environment, limits: limitsFrom(values) });
    const text = await folderText(folder, reader, { signal: terminal.signal }, 'tree');
    if (text === undefined) throw await notAFolder(folder);
    await terminal.out(text);
    return 0;
  },
};

async function notAFolder(path: string): Promise<ReaderError> {
  try {
    await stat(path);
  } catch (error) {
    return systemError(error, shortName(path), 'enter');
  }
  return new ReaderError(
    'NOT_A_FOLDER',
    `${quoted(path)} is a file; expected a folder.`,
    'Use `lectern read` for a file.',
  );
}
