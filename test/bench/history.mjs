// Histories kept by lectern beside its rivals, without a model: whether an agent could do from its prompt what it did next,
// and what the prompts of a recorded session cost with a prompt cache. `node test/bench/history.mjs --help`.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { historyOf, strategyTable } from './history-strategies.mjs';
import { added, figuresOf, live, NOTHING, namesOf, tokensOfLength } from './next-action.mjs';
import { textOf, transcripts } from './transcripts.mjs';

const HELP = `Usage: LECTERN_CORPUS=DIR node test/bench/history.mjs [options]

Reads the recorded conversations in DIR/transcripts.

  --only TEXT    files whose name contains TEXT
  --strategy T   strategies whose name contains T; may be repeated
  --window N     the model's window in tokens, for the presets (default 200000)
  --horizon N    assistant messages in which names are needed (default 40)
  --cuts LIST    where conversations are cut, as shares of their assistant messages (default 0.4,0.55,0.7,0.85)
  --lived        call by call up to a cut, as an agent does, instead of once at the cut
  --dist DIR     the build to measure (default dist)
  --json         print the figures as JSON
  --presets      print what each preset keeps, without figures and without a corpus

edit      texts that the next edit replaces and that were seen before: the share of them in the prompt, word for word
lines     the same of lines of 20 characters and more that a call copies from a result
grounded  the same of names that a call takes from a result, inside a line of it
recall    names in calls after a cut which a result before it introduced: the share still in the prompt, in lists or not
cost      tokens in thousands, 0.1 for a token read from the cache and 1.25 for another
+tax      cost, and the reading again that each missing text takes; as a share of what everything sent costs
breaks    calls whose prompt does not begin with the whole prompt before
bare      share of the notices that is lists of names
`;

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    strategy: { type: 'string', multiple: true, default: [''] },
    window: { type: 'string', default: '200000' },
    horizon: { type: 'string', default: '40' },
    cuts: { type: 'string', default: '0.4,0.55,0.7,0.85' },
    lived: { type: 'boolean', default: false },
    dist: { type: 'string', default: fileURLToPath(new URL('../../dist', import.meta.url)) },
    json: { type: 'boolean', default: false },
    presets: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const history = await historyOf(values.dist);
if (values.presets && history !== null) {
  console.log(strategyTable(history, Number(values.window), () => []));
  process.exit(0);
}
const corpus = process.env.LECTERN_CORPUS;
if (values.help || corpus === undefined) {
  (values.help ? console.log : console.error)(HELP);
  process.exit(values.help ? 0 : 2);
}
// Needs the packages of test/integrations.
const { countsAlike, RIVALS } = await import('../integrations/bench/history-rivals.mjs');
const CUTS = values.cuts.split(',').map(Number);
const HORIZON = Number(values.horizon);
/** A cut with fewer messages before it, or fewer names needed after it, tells nothing. */
const [FEWEST_MESSAGES, FEWEST_NAMES] = [20, 3];
/** A file of so many short conversations is no long session. */
const MANY_CONVERSATIONS = 50;

// ---- Conversations ----

const callText = ({ function: { name, arguments: text } }) => name + text;
const shown = (message) => [textOf(message.content), ...(message.tool_calls ?? []).map(callText)].join('\n');

function characters(messages) {
  let sum = 0;
  for (const message of messages) {
    sum += textOf(message.content).length;
    for (const one of message.tool_calls ?? []) sum += callText(one).length;
  }
  return sum;
}

// ---- Measures ----

const isAssistant = ({ role }) => role === 'assistant';

