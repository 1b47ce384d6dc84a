// What a completion script knows of a command.

import type { CommandEntry } from '../command.ts';
import type { Option } from '../options.ts';

export interface CompletedOption extends Omit<Option, 'choices'> {
  readonly choices: readonly string[];
  /** Its value is a folder. */
  readonly isFolder: boolean;
}

export interface Completed extends Pick<CommandEntry, 'name' | 'help' | 'takes'> {
  readonly actions: readonly string[];
  readonly options: readonly CompletedOption[];
}

/** The command that `lectern FILE` runs. */
export const USUAL_COMMAND = 'read';

/** Loads every command. */
export const completedCommands = (all: readonly CommandEntry[]): Promise<Completed[]> =>
  Promise.all(
    all.map(async ({ name, help, takes, actions = [], load }) => {
      const { options } = await load();
      return {
        name,
        help,
        ...(takes && { takes }),
        actions,
        options: await Promise.all(options.map(completedOption)),
      };
    }),
  );

async function completedOption({ choices = [], ...option }: Option): Promise<CompletedOption> {
  return {
    ...option,
    choices: typeof choices === 'function' ? await choices() : choices,
    isFolder: option.value === 'DIR',
  };
}

/** Quotes a text for a shell with single quotes. */
export const inQuotes = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
