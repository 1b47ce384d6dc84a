// What an archive finds of what an agent needs next, beside substring search and the newest entries, and what it costs:
// `LECTERN_CORPUS=DIR node test/bench/recall.mjs`, `node test/bench/recall.mjs --entries 100000`.

import { fork } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { passagesOf } from '../../dist/modules/src/recall/passages.js';
import { openRecall } from '../../dist/src/recall/index.js';
import { transcripts } from './transcripts.mjs';
import { random, WORDS } from './words.mjs';

const HELP = `Usage: [LECTERN_CORPUS=DIR] node test/bench/recall.mjs [options]

  --entries N   index N made entries and time it
  --only TEXT   recorded conversations of files whose name contains TEXT
  --json        print the figures as JSON

For each call in the conversations of DIR/transcripts: the line an edit replaces, the path it opens, the identifiers it uses, where
an earlier message or result holds them and what the agent said before the call does not. The question is what it said, and the
path where that is not what is needed. Found: one of the 5 passages holds it. "far": none of the newest 20 passages does.
`;

const { values } = parseArgs({
  options: {
    entries: { type: 'string' },
    only: { type: 'string', default: '' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
    child: { type: 'string' },
  },
});
const TOP = 5;
const FAR = 20;
const SHORTEST_LINE = 20;
const MAX_NEEDS_A_CALL = 3;

// ---- Needs ----

function argumentsOf({ function: { arguments: text } }) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

const strings = (value) =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(strings)
      : [];

/** All values of fields whose name matches, at any depth. */
const fields = (value, name) =>
  typeof value !== 'object' || value === null
    ? []
    : Object.entries(value).flatMap(([key, one]) =>
        name.test(key) && typeof one === 'string' ? [one] : fields(one, name),
      );

const identifiers = (text) =>
  [...new Set(text.match(/[A-Za-z_$][\w$]{5,}/g) ?? [])].filter((one) => /_|[a-z][A-Z]|\d/.test(one));

function needsOf(call, said) {
  const args = argumentsOf(call);
  const paths = fields(args, /^(file_?path|path|filename)$/i);
  const needs = [];
  for (const old of fields(args, /^old/i)) {
    const [line] = old
      .split('\n')
      .map((one) => one.trim())
      .filter(({ length }) => length >= SHORTEST_LINE)
      .sort((a, b) => b.length - a.length);
    if (line) needs.push({ kind: 'line', text: line, query: `${said} ${paths.join(' ')}` });
  }
  if (needs.length === 0) for (const path of paths) needs.push({ kind: 'path', text: path, query: said });
  for (const text of identifiers(strings(args).join('\n')).slice(0, MAX_NEEDS_A_CALL))
    needs.push({
      kind: 'identifier',
      text,
      query: `${said} ${paths.filter((path) => !path.includes(text)).join(' ')}`,
    });
  return needs.filter(({ text, query }) => query.trim() !== '' && !query.includes(text));
}

// ---- Rivals ----

const newest = (passages) => passages.slice(-TOP).map(({ text }) => text);

/** Passages that contain most of the words of the query, newest first among equals. */
function substring(passages, query) {
  const words = [...new Set(query.toLowerCase().split(/\s+/))].filter(({ length }) => length > 2);
  return passages
    .map(({ text, lower }, at) => ({ text, at, hits: words.filter((word) => lower.includes(word)).length }))
    .filter(({ hits }) => hits > 0)
    .sort((a, b) => b.hits - a.hits || b.at - a.at)
    .slice(0, TOP)
    .map(({ text }) => text);
}

// ---- Quality ----

async function quality(folder) {
  const tally = {};
  let asked = 0;
  const count = (kind, far, name, found) => {
    for (const row of [kind, 'all', ...(far ? [`${kind}, far`, 'all, far'] : [])]) {
      tally[row] ??= {};
      tally[row][name] ??= { found: 0, of: 0 };
      tally[row][name].of += 1;
      if (found) tally[row][name].found += 1;
    }
  };
  let times = [];
  for (const { conversations } of transcripts(join(folder, 'transcripts'), values.only))
    for (const messages of conversations) {
      const place = mkdtempSync(join(tmpdir(), 'lectern-recall-bench-'));
      const recall = await openRecall({ storage: place });
      const passages = [];
      const sources = new Map();
      let pending = [];
      for (const message of messages) {
        const said = message.role === 'assistant' ? message.content : '';
        for (const call of message.tool_calls ?? []) {
          sources.set(call.id, [call.function.name, ...strings(argumentsOf(call))].join(' ').slice(0, 200));
          for (const { kind, text, query } of needsOf(call, said)) {
            const holders = passages.flatMap((one, at) => (one.text.includes(text) ? [at] : []));
            if (holders.length === 0) continue;
            if (pending.length > 0) await recall.add(pending);
            pending = [];
            asked += 1;
            const far = holders.at(-1) < passages.length - FAR;
            const start = performance.now();
            const hits = await recall.search(query, { limit: TOP });
            times.push(performance.now() - start);
            const holds = (texts) => texts.some((one) => one.includes(text));
            count(kind, far, 'BM25', holds(hits.map((hit) => hit.text)));
            count(kind, far, 'substring', holds(substring(passages, query)));
            count(kind, far, 'newest 5', holds(newest(passages)));
          }
        }
        const calls = (message.tool_calls ?? []).map(
          (one) => `${one.function.name} ${one.function.arguments}`,
        );
        const text = [message.content, ...calls].filter((one) => one !== '').join('\n');
        if (text === '' || message.role === 'system') continue;
        const kind = message.role === 'tool' ? 'result' : 'message';
        const source = message.role === 'tool' ? (sources.get(message.tool_call_id) ?? 'tool') : message.role;
        pending.push({ text, kind, source, id: String(passages.length) });
        for (const one of passagesOf(text)) passages.push({ text: one.text, lower: one.text.toLowerCase() });
      }
      await recall.close();
      rmSync(place, { recursive: true, force: true });
    }
  times = times.sort((a, b) => a - b);
  return {
    asked,
    p50: times[Math.floor(times.length / 2)],
    p95: times[Math.floor(times.length * 0.95)],
    tally,
  };
}

// ---- Cost ----

/** As an agent's archive looks: code-like lines with names of their own among common words. */
function entry(next, at) {
  const pick = (list) => list[Math.floor(next() * list.length)];
  const lines = Array.from({ length: 3 }, () => {
    const words = Array.from({ length: 8 }, () => pick(WORDS));
    const [a, b] = [pick(WORDS), pick(WORDS)];
    return `${words.join(' ')} ${a}_${b} ${a}${b[0].toUpperCase()}${b.slice(1)}${Math.floor(next() * 5000)}`;
  });
  return `file src/${pick(WORDS)}/${pick(WORDS)}-${at % 977}.ts id ${at}\n${lines.join('\n')}`;
}

async function cost(entries, folder) {
  const next = random(11);
  const recall = await openRecall({ storage: folder });
  const before = process.memoryUsage().rss;
  let [start, peak] = [performance.now(), before];
  for (let at = 0; at < entries; at += 500) {
    const batch = Array.from({ length: Math.min(500, entries - at) }, (_, offset) => ({
      text: entry(next, at + offset),
      kind: 'result',
      source: 'read_file',
      id: String(at + offset),
    }));
    await recall.add(batch);
    peak = Math.max(peak, process.memoryUsage().rss);
  }
  const indexed = performance.now() - start;
  const timesOf = async (make) => {
    const times = [];
    for (let at = 0; at < 200; at++) {
      const query = make();
      start = performance.now();
      await recall.search(query);
      times.push(performance.now() - start);
      peak = Math.max(peak, process.memoryUsage().rss);
    }
    times.sort((a, b) => a - b);
    return { p50: times[100], p95: times[190] };
  };
  const pick = (list) => list[Math.floor(next() * list.length)];
  const queries = {
    'a path and a name': await timesOf(
      () => `src/${pick(WORDS)}/${pick(WORDS)}-${Math.floor(next() * 977)}.ts ${pick(WORDS)}_${pick(WORDS)}`,
    ),
    'a sentence of common words': await timesOf(() =>
      Array.from({ length: 10 }, () => pick(WORDS)).join(' '),
    ),
    'a misspelt name': await timesOf(() => `${pick(WORDS)}x${pick(WORDS)}q`),
  };
  await recall.close();
  const disk = statSync(join(folder, 'recall.db')).size;
  return { entries, indexed, growth: peak - before, disk, queries };
}

/** In a process of its own, for its memory. */
function costApart(entries) {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-recall-bench-'));
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(import.meta.url), ['--entries', String(entries), '--child', folder]);
    child.once('message', resolve);
    child.once('exit', (code) => {
      rmSync(folder, { recursive: true, force: true });
      if (code !== 0) reject(new Error(`ended with ${code}`));
    });
  });
}

