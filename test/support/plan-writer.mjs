// An agent at work on a plan: scripted, so that what the plan must be after so many changes can be computed. It says on standard
// output how many changes were answered, and goes on where the plan in its folder is.

import { writeSync } from 'node:fs';
import { openPlan } from '../../dist/src/plan/index.js';
import { openRecall } from '../../dist/src/recall/index.js';
import { applyStep, SCRIPT } from './plan-script.mjs';

const [folder] = process.argv.slice(2);
const plan = await openPlan({ storage: folder, block: true });
const recall = await openRecall({ storage: folder });
if (plan.damaged.length > 0) throw new Error(`damaged: ${plan.damaged}`);
// The revision is the number of changes that count.
for (let at = plan.revision; at < SCRIPT.length; at++) {
  await recall.add([
    { id: `step-${at}`, kind: 'message', source: 'agent', text: `step number${at} of the script` },
  ]);
  await applyStep(plan, SCRIPT[at]);
  writeSync(1, `${at + 1}\n`);
}
await recall.close();
await plan.close();
writeSync(1, 'done\n');
