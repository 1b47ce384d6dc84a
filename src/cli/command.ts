// Types of a command.

import type { LimitDefinition } from '../limits/index.ts';
import type { Option, Values } from './options.ts';
import type { Terminal } from './terminal.ts';

/** A command as the overview lists it. */
export interface CommandEntry {
  readonly name: string;
  /** Arguments, as shown in help. */
  readonly usage: string;
  readonly help: string;
  /** Words that must follow it first. */
  readonly actions?: readonly string[];
  /** What its other arguments are. */
  readonly takes?: 'files' | 'folder';
  readonly load: () => Promise<Command>;
}

/** Environment variable of a limit. */
export type Variable = Pick<LimitDefinition<string>, 'variable' | 'alias'>;

/** A command's options and action. `run` returns the exit status; `commands` is the list of all commands. */
export interface Command {
  readonly options: readonly Option[];
  /** Additional limits, set only by the environment. */
  readonly variables?: readonly Variable[];
  run(
    files: readonly string[],
    values: Values,
    terminal: Terminal,
    commands: readonly CommandEntry[],
  ): Promise<number>;
}