if (values.child !== undefined) process.send(await cost(Number(values.entries), values.child));
else {
  const corpus = process.env.LECTERN_CORPUS;
  if (values.help || (corpus === undefined && values.entries === undefined)) {
    (values.help ? console.log : console.error)(HELP);
    process.exit(values.help ? 0 : 2);
  }
  const figures = {
    ...(corpus !== undefined && { quality: await quality(corpus) }),
    ...(values.entries !== undefined && { cost: await costApart(Number(values.entries)) }),
  };
  if (values.json) console.log(JSON.stringify(figures));
  else print(figures);
}

function print({ quality: found, cost: spent }) {
  if (found) {
    const { asked, p50, p95, tally } = found;
    console.log(`${asked} needs; a query takes ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms\n`);
    for (const [row, by] of Object.entries(tally).sort()) {
      const rates = Object.entries(by).map(
        ([name, { found: hits, of }]) => `${name} ${(hits / of).toFixed(3)}`,
      );
      console.log(`${row.padEnd(18)} ${String(by.BM25.of).padStart(5)}  ${rates.join('   ')}`);
    }
  }
  if (spent) {
    const { entries, indexed, growth, disk, queries } = spent;
    console.log(
      `${entries} entries: indexed in ${(indexed / 1000).toFixed(1)} s, memory +${(growth / 1e6).toFixed(0)} MB, on disk ${(disk / 1e6).toFixed(0)} MB`,
    );
    for (const [name, { p50, p95 }] of Object.entries(queries))
      console.log(`  ${name}: ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms`);
  }
}
