// `lectern plan`: shows an agent's goal and progress. Read-only, because the agent may be running.

import { quoted } from '../contract/index.ts';
import { ReaderError } from '../index.ts';
import { planOutline, readPlan } from '../plan/index.ts';
import type { Command } from './command.ts';
import { CONTEXT_DIR_OPTION, contextDirFrom, namedContextDir } from './context-dir.ts';
import { COMMON_OPTIONS } from './options.ts';
import { asJson } from './read-command.ts';

export const plan: Command = {
  options: [CONTEXT_DIR_OPTION, ...COMMON_OPTIONS],
  async run(words, values, terminal) {
    if (words.length !== 1 || words[0] !== 'show')
      throw new ReaderError(
        'BAD_INPUT',
        words.length === 0
          ? 'No action given.'
          : `${quoted(words.join(' '))} is not an action of \`lectern plan\`.`,
        'Use `lectern plan show`.',
      );
    const found = await readPlan(contextDirFrom(values));
    if (found.revision === 0)
      throw new ReaderError(
        'FILE_NOT_FOUND',
        `The folder ${quoted(namedContextDir(values))} contains no plan.`,
        "Set the agent's folder with `--context-dir`.",
      );
    await terminal.out(values['json'] === true ? asJson(found) : planOutline(found.tree, found.loops));
    return 0;
  },
};
