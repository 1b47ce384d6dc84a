// Kills an agent again and again with SIGKILL at random instants, and checks the plan, its loop counters and its archive that
// are reloaded: `node test/bench/plan-kill.mjs --times 500`. Ends with status 1 when any is wrong.

import { parseArgs } from 'node:util';
import { killPlans } from '../support/plan-kill.mjs';
import { random } from './words.mjs';

const { values } = parseArgs({
  options: { times: { type: 'string', default: '500' }, seed: { type: 'string', default: '1' } },
});
const { kills, runs, answeredLast, oneMore, faults } = await killPlans(
  Number(values.times),
  random(Number(values.seed)),
);
console.log(
  `${kills} kills in ${runs} runs to the end: reloaded as after the last answered change ${answeredLast} times, with the one under way ${oneMore} times; ${faults.length} faults`,
);
for (const fault of faults) console.error(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
