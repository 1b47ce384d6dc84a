// Restores pointers from a workspace and prints their texts as JSON, in a process that has only the folder.

import { createCompactor, workspaceStorage } from '../../../dist/src/history/index.js';
import { createWorkspace } from '../../../dist/src/index.js';

const [, , root, ...pointers] = process.argv;
const compactor = createCompactor({ storage: workspaceStorage(createWorkspace({ root })) });
const texts = [];
for (const pointer of pointers) texts.push((await compactor.restore(pointer)).text);
process.stdout.write(JSON.stringify(texts));
