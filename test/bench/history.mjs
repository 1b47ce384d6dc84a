// Histories kept by lectern beside its rivals, without a model: how much of what an agent needs later is still in its
// prompt, and what the prompts of a recorded session cost with a prompt cache. `node test/bench/history.mjs --help`.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { countsAlike, RIVALS } from './history-rivals.mjs';

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

kept    characters after and before, at the cuts
recall  names in calls after a cut which a result before it introduced: the share of them still in the prompt
lines   the same of lines of 20 characters and more, without the space around them: text that is still there word for word
cost    tokens in thousands, 0.1 for a token read from the cache and 1.25 for another
breaks  calls whose prompt does not begin with the whole prompt before
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
    help: { type: 'boolean', default: false },
  },
});
const corpus = process.env.LECTERN_CORPUS;
if (values.help || corpus === undefined) {
  (values.help ? console.log : console.error)(HELP);
  process.exit(values.help ? 0 : 2);
}
const PRESETS = ['lectern', 'valis', 'duragent', 'aixtools'];
const CUTS = values.cuts.split(',').map(Number);
const HORIZON = Number(values.horizon);
/** A cut with fewer messages before it, or fewer names needed after it, tells nothing. */
const [FEWEST_MESSAGES, FEWEST_NAMES] = [20, 3];
/** Tokens per character and per message of recorded sessions with Claude, and what tokens cost by the cache. */
const [PER_CHARACTER, PER_MESSAGE, CACHED, WRITTEN] = [0.2977, 10, 0.1, 1.25];

// ---- Conversations ----

function textOf(content) {
  if (typeof content === 'string') return content;
  if (Array.isArray(content))
    return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  return content == null ? '' : JSON.stringify(content);
}

function call(id, name, value) {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return { id, type: 'function', function: { name, arguments: text } };
}

function assistant(text, calls) {
  return { role: 'assistant', content: text, ...(calls.length > 0 ? { tool_calls: calls } : {}) };
}

/** Entries of a session, one a line. */
function fromSession(text) {
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ type }) => type === 'message')
    .flatMap(({ message }) => {
      if (message.role === 'user') return [{ role: 'user', content: textOf(message.content) }];
      if (message.role === 'toolResult') {
        const content = message.content.map((part) => part.text ?? '').join('\n');
        return [{ role: 'tool', tool_call_id: message.toolCallId, content }];
      }
      if (message.role !== 'assistant') return [];
      const calls = message.content.filter(({ type }) => type === 'toolCall');
      return [
        assistant(
          textOf(message.content),
          calls.map((part) => call(part.id, part.name, part.arguments)),
        ),
      ];
    });
}

/** A list of conversations of chat messages. */
function fromConversations(text) {
  return JSON.parse(text).map((conversation) =>
    (conversation.traj ?? conversation.messages).map((message) => {
      const content = textOf(message.content);
      if (message.role === 'tool') return { role: 'tool', tool_call_id: message.tool_call_id, content };
      if (message.role !== 'assistant') return { role: message.role, content };
      const calls = message.tool_calls ?? [];
      return assistant(
        content,
        calls.map((one) => call(one.id, one.function.name, one.function.arguments)),
      );
    }),
  );
}

function conversations(folder) {
  return readdirSync(folder)
    .filter((name) => /\.jsonl?$/.test(name) && name.includes(values.only))
    .sort()
    .map((name) => {
      const text = readFileSync(join(folder, name), 'utf8');
      const lists = name.endsWith('.jsonl') ? [fromSession(text)] : fromConversations(text);
      return { file: basename(name), conversations: lists };
    });
}

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

