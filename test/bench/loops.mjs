// How well the loop guard tells loops from work, beside the rule "the same call three times, or A-B-A-B": on sequences made by
// script with their labels, and on recorded conversations: `[LECTERN_CORPUS=DIR] node test/bench/loops.mjs`. Ends with status 1 when
// an unrelated call was refused.

import { join } from 'node:path';
import { createLoopGuard } from '../../dist/src/plan/index.js';
import { transcripts } from './transcripts.mjs';
import { random, WORDS } from './words.mjs';

const PER_KIND = 100;
const next = random(3);
const roll = (below) => Math.floor(next() * below);
const pick = (list) => list[roll(list.length)];
let fresh = 0;
const name = () => {
  fresh += 1;
  return `${pick(WORDS)}_${pick(WORDS)}${fresh}`;
};

// ---- Calls as agents make them ----

const read = (path = `src/${name()}.ts`, result = `content of ${path} ${name()}`) => ({
  tool: 'read_file',
  args: { path },
  result,
});
const edit = (path, note = name()) => ({
  tool: 'edit_file',
  args: { path, old: note, new: name() },
  result: `Edited ${path}`,
});
const run = (command, result, failed = false) => ({ tool: 'run', args: { command }, result, failed });
const search = (pattern, result = 'No matches.', more = {}) => ({
  tool: 'search',
  args: { pattern, ...more },
  result,
});
const write = (path, lines) => ({
  tool: 'write_file',
  args: { path, content: lines.join('\n') },
  result: `Written ${path}`,
});
const seconds = () => `${(next() * 9).toFixed(2)}s`;
const work = (length) =>
  Array.from({ length }, () =>
    pick([read, () => edit(`src/${name()}.ts`), () => search(name(), `1 match ${name()}`)])(),
  );
const times = (count, make) => Array.from({ length: count }, (_, at) => make(at));

/** Calls of one round whose results stay the same. */
const round = (period) =>
  times(period, () =>
    pick([() => read(), () => search(name()), () => run(`make ${name()}`, `error in ${name()}`, true)])(),
  );

// ---- Sequences: `loop` is where the loop is one at the latest; undefined for work ----

const LOOPS = {
  'the same call': () => {
    const call = read();
    return times(4, () => call);
  },
  'the same call, other durations': () => {
    const command = `test ${name()}`;
    return times(4, () => run(command, `3 failed in ${seconds()}`, true));
  },
  'the same failing call with reads between': () => {
    const command = `build ${name()}`;
    return times(4, () => [run(command, `error: ${command}`, true), read()]).flat();
  },
  ...Object.fromEntries(
    [2, 3, 4].map((period) => [
      `${period} calls in turn`,
      () => {
        const calls = round(period);
        return times(3, () => calls).flat();
      },
    ]),
  ),
  'the same edit and test': () => {
    const [change, command] = [edit(`src/${name()}.ts`), `test ${name()}`];
    return times(3, () => [change, run(command, `1 failed in ${seconds()}`, true)]).flat();
  },
  'other spellings of a call': () => {
    const word = name();
    return [
      search(word),
      search(`${word} `, 'No matches.', { limit: 10 }),
      search(` ${word}`, 'No matches.', { limit: 20 }),
      search(`${word}  `, 'No matches.', { limit: 30 }),
    ];
  },
  'one file written again with small changes': () => {
    const path = `src/${name()}.ts`;
    const lines = times(24, () => `const ${name()} = ${name()}();`);
    return times(8, () => write(path, lines.with(roll(24), `const ${name()} = 0;`)));
  },
  'one file and another in any order': () => {
    const calls = times(3, () => read());
    return [...calls, ...times(16, () => pick(calls))];
  },
};

const WORK = {
  'edit and test, results change': () => {
    const [path, command] = [`src/${name()}.ts`, `test ${name()}`];
    return times(6, (at) => [edit(path), run(command, `${9 - at} failed`, true)]).flat();
  },
  'edit and test, all pass': () => {
    const command = `test ${name()}`;
    return times(6, () => [edit(`src/${name()}.ts`), run(command, '12 passed')]).flat();
  },
  'edit, test and status, same results': () => {
    const command = `test ${name()}`;
    return times(5, () => [
      edit(`src/${name()}.ts`),
      run(command, '12 passed'),
      run('git status', 'modified'),
    ]).flat();
  },
  'polling until it changes': () => {
    const command = `status ${name()}`;
    return times(6, (at) => run(command, `${at * 17} % done`));
  },
  'reading on in one file': () => {
    const path = `src/${name()}.ts`;
    return times(8, (at) => ({ ...read(path), args: { path, lines: `${at * 100 + 1}-${at * 100 + 100}` } }));
  },
  'reading a file again after each edit': () => {
    const path = `src/${name()}.ts`;
    return times(5, () => [edit(path), read(path)]).flat();
  },
  'searches that find nothing': () => times(8, () => search(name())),
  'writing one file anew': () => {
    const path = `src/${name()}.ts`;
    return times(5, () =>
      write(
        path,
        times(24, () => `const ${name()} = ${name()}();`),
      ),
    );
  },
  'one retry': () => {
    const call = run(`fetch ${name()}`, 'timed out', true);
    return [call, call, { ...call, result: 'fetched', failed: false }];
  },
  'two files compared once again': () => {
    const [a, b] = [read(), read()];
    return [a, b, ...work(2), a, b];
  },
};

