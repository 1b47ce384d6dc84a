#!/usr/bin/env node
// The command line's entry: the process's own words, streams and status.

import module from 'node:module';

// Node.js 22 and later keep compiled code between runs; what is imported below is compiled once.
if ('enableCompileCache' in module && typeof module.enableCompileCache === 'function')
  module.enableCompileCache();
const [{ run }, { processTerminal }] = await Promise.all([import('./run.ts'), import('./terminal.ts')]);

// A reader that went away (`| head`) is no error of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : 1);
});
process.exitCode = await run(process.argv.slice(2), processTerminal(process));
