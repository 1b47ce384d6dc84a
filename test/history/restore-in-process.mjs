// Restores pointers from a folder and prints their texts as JSON, in a process that has only the storage.

import { Archive } from '../../dist/modules/src/history/archive/archive.js';
import { createFolderStorage } from './folder-storage.mjs';

const [, , folder, ...pointers] = process.argv;
const archive = new Archive(createFolderStorage(folder));
const texts = [];
for (const pointer of pointers) texts.push((await archive.restore(pointer)).text);
process.stdout.write(JSON.stringify(texts));