function sequences() {
  const made = [];
  for (const [kinds, isLoop] of [
    [LOOPS, true],
    [WORK, false],
  ])
    for (const [kind, make] of Object.entries(kinds))
      for (let count = 0; count < PER_KIND; count++) {
        const before = work(roll(6));
        made.push({ kind, isLoop, before: before.length, calls: [...before, ...make()] });
      }
  return made;
}

// ---- Rules ----

const guardRule = () => {
  const guard = createLoopGuard();
  return (call) => guard.observe(call) !== undefined;
};

/** The third call of a name and arguments, and A-B-A-B, results left aside. */
const callsAlone = () => {
  const counts = new Map();
  const last = [];
  return ({ tool, args }) => {
    const key = `${tool} ${JSON.stringify(args, Object.keys(args ?? {}).sort())}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    last.push(key);
    const [a, b, c, d] = last.slice(-4);
    return counts.get(key) >= 3 || (d !== undefined && a === c && b === d && a !== b);
  };
};

function score(rule, made) {
  const by = {};
  const sum = { found: 0, missed: 0, alarms: 0 };
  for (const { kind, isLoop, before, calls } of made) {
    const judge = rule();
    const warned = calls.map((call) => judge(call)).lastIndexOf(true) >= before;
    by[kind] ??= 0;
    if (warned) by[kind] += 1;
    if (isLoop && warned) sum.found += 1;
    else if (isLoop) sum.missed += 1;
    else if (warned) sum.alarms += 1;
  }
  return {
    ...sum,
    by,
    precision: sum.found / (sum.found + sum.alarms),
    recall: sum.found / (sum.found + sum.missed),
  };
}

/** Calls that a blocking guard refuses: never one that is new, whatever came before, and in work none at all. */
function refusals(made) {
  const count = { unrelated: 0, inWork: 0, inLoops: 0 };
  for (const { isLoop, calls } of made) {
    const guard = createLoopGuard({ block: true });
    for (const call of calls) {
      if (!guard.check(read()).allowed || !guard.check(edit(`src/${name()}.ts`)).allowed)
        count.unrelated += 1;
      if (guard.check(call).allowed) guard.observe(call);
      else if (isLoop) count.inLoops += 1;
      else count.inWork += 1;
    }
  }
  return count;
}

// ---- Recorded conversations ----

function callsOf(messages) {
  const results = new Map(messages.flatMap((one) => (one.role === 'tool' ? [[one.tool_call_id, one]] : [])));
  return messages.flatMap(({ tool_calls: calls = [] }) =>
    calls.flatMap(({ id, function: { name: tool, arguments: args } }) => {
      const found = results.get(id);
      return found ? [{ tool, args, result: found.content, failed: found.failed ?? false }] : [];
    }),
  );
}

/** Whether each call brought anything: false where it was made before, word for word, with the same result. */
function novelty(calls) {
  const seen = new Set();
  return calls.map(({ tool, args, result }) => {
    const key = JSON.stringify([tool, args, result]);
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

function recorded(folder) {
  const rows = {
    calls: 0,
    guard: 0,
    guardNew: 0,
    rule: 0,
    ruleNew: 0,
    refused: 0,
    refusedNew: 0,
    unrelated: 0,
  };
  for (const { conversations } of transcripts(folder))
    for (const messages of conversations) {
      const calls = callsOf(messages);
      const isNew = novelty(calls);
      const [guard, rule] = [guardRule(), callsAlone()];
      const blocking = createLoopGuard({ block: true });
      for (const [at, call] of calls.entries()) {
        rows.calls += 1;
        if (guard(call)) {
          rows.guard += 1;
          if (isNew[at]) rows.guardNew += 1;
        }
        if (rule(call)) {
          rows.rule += 1;
          if (isNew[at]) rows.ruleNew += 1;
        }
        if (!blocking.check(read()).allowed) rows.unrelated += 1;
        if (blocking.check(call).allowed) blocking.observe(call);
        else {
          rows.refused += 1;
          if (isNew[at]) rows.refusedNew += 1;
        }
      }
    }
  return rows;
}

const made = sequences();
const rules = { guard: guardRule, 'calls alone': callsAlone };
const scores = Object.fromEntries(Object.entries(rules).map(([title, rule]) => [title, score(rule, made)]));
for (const [title, { precision, recall }] of Object.entries(scores))
  console.log(`${title.padEnd(12)} precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}`);
for (const [kinds, title] of [
  [LOOPS, 'loops, warned of'],
  [WORK, 'work, warned of'],
]) {
  console.log(`\n${title}, of ${PER_KIND}: guard, calls alone`);
  for (const kind of Object.keys(kinds))
    console.log(
      `  ${kind.padEnd(44)} ${Object.values(scores)
        .map(({ by }) => String(by[kind]).padStart(4))
        .join('')}`,
    );
}
const refused = refusals(made);
console.log(
  `\nrefused with block: ${refused.unrelated} unrelated calls, ${refused.inWork} in work, ${refused.inLoops} in loops`,
);
let unrelated = refused.unrelated + refused.inWork;
if (process.env.LECTERN_CORPUS !== undefined) {
  const rows = recorded(join(process.env.LECTERN_CORPUS, 'transcripts'));
  console.log(
    `\n${rows.calls} recorded calls: the guard warns of ${rows.guard} (${rows.guardNew} brought something new), calls alone of ${rows.rule} (${rows.ruleNew}); refused with block ${rows.refused} (${rows.refusedNew} new), unrelated ${rows.unrelated}`,
  );
  unrelated += rows.unrelated;
}
process.exitCode = unrelated === 0 ? 0 : 1;
