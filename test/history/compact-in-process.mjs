// Compacts a file of messages, call by call, in a process of its own, and prints what it gave as JSON.

import { readFile } from 'node:fs/promises';
import { createCompactor } from '../../dist/src/history/index.js';
import { createFolderStorage } from './folder-storage.mjs';

const [, , file, folder, options] = process.argv;
const messages = JSON.parse(await readFile(file, 'utf8'));
const compactor = createCompactor({ ...JSON.parse(options), storage: createFolderStorage(folder) });
const given = [];
for (let end = 2; end < messages.length; end += 7)
  given.push((await compactor.compact(messages.slice(0, end))).messages);
given.push(await compactor.compact(messages));
process.stdout.write(JSON.stringify({ given, state: compactor.state() }));
