// What a command of the command line is.

import type { Option, Values } from './options.ts';
import type { Terminal } from './terminal.ts';

/** One command of the command line. `run` gives the exit status. */
export interface Command {
  readonly name: string;
  /** What follows the name in help. */
  readonly usage: string;
  readonly help: string;
  readonly options: readonly Option[];
  run(files: readonly string[], values: Values, terminal: Terminal): Promise<number>;
}
