// Runs a conversation in a workspace that others use at the same time, pruning at random, and prints what the
// parent process needs to check it: the state, the removed originals, and the number of prunes.

import { createCompactor, workspaceStorage } from '../../dist/src/history/index.js';
import { createWorkspace } from '../../dist/src/index.js';

const [, , root, name, rounds] = process.argv;
const compactor = createCompactor({
  window: 8000,
  storage: workspaceStorage(createWorkspace({ root })),
});

/** The same text in every process, so files of both conversations have the same names. */
const lines = (seed, count) =>
  Array.from(
    { length: count },
    (_, at) => `src/part-${seed}.ts:${at}: value ${seed * at} of ${name.length}`,
  ).join('\n');

let list = [{ role: 'user', content: 'Find the defect.' }];
const pointers = [];
let removed = 0;
let pruned = 0;
const restoreAll = async () => {
  for (const pointer of pointers)
    if ((await compactor.restore(pointer)).text === '') throw new Error(`${pointer} gave nothing.`);
};
for (let round = 1; round <= Number(rounds); round += 1) {
  const text = lines(round, round % 5 === 0 ? 1200 : 60);
  const arrived = await compactor.onToolResult({ toolName: 'bash', text });
  if (arrived.pointer !== null) pointers.push(arrived.pointer);
  const call = { id: `c${round}`, type: 'function', function: { name: 'bash', arguments: '{}' } };
  list.push(
    { role: 'assistant', content: '', tool_calls: [call] },
    { role: 'tool', tool_call_id: `c${round}`, content: arrived.text },
  );
  const { messages, report } = await compactor.compact(list);
  pointers.push(...report.pointers);
  list = messages;
  if (Math.random() < 0.4) {
    removed += (await compactor.prune()).length;
    pruned += 1;
  }
  if (Math.random() < 0.1) await restoreAll();
}
await restoreAll();
process.stdout.write(JSON.stringify({ state: compactor.state(), pointers, pruned, removed }));