/** Where a conversation is cut, with the names needed after each cut. */
function cutsOf(messages) {
  const turns = messages.flatMap((message, index) => (isAssistant(message) ? [index] : []));
  return CUTS.flatMap((share) => {
    const at = turns[Math.floor(share * turns.length)];
    if (at === undefined || at <= FEWEST_MESSAGES) return [];
    const before = messages.slice(0, at);
    const results = before.filter(({ role }) => role === 'tool').map(({ content }) => content);
    const known = namesOf(results.join('\n'));
    const next = messages.slice(at).filter(isAssistant).slice(0, HORIZON);
    const calls = next.flatMap((message) => message.tool_calls ?? []).map((one) => one.function.arguments);
    const needed = [...new Set(calls.flatMap((text) => [...namesOf(text)]))].filter((name) =>
      known.has(name),
    );
    return needed.length < FEWEST_NAMES ? [] : [{ before, needed }];
  });
}

async function atCut(make, before) {
  const compact = make();
  if (values.lived) {
    for (let index = 0; index < before.length; index++)
      if (isAssistant(before[index])) await compact(before.slice(0, index));
  }
  const kept = await compact(before);
  await compact.close?.();
  return kept;
}

async function recall(lists, make) {
  const sum = { cuts: 0, hits: 0, needed: 0, kept: 0, before: 0 };
  for (const messages of lists) {
    for (const { before, needed } of cutsOf(messages)) {
      const kept = await atCut(make, before);
      const seen = namesOf(kept.map(shown).join('\n'));
      sum.cuts++;
      sum.hits += needed.filter((name) => seen.has(name)).length;
      sum.needed += needed.length;
      sum.kept += characters(kept);
      sum.before += characters(before);
    }
  }
  const share = (part, whole) => (whole === 0 ? null : part / whole);
  return {
    cuts: sum.cuts,
    needed: sum.needed,
    kept: share(sum.kept, sum.before),
    recall: share(sum.hits, sum.needed),
  };
}

async function lived(lists, make) {
  let sum = NOTHING;
  for (const messages of lists) {
    const compact = make();
    sum = added(sum, await live(messages, compact));
    await compact.close?.();
  }
  return { sum, ...figuresOf(sum) };
}

// ---- Strategies ----

const results = (list) => list.flatMap(({ role }, index) => (role === 'tool' ? [index] : []));
const masked = (message) => ({
  ...message,
  content: `[result masked - ~${message.content.length >> 2} tokens removed]`,
});
const maskAllBut = (list, kept) =>
  list.map((message, index) => (message.role === 'tool' && !kept.has(index) ? masked(message) : message));
const estimate = (list) => {
  let sum = 0;
  for (const message of list) sum += tokensOfLength(characters([message]));
  return sum;
};

const PLAIN = {
  'everything sent': () => (list) => list,
  'mask all but first 2 and last 5 results': () => (list) => {
    const places = results(list);
    return maskAllBut(list, new Set([...places.slice(0, 2), ...places.slice(-5)]));
  },
  'mask all but last 10 results': () => (list) => maskAllBut(list, new Set(results(list).slice(-10))),
  'mask in batches of 20k tokens': () => {
    const gone = new Set();
    return (list) => {
      const next = results(list)
        .slice(2, -5)
        .filter((index) => !gone.has(index));
      if (estimate(next.map((index) => list[index])) >= 20_000) for (const index of next) gone.add(index);
      return list.map((message, index) => (gone.has(index) ? masked(message) : message));
    };
  },
  'last 50 messages': () => (list) => list.slice(-50),
  'window, at 100k tokens down to 50k': () => {
    let start = 0;
    return (list) => {
      if (estimate(list.slice(start)) > 100_000) {
        let left = 50_000;
        let from = list.length;
        while (from > start) {
          left -= estimate([list[from - 1]]);
          if (left < 0) break;
          from--;
        }
        start = from;
      }
      return list.slice(start);
    };
  },
};

const OURS = 'lectern, lectern';
const RAW = 'everything sent';
const WITH_RECALL = 'lectern, lectern and the tool recall';