function names(text) {
  const found = new Set();
  for (const [match] of text.matchAll(/[A-Za-z0-9_/.\-:@#]{8,}/g)) {
    const name = match.replace(/^[.\-:/]+|[.\-:]+$/g, '');
    if (name.length >= 8 && name.length <= 120 && /[/._\-0-9:A-Z]/.test(name.slice(1))) found.add(name);
  }
  return found;
}

const SHORTEST_LINE = 20;

function strings(value) {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(strings) : [];
}

const linesOf = (text) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.length >= SHORTEST_LINE);

/** Lines in the arguments of a message's calls, as they were before they became JSON. */
function callLines(message) {
  return (message.tool_calls ?? []).flatMap(({ function: { arguments: text } }) => {
    try {
      return strings(JSON.parse(text)).flatMap(linesOf);
    } catch {
      return linesOf(text);
    }
  });
}

// ---- Measures ----

const isAssistant = ({ role }) => role === 'assistant';

/** Where a conversation is cut, with the names and lines needed after each cut. */
function cutsOf(messages) {
  const turns = messages.flatMap((message, index) => (isAssistant(message) ? [index] : []));
  return CUTS.flatMap((share) => {
    const at = turns[Math.floor(share * turns.length)];
    if (at === undefined || at <= FEWEST_MESSAGES) return [];
    const before = messages.slice(0, at);
    const results = before.filter(({ role }) => role === 'tool').map(({ content }) => content);
    const known = names(results.join('\n'));
    const next = messages.slice(at).filter(isAssistant).slice(0, HORIZON);
    const calls = next.flatMap((message) => message.tool_calls ?? []).map((one) => one.function.arguments);
    const needed = [...new Set(calls.flatMap((text) => [...names(text)]))].filter((name) => known.has(name));
    if (needed.length < FEWEST_NAMES) return [];
    const knownLines = new Set(results.flatMap(linesOf));
    const neededLines = [...new Set(next.flatMap(callLines))].filter((line) => knownLines.has(line));
    return [{ before, needed, neededLines }];
  });
}

async function atCut(make, before) {
  const compact = make();
  if (values.lived) {
    for (let index = 0; index < before.length; index++)
      if (isAssistant(before[index])) await compact(before.slice(0, index));
  }
  return compact(before);
}

async function recall(lists, make) {
  const sum = { cuts: 0, hits: 0, needed: 0, lineHits: 0, neededLines: 0, kept: 0, before: 0 };
  for (const messages of lists) {
    for (const { before, needed, neededLines } of cutsOf(messages)) {
      const kept = await atCut(make, before);
      const seen = names(kept.map(shown).join('\n'));
      sum.cuts++;
      sum.hits += needed.filter((name) => seen.has(name)).length;
      sum.needed += needed.length;
      const seenLines = new Set(
        kept.flatMap((message) => [...linesOf(textOf(message.content)), ...callLines(message)]),
      );
      sum.lineHits += neededLines.filter((line) => seenLines.has(line)).length;
      sum.neededLines += neededLines.length;
      sum.kept += characters(kept);
      sum.before += characters(before);
    }
  }
  return {
    cuts: sum.cuts,
    needed: sum.needed,
    kept: sum.kept / sum.before,
    recall: sum.hits / sum.needed,
    lines: sum.neededLines === 0 ? null : sum.lineHits / sum.neededLines,
  };
}

const tokens = (text) => Math.ceil(text.length * PER_CHARACTER) + PER_MESSAGE;

async function costs(lists, make) {
  const sum = { calls: 0, cost: 0, largest: 0, prompts: 0, breaks: 0 };
  for (const messages of lists) {
    const compact = make();
    let previous = [];
    for (let index = 0; index < messages.length; index++) {
      if (!isAssistant(messages[index])) continue;
      const kept = await compact(messages.slice(0, index));
      const prompt = kept.map((message) => `${message.role}\n${shown(message)}`);
      let same = 0;
      while (same < previous.length && previous[same] === prompt[same]) same++;
      let [cached, all] = [0, 0];
      for (const [place, text] of prompt.entries()) {
        all += tokens(text);
        if (place < same) cached += tokens(text);
      }
      sum.calls++;
      sum.cost += cached * CACHED + (all - cached) * WRITTEN;
      sum.largest = Math.max(sum.largest, all);
      sum.prompts += all;
      if (same < previous.length) sum.breaks++;
      previous = prompt;
    }
  }
  const { calls, cost, largest, prompts, breaks } = sum;
  return { calls, cost: cost / 1000, largest, mean: prompts / calls, breaks };
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
  for (const message of list) sum += Math.ceil(characters([message]) * PER_CHARACTER) + PER_MESSAGE;
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
/** The same where only the price counts. */
const OURS_SMALL = 'lectern, lectern over 24k';

/** Presets of the build, where it has them. */
async function presets() {
  const file = join(resolve(values.dist), 'src/history/index.js');
  if (!existsSync(file)) return {};
  const { createCompactor } = await import(pathToFileURL(file).href);
  if (createCompactor === undefined) return {};
  const make = (options) => () => {
    const compactor = createCompactor({ window: Number(values.window), ...options });
    return async (list) => (await compactor.compact(list)).messages;
  };
  return {
    ...Object.fromEntries(PRESETS.map((preset) => [`lectern, ${preset}`, make({ preset })])),
    [OURS_SMALL]: make({ preset: 'lectern', policy: { over: 24_000 } }),
  };
}

const strategies = Object.entries({ ...PLAIN, ...RIVALS, ...(await presets()) }).filter(([name]) =>
  values.strategy.some((part) => name.includes(part)),
);

/** Each rival beside the preset, which must be the cheaper one at equal or better recall; a rival that did the same is none. */
function verdicts(rows) {
  const ours = rows.find(({ name }) => name === OURS);
  const small = rows.find(({ name }) => name === OURS_SMALL);
  if (ours === undefined) return [];
  const beats = (row, { cost, recall }) => row !== undefined && row.cost < cost && row.recall >= recall;
  return rows
    .filter(({ name }) => name in RIVALS)
    .map((row) => ({
      rival: row.name,
      beaten: beats(ours, row),
      same: ours.cost === row.cost && ours.recall === row.recall,
      beatenWhenSmall: beats(small, row),
      cheaperBy: 1 - ours.cost / row.cost,
      recallAhead: ours.recall - row.recall,
    }));
}

const percent = (share) => (share === null ? '-' : `${(100 * share).toFixed(1)} %`);
const thousands = (count) => `${Math.round(count / 1000)}k`;

function print({ file, rows }) {
  const { calls, cuts, needed } = rows[0];
  console.log(`\n## ${file}: ${calls} calls, ${cuts} cuts, ${needed} names needed\n`);
  console.log('| strategy | kept | recall | lines | cost | largest prompt | mean prompt | breaks |');
  console.log('|---|---|---|---|---|---|---|---|');
  for (const row of rows)
    console.log(
      `| ${row.name} | ${percent(row.kept)} | ${percent(row.recall)} | ${percent(row.lines)} | ${Math.round(row.cost)} | ` +
        `${thousands(row.largest)} | ${thousands(row.mean)} | ${row.breaks} |`,
    );
  const against = verdicts(rows);
  if (against.length === 0) return;
  for (const { rival, beaten, same, beatenWhenSmall, cheaperBy, recallAhead } of against) {
    if (beaten || same) continue;
    console.log(
      `\nNot beaten: ${rival} (cheaper by ${percent(cheaperBy)}, recall ahead by ${percent(recallAhead)})`,
    );
    if (beatenWhenSmall) console.log(`Beaten by ${OURS_SMALL}.`);
  }
  const count = (key) => against.filter((row) => row[key]).length;
  const ties = count('same') === 0 ? '' : `, the same as ${count('same')}`;
  console.log(
    `\nCheaper than ${count('beaten')} of ${against.length} rivals at equal or better recall${ties}.`,
  );
}

const tables = [];
for (const { file, conversations: lists } of conversations(join(corpus, 'transcripts'))) {
  if (!lists.every(countsAlike)) throw new Error(`LangChain counts ${file} in another way.`);
  const rows = [];
  for (const [name, make] of strategies) {
    const started = process.hrtime.bigint();
    try {
      rows.push({ name, ...(await recall(lists, make)), ...(await costs(lists, make)) });
    } catch (error) {
      // LangChain's own trimming makes holes in some conversations, on which its summaries throw.
      if (!(name in RIVALS)) throw error;
      console.error(`${name}: left out, it failed: ${error.message}`);
      continue;
    }
    console.error(`${name}: ${Number((process.hrtime.bigint() - started) / 1_000_000n)} ms`);
  }
  const table = { file, rows, against: verdicts(rows) };
  tables.push(table);
  if (!values.json) print(table);
}
if (values.json) console.log(JSON.stringify(tables));
