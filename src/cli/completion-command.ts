// `lectern completion`: prints a shell script that completes commands, options and file names.

import { quoted } from '../contract/index.ts';
import { ReaderError } from '../index.ts';
import type { Command } from './command.ts';
import { bashScript } from './completion/bash.ts';
import { type Completed, completedCommands } from './completion/completed.ts';
import { fishScript } from './completion/fish.ts';
import { zshScript } from './completion/zsh.ts';
import { COMMON_OPTIONS } from './options.ts';

const SHELLS: Readonly<Record<string, (commands: readonly Completed[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

export const completion: Command = {
  options: COMMON_OPTIONS.filter(({ name }) => name !== 'json'),
  async run(words, _values, terminal, all) {
    const [shell = '', ...more] = words;
    const script = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
    if (script === undefined || more.length > 0)
      throw new ReaderError(
        'BAD_INPUT',
        words.length === 0 ? 'No shell given.' : `${quoted(words.join(' '))} is not a known shell.`,
        'Use `lectern completion bash`, `zsh` or `fish`.',
      );
    await terminal.out(script(await completedCommands(all)));
    return 0;
  },
};