/** Presets of the build, where it has them. */
async function presets() {
  if (history?.createCompactor === undefined) return {};
  const { createCompactor, PRESET_NAMES } = history;
  const make = (options) => () => {
    const compactor = createCompactor({ window: Number(values.window), ...options });
    return async (list) => (await compactor.compact(list)).messages;
  };
  const own = PRESET_NAMES.map((preset) => [`lectern, ${preset}`, make({ preset })]);
  return Object.fromEntries([...own, [WITH_RECALL, await withRecall(createCompactor)]]);
}

/** The default with an archive of what left, which the agent searches where its prompt lacks what it needs. */
async function withRecall(createCompactor) {
  const { openRecall } = await import(pathToFileURL(join(resolve(values.dist), 'src/recall/index.js')).href);
  return () => {
    const storage = mkdtempSync(join(tmpdir(), 'lectern-history-bench-'));
    const opened = openRecall({ storage });
    const recall = { add: async (entries) => (await opened).add(entries) };
    const compactor = createCompactor({ window: Number(values.window), recall });
    return Object.assign(async (list) => (await compactor.compact(list)).messages, {
      ask: async (question) => (await (await opened).search(question)).map(({ text }) => text),
      close: async () => {
        await (await opened).close();
        rmSync(storage, { recursive: true, force: true });
      },
    });
  };
}

const strategies = Object.entries({ ...PLAIN, ...RIVALS, ...(await presets()) }).filter(([name]) =>
  values.strategy.some((part) => name.includes(part)),
);

/** Each baseline and rival beside the default, which must be cheaper at equal or better `edit`, the reading again counted. */
function verdicts(rows) {
  const ours = rows.find(({ name }) => name === OURS);
  if (ours === undefined) return [];
  return rows
    .filter(({ name }) => name !== RAW && !name.startsWith('lectern, '))
    .map((row) => ({
      rival: row.name,
      beaten: ours.taxed < row.taxed && (ours.edit ?? 1) >= (row.edit ?? 1),
      better: row.taxed <= ours.taxed && (row.edit ?? 1) >= (ours.edit ?? 1),
      cheaperBy: 1 - ours.taxed / row.taxed,
      editAhead: (ours.edit ?? 1) - (row.edit ?? 1),
    }));
}

const percent = (share) => (share === null || share === undefined ? '-' : `${(100 * share).toFixed(1)} %`);
const thousands = (count) => `${Math.round(count / 1000)}k`;
const ofRaw = ({ taxed }, raw) => (raw === undefined ? '-' : (taxed / raw.taxed).toFixed(2));

function print({ file, rows }) {
  const { calls, edits, needed } = rows[0];
  const raw = rows.find(({ name }) => name === RAW);
  console.log(
    `\n## ${file}: ${calls} calls, ${edits} edits of text seen before, ${needed} names needed after cuts\n`,
  );
  console.log(
    '| strategy | edit | lines | grounded | +tax of raw | recall | cost | mean prompt | breaks | bare |',
  );
  console.log('|---|---|---|---|---|---|---|---|---|---|');
  for (const row of rows)
    console.log(
      `| ${row.name} | ${percent(row.edit)} | ${percent(row.lines)} | ${percent(row.grounded)} | ${ofRaw(row, raw)} | ` +
        `${percent(row.recall)} | ${Math.round(row.cost)} | ${thousands(row.mean)} | ${row.breaks} | ${percent(row.bareNames)} |`,
    );
  for (const { rival, better, cheaperBy, editAhead } of verdicts(rows))
    if (better)
      console.log(
        `\nBetter here: ${rival} (${percent(-cheaperBy)} cheaper, edit ${percent(-editAhead)} ahead)`,
      );
}

