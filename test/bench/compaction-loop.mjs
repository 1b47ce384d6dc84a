// One conversation compacted, or written as JSON: `node compaction-loop.mjs compact|stringify DIST MESSAGES`. Prints the
// milliseconds of the best of a few turns.

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { now } from './clock.mjs';
import { chatConversation } from './conversation.mjs';

const [name, dist, count] = process.argv.slice(2);
/** So many that the code is compiled also on a busy machine. */
const TURNS = 30;
/** JSON is written so often in a turn that the clock can tell. */
const REPEATS = 20;

const { createCompactor } = await import(pathToFileURL(join(dist, 'src/history/index.js')).href);

const WORK = {
  async compact(messages) {
    await createCompactor({ window: 200 * Number(count) }).compact(messages);
  },
  async stringify(messages) {
    for (let turn = 0; turn < REPEATS; turn++)
      if (JSON.stringify(messages).length === 0) throw new Error('Nothing was written.');
  },
};

const times = [];
for (let turn = 0; turn < TURNS; turn++) {
  const messages = chatConversation(Number(count));
  const started = now();
  await WORK[name](messages);
  times.push(now() - started);
}
console.log(JSON.stringify({ milliseconds: Math.min(...times) }));
