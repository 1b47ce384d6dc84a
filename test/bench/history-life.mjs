// One conversation that is compacted over and over: what its state weighs, and what a call costs beside JSON.stringify of the
// same list. `node test/bench/history-life.mjs [COMPACTIONS] [DIST]`, 1000 by default.

import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chatConversation } from './conversation.mjs';

const most = Number(process.argv[2] ?? 1000);
const dist = process.argv[3] ?? fileURLToPath(new URL('../../dist', import.meta.url));
const { createCompactor } = await import(pathToFileURL(join(dist, 'src/history/index.js')).href);

/** Compactions after which a row is printed. */
const STOPS = [10, 100, 300, 1000, 3000].filter((stop) => stop < most).concat(most);
const WINDOW = 20_000;
/** Messages drawn at a time; they come again in every stretch, under other ids. */
const STRETCH = 2000;

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
const milliseconds = (value) => (value === 0 ? '-' : `${value.toFixed(2)} ms`);

async function timed(work) {
  const started = performance.now();
  const result = await work();
  return { result, spent: performance.now() - started };
}

/** Turns of one call and its result each, without end. */
function* turns() {
  const messages = chatConversation(STRETCH);
  yield messages.slice(0, 2);
  for (let stretch = 0; ; stretch += 1)
    for (let at = 2; at + 1 < messages.length; at += 1) {
      const [call, result] = messages.slice(at, at + 2);
      if (!call.tool_calls) continue;
      const id = `${stretch}_${call.tool_calls[0].id}`;
      yield [
        { ...call, tool_calls: [{ ...call.tool_calls[0], id }] },
        { ...result, tool_call_id: id },
      ];
    }
}

const compactor = createCompactor({ window: WINDOW, format: 'openai-chat' });
let list = [];
let compactions = 0;
const spent = { quiet: [], compacting: [], stringify: [] };
console.log(`A window of ${WINDOW} tokens; medians since the row before.\n`);
console.log(
  '| compactions | messages | state | a call with nothing to do | JSON.stringify of the list | a compaction |',
);
console.log('|---|---|---|---|---|---|');
for (const turn of turns()) {
  list = [...list, ...turn];
  const copy = await timed(() => JSON.stringify(list));
  const { result, spent: took } = await timed(() => compactor.compact(list));
  list = result.messages;
  if (result.report.action === 'none') {
    spent.quiet.push(took);
    spent.stringify.push(copy.spent);
    continue;
  }
  spent.compacting.push(took);
  compactions += 1;
  if (!STOPS.includes(compactions)) continue;
  const state = JSON.stringify(compactor.state()).length;
  const [quiet, stringify, compacting] = [spent.quiet, spent.stringify, spent.compacting].map(median);
  console.log(
    `| ${compactions} | ${list.length} | ${(state / 1000).toFixed(0)} kB | ${milliseconds(quiet)} | ${milliseconds(stringify)} | ${milliseconds(compacting)} |`,
  );
  for (const values of Object.values(spent)) values.length = 0;
  if (compactions >= most) break;
}
