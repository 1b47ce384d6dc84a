// Compacts a file of messages, call by call, in a separate process, and prints the result as JSON.

import { readFile } from 'node:fs/promises';
import { createCompactor } from '../../dist/src/history/index.js';
import { createFolderStorage } from './folder-storage.mjs';

const [, , file, folder, options] = process.argv;
const messages = JSON.parse(await readFile(file, 'utf8'));
const compactor = createCompactor({ ...JSON.parse(options), storage: createFolderStorage(folder) });
const given = [];
const pointers = [];
for (let end = 2; end < messages.length + 7; end += 7) {
  const compacted = await compactor.compact(messages.slice(0, end));
  given.push(compacted);
  pointers.push(...compacted.report.pointers);
}
process.stdout.write(JSON.stringify({ given, pointers, state: compactor.state() }));
