// What a command of the command line is.

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

/** What a command takes and does. `run` gives the exit status. */
export interface Command {
  readonly options: readonly Option[];
  run(files: readonly string[], values: Values, terminal: Terminal): Promise<number>;
}