/** Over all sessions: edits and costs pooled, the other shares as means, and medians. */
function printAll(tables) {
  const long = tables.filter(({ conversations }) => conversations < MANY_CONVERSATIONS);
  const median = (all) => [...all].sort((a, b) => a - b)[all.length >> 1] ?? null;
  const mean = (all) => (all.length === 0 ? null : all.reduce((a, b) => a + b, 0) / all.length);
  console.log(`\n## ${long.length} sessions together\n`);
  console.log(
    '| strategy | edit | lines | grounded | +tax of raw | median edit | median lines | median grounded | median +tax |',
  );
  console.log('|---|---|---|---|---|---|---|---|---|');
  for (const { name } of long[0]?.rows ?? []) {
    const own = long.flatMap(({ rows }) => rows.filter((row) => row.name === name));
    const raws = long.map(({ rows }) => rows.find((row) => row.name === RAW));
    if (own.length < long.length) continue;
    const of = (key) => own.map((row) => row[key]).filter((share) => share !== null);
    const total = figuresOf(own.map(({ sum }) => sum).reduce(added));
    const raw = raws.reduce((sum, row) => sum + (row?.taxed ?? Number.NaN), 0);
    const taxes = own.map((row, at) => row.taxed / (raws[at]?.taxed ?? Number.NaN));
    console.log(
      `| ${name} | ${percent(total.edit)} | ${percent(mean(of('lines')))} | ${percent(mean(of('grounded')))} | ` +
        `${(total.taxed / raw).toFixed(2)} | ${percent(median(of('edit')))} | ${percent(median(of('lines')))} | ` +
        `${percent(median(of('grounded')))} | ${median(taxes)?.toFixed(2)} |`,
    );
  }
}

/** The table of the documents, of the presets that were measured beside everything sent. */
function printStrategies(tables) {
  const long = tables.filter(({ conversations }) => conversations < MANY_CONVERSATIONS);
  const totalOf = (name) => {
    const sums = long.flatMap(({ rows }) => rows.filter((row) => row.name === name).map(({ sum }) => sum));
    return sums.length > 0 && sums.length === long.length ? figuresOf(sums.reduce(added)) : null;
  };
  const raw = totalOf(RAW);
  if (raw === null || history === null) return;
  const mean = (all) => all.reduce((a, b) => a + b, 0) / all.length;
  const of = (name, key) =>
    mean(
      long
        .flatMap(({ rows }) => rows.filter((row) => row.name === name && row[key] !== null))
        .map((row) => row[key]),
    );
  const short = (share, digits) => share.toFixed(digits).replace(/^0\./, '.');
  const figures = (preset) => {
    const name = `lectern, ${preset}`;
    const total = totalOf(name);
    if (total === null) return Array.from({ length: 6 }, () => '-');
    return [
      ...[total.edit ?? 1, of(name, 'lines'), of(name, 'grounded')].map((share) => short(share, 3)),
      short(total.taxed / raw.taxed, 2),
      short(total.cost / raw.cost, 2),
      thousands(total.mean),
    ];
  };
  console.log(`\n## As in docs/history.md\n\n${strategyTable(history, Number(values.window), figures)}`);
}

const tables = [];
for (const { file, conversations: lists } of transcripts(join(corpus, 'transcripts'), values.only)) {
  if (!lists.every(countsAlike)) throw new Error(`LangChain counts ${file} in another way.`);
  const rows = [];
  for (const [name, make] of strategies) {
    const started = process.hrtime.bigint();
    try {
      rows.push({ name, ...(await recall(lists, make)), ...(await lived(lists, make)) });
    } catch (error) {
      // LangChain's own trimming makes holes in some conversations, on which its summaries throw.
      if (!(name in RIVALS)) throw error;
      console.error(`${name}: left out, it failed: ${error.message}`);
      continue;
    }
    console.error(`${name}: ${Number((process.hrtime.bigint() - started) / 1_000_000n)} ms`);
  }
  const table = { file, conversations: lists.length, rows, against: verdicts(rows) };
  tables.push(table);
  if (!values.json) print(table);
}
if (values.json) console.log(JSON.stringify(tables));
else {
  printAll(tables);
  printStrategies(tables);
}
