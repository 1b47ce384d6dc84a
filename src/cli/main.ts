#!/usr/bin/env node
// The command line's entry: the process's own words, streams and status.

import module from 'node:module';
// biome-ignore lint/style/noRestrictedImports: the front door has all that is to be compiled once.
import { cacheDirectory } from '../cache/place.ts';

// Node.js 22 and later keep compiled code between runs, so that what is imported below is compiled once. Among the user's
// own caches: the default is a folder of the temporary directory, which others can write to. Never in the data directory.
const { XDG_CACHE_HOME, HOME, LOCALAPPDATA } = process.env;
const caches = cacheDirectory({ XDG_CACHE_HOME, HOME, LOCALAPPDATA });
if (caches !== undefined && 'enableCompileCache' in module && typeof module.enableCompileCache === 'function')
  module.enableCompileCache(`${caches}-compiled`);
const [{ run }, { processTerminal }] = await Promise.all([import('./run.ts'), import('./terminal.ts')]);

// A reader that went away (`| head`) is no error of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : 1);
});
process.exitCode = await run(process.argv.slice(2), processTerminal(process));
