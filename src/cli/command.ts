// What a command of the command line is.

import type { LimitDefinition } from '../limits/index.ts';
import type { Option, Values } from './options.ts';
import type { Terminal } from './terminal.ts';

/** A command as the overview lists it. */
export interface CommandEntry {
  readonly name: string;
  /** What follows the name in help. */
  readonly usage: string;
  readonly help: string;
  readonly load: () => Promise<Command>;
}

/** A variable of a limit. */
export type Variable = Pick<LimitDefinition<string>, 'variable' | 'alias'>;

/** What a command takes and does. `run` returns the exit status; `commands` are all there are. */
export interface Command {
  readonly options: readonly Option[];
  /** Limits that it takes from the environment alone, beside those of its options. */
  readonly variables?: readonly Variable[];
  run(
    files: readonly string[],
    values: Values,
    terminal: Terminal,
    commands: readonly CommandEntry[],
  ): Promise<number>;
}
