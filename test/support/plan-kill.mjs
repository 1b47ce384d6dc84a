// Kills the agent of `plan-writer.mjs` with SIGKILL at random instants until its run is complete, as often as it takes to make
// so many kills, and compares what is reloaded each time with what the answered changes must have made.

import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { createPlanMemory, openPlan } from '../../dist/src/plan/index.js';
import { openRecall } from '../../dist/src/recall/index.js';
import { applyStep, SCRIPT } from './plan-script.mjs';

const WRITER = fileURLToPath(new URL('./plan-writer.mjs', import.meta.url));

/** The tree and the loops after each number of changes. */
async function expectedStates() {
  const plan = await openPlan({ storage: createPlanMemory() });
  const states = [{ tree: plan.tree, loops: [] }];
  for (const step of SCRIPT) {
    await applyStep(plan, step);
    states.push({ tree: plan.tree, loops: plan.loops() });
  }
  return states;
}

/** Runs the agent until it ends, or is killed after `lifeMs` of its first answer; the changes it answered. */
function life(folder, lifeMs) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [WRITER, folder], { stdio: ['ignore', 'pipe', 'pipe'] });
    let [said, problems] = ['', ''];
    let end;
    child.stdout.on('data', (chunk) => {
      if (said === '') end = setTimeout(() => child.kill('SIGKILL'), lifeMs);
      said += chunk;
    });
    child.stderr.on('data', (chunk) => {
      problems += chunk;
    });
    child.once('error', reject);
    child.once('close', (code, signal) => {
      clearTimeout(end);
      if (problems !== '' || (signal === null && code !== 0))
        reject(new Error(problems || `ended with ${code}`));
      const lines = said.split('\n').slice(0, -1);
      resolve({
        killed: signal !== null,
        done: lines.at(-1) === 'done',
        answered: Number(lines.findLast(Number) ?? 0),
      });
    });
  });
}

/** @param random numbers in [0, 1) */
export async function killPlans(kills, random, mostMs = 120) {
  const states = await expectedStates();
  const outcome = { kills: 0, runs: 0, answeredLast: 0, oneMore: 0, faults: [] };
  while (outcome.kills < kills) {
    const folder = await mkdtemp(join(tmpdir(), 'lectern-plan-kill-'));
    let answered = 0;
    for (let done = false; !done; ) {
      // After so many kills the run may end.
      const lifeMs = outcome.kills < kills ? random() * mostMs : 600_000;
      const lived = await life(folder, lifeMs);
      answered = Math.max(answered, lived.answered);
      done = lived.done;
      if (lived.killed) outcome.kills += 1;
      const plan = await openPlan({ storage: folder });
      const { revision, damaged } = plan;
      if (revision === answered) outcome.answeredLast += 1;
      else if (revision === answered + 1) outcome.oneMore += 1;
      else outcome.faults.push(`revision ${revision} after ${answered} answers`);
      const expected = states[revision];
      if (!isDeepStrictEqual(plan.tree, expected?.tree))
        outcome.faults.push(`another tree at revision ${revision}`);
      if (!isDeepStrictEqual(plan.loops(), expected?.loops))
        outcome.faults.push(`other loops at revision ${revision}`);
      if (damaged.length > 0) outcome.faults.push(`damaged ${damaged}`);
      await plan.close();
      const recall = await openRecall({ storage: folder });
      const last = Math.max(0, answered - 1);
      const [hit] = await recall.search(`number${last}`, { limit: 1 });
      if (answered > 0 && hit?.id !== `step-${last}`) outcome.faults.push(`recall lost step ${last}`);
      await recall.close();
    }
    if (answered !== SCRIPT.length) outcome.faults.push(`the run ended at ${answered}`);
    const left = (await readdir(folder)).filter((name) => name.startsWith('.') || name.startsWith('lock'));
    if (left.length > 0) outcome.faults.push(`left behind: ${left}`);
    outcome.runs += 1;
    await rm(folder, { recursive: true, force: true });
  }
  return outcome;
}
