#!/usr/bin/env node
// The command line's entry: the process's own words, streams and status.

import { run } from './run.ts';
import { processTerminal } from './terminal.ts';

// A reader that went away (`| head`) is no error of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : 1);
});
process.exitCode = await run(process.argv.slice(2), processTerminal(process));
