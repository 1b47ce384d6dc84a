// Kills an agent again and again with SIGKILL at random instants, and checks the plan, its loop counters and its archive that
// are reloaded: `node test/bench/plan-kill.mjs --times 500`. Ends with status 1 when any is wrong.

import { parseArgs } from 'node:util';
import { killPlans } from '../support/plan-kill.mjs';
import { random } from './words.mjs';

const { values } = parseArgs({
  options: { times: { type: 'string', default: '500' }, seed: { type: 'string', default: '1' } },
});
/** Kills between two lines of output. */
const ROUND = 25;
const next = random(Number(values.seed));
const sum = { kills: 0, runs: 0, answeredLast: 0, oneMore: 0 };
while (sum.kills < Number(values.times)) {
  const { faults, ...counts } = await killPlans(Math.min(ROUND, Number(values.times) - sum.kills), next);
  for (const [name, count] of Object.entries(counts)) sum[name] += count;
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exitCode = 1;
  console.log(
    `${sum.kills} kills, ${sum.runs} runs to the end; reloaded as after the last answered change ${sum.answeredLast} times, with the one under way ${sum.oneMore} times`,
  );
}
