// An agent, played by a script, that is killed every few calls, repeats what does not help, and reads more than its window
// holds. Once without lectern and once with it: `node examples/survivor.mjs`.

import { fork } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createCompactor } from 'lectern/history';
import { openPlan } from 'lectern/plan';
import { openRecall } from 'lectern/recall';

const GOAL = 'Configure every module with the port that its listing names.';
const MODULES = ['parser', 'router', 'cache', 'mailer', 'billing', 'search'];
/** Tokens of the window; the listings of all modules are more. */
const WINDOW = 4000;
/** Calls until the process is killed. */
const LIFE = 7;
const MOST_PROCESSES = 10;

// ---- The world ----

const portOf = (name) => 4100 + 37 * MODULES.indexOf(name);

const listingOf = (name) =>
  Array.from({ length: 80 }, (_, line) =>
    line === 41 ? `${name}_port = ${portOf(name)}` : `${name}.option_${line} = ${(line * 7919) % 1000}`,
  ).join('\n');

function runTool(folder, { tool, args: { name, port } }) {
  if (tool === 'read') return listingOf(name);
  if (port !== portOf(name)) return `Error: ${name} does not answer on port ${port}`;
  appendFileSync(join(folder, 'configured'), `${name}\n`);
  return `${name} is configured`;
}

// ---- The model: it knows what is in its prompt, and nothing else ----

function nextCall(prompt) {
  if (prompt.includes('Status: completed')) return null;
  // The newest counts: a notice of a compaction says where the work stood then.
  const [verb, name] = [...prompt.matchAll(/^Now: \S+ (\w+) (\w+)$/gm)].at(-1)?.slice(1) ?? guessed(prompt);
  if (verb === 'Read') return { tool: 'read', args: { name } };
  const port = new RegExp(`${name}_port = (\\d+)`).exec(prompt)?.[1];
  if (port) return { tool: 'configure', args: { name, port: Number(port) } };
  // It would try the usual port for ever, unless it is told that this leads nowhere, or where to look.
  if (/\[Note: |Not run: |Call `recall`/.test(prompt))
    return { tool: 'recall', args: { query: `${name}_port` } };
  return { tool: 'configure', args: { name, port: 80 } };
}

/** Where it takes itself to be, without a plan. */
function guessed(prompt) {
  const unread = MODULES.find(
    (name) => !prompt.includes(`${name}.option_`) && !prompt.includes(`${name} is`),
  );
  return unread ? ['Read', unread] : ['Configure', MODULES.find((name) => !prompt.includes(`${name} is`))];
}

// ---- One process of the agent ----

async function agent(mode, folder) {
  const memory = mode === 'with' ? await openMemory(folder) : null;
  const messages = [{ role: 'user', content: GOAL }];
  for (let calls = 1; ; calls += 1) {
    const call = nextCall(await promptOf(messages, memory));
    if (call === null) break;
    const result = await answerOf(call, folder, memory);
    const id = `call_${calls}`;
    const asked = { name: call.tool, arguments: JSON.stringify(call.args) };
    messages.push({
      role: 'assistant',
      content: null,
      tool_calls: [{ id, type: 'function', function: asked }],
    });
    messages.push({ role: 'tool', tool_call_id: id, content: result });
    tell('calls');
    if (calls === LIFE) process.kill(process.pid, 'SIGKILL');
  }
  await memory.plan.close();
  await memory.recall.close();
}

const tell = (event) => appendFileSync(join(process.argv[3], 'events'), `${event}\n`);

async function openMemory(folder) {
  const plan = await openPlan({ storage: folder, goal: GOAL, block: true });
  if (plan.tree.tasks.length === 0)
    await plan.add([
      { title: 'Read the listings', subtasks: MODULES.map((name) => `Read ${name}`) },
      { title: 'Configure the modules', subtasks: MODULES.map((name) => `Configure ${name}`) },
    ]);
  const recall = await openRecall({ storage: folder });
  const compactor = createCompactor({
    window: WINDOW,
    goal: () => plan.compactContext(),
    recall,
    onCompaction: () => tell('compactions'),
  });
  return { plan, recall, compactor };
}

/** What the model is sent, as text. */
async function promptOf(messages, memory) {
  if (memory) {
    const { messages: kept } = await memory.compactor.compact(messages);
    return [...kept.map(({ content }) => content ?? ''), memory.plan.compactContext()].join('\n');
  }
  // Four characters to a token: the oldest messages go.
  const kept = [];
  let room = 4 * WINDOW;
  for (const { content } of messages.toReversed()) {
    room -= content?.length ?? 0;
    if (room < 0) break;
    kept.unshift(content ?? '');
  }
  return kept.join('\n');
}

async function answerOf(call, folder, memory) {
  if (!memory) return runTool(folder, call);
  const { plan, recall } = memory;
  const verdict = plan.check(call);
  if (!verdict.allowed) return verdict.message;
  if (call.tool === 'recall') {
    tell('recalls');
    const hits = await recall.search(call.args.query, { limit: 1 });
    return hits.map(({ text }) => text).join('\n');
  }
  const result = runTool(folder, call);
  const failed = result.startsWith('Error');
  await recall.add([{ text: result, kind: 'result', source: call.tool }]);
  const warning = await plan.observe({ ...call, result, failed });
  if (warning) tell('loops');
  if (!failed) await plan.complete();
  return warning ? `${result}\n${warning.message}` : result;
}

// ---- Processes until the goal is reached ----

async function run(mode) {
  const folder = mkdtempSync(join(tmpdir(), 'survivor-'));
  const linesOf = (name) =>
    existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8').trim().split('\n') : [];
  let [kills, finished] = [0, false];
  while (!finished && kills < MOST_PROCESSES) {
    const child = fork(fileURLToPath(import.meta.url), [mode, folder]);
    finished = await new Promise((resolve) => child.once('exit', (code) => resolve(code === 0)));
    if (!finished) kills += 1;
  }
  const count = (event) => linesOf('events').filter((line) => line === event).length;
  console.log(
    `${mode} lectern: ${finished ? 'finished' : 'given up'} after ${kills} kills and ${count('calls')} calls`,
  );
  console.log(`  modules configured: ${new Set(linesOf('configured')).size} of ${MODULES.length}`);
  if (mode === 'with')
    console.log(
      `  loops broken: ${count('loops')}, passages recalled: ${count('recalls')}, compactions: ${count('compactions')}`,
    );
  rmSync(folder, { recursive: true, force: true });
}

const [mode, folder] = process.argv.slice(2);
if (mode) await agent(mode, folder);
else {
  await run('without');
  await run('with');
}
