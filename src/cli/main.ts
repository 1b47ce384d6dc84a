#!/usr/bin/env node
// The command line's entry: the process's arguments, streams and exit status.

import { errnoOf } from '../contract/index.ts';
import { run } from './run.ts';
import { processTerminal } from './terminal.ts';

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A reader that went away (`| head`) is not an error.
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(
    `lectern: standard output could not be written: ${errnoOf(error) ?? 'unknown error'}.\n`,
  );
  process.exit(1);
});
process.exitCode = await run(process.argv.slice(2), processTerminal(process));
