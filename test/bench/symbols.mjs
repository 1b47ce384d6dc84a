#!/usr/bin/env node
// Outlines of code beside universal-ctags: of the symbols of each language that one or the other tells, how many both tell.
// A symbol is a name and the line it is declared on. Files: those below the folders given, up to so many of each language.
//   node test/bench/symbols.mjs FOLDER... [--limit 40] [--details]

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { symbolsOf } from '../../dist/processors/text/symbols/symbols.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { limit: { type: 'string', default: '40' }, details: { type: 'boolean' } },
});

/** The language of an ending, as ctags calls it. */
const LANGUAGES = new Map([
  ['.py', 'Python'],
  ['.ts', 'TypeScript'],
  ['.js', 'JavaScript'],
  ['.go', 'Go'],
  ['.java', 'Java'],
  ['.rs', 'Rust'],
  ['.c', 'C'],
  ['.cc', 'C++'],
  ['.cpp', 'C++'],
  ['.cs', 'C#'],
  ['.rb', 'Ruby'],
  ['.php', 'PHP'],
  ['.sh', 'Sh'],
]);
/** What ctags calls names that are imported, or local, or made up. */
const NO_SYMBOLS = new Set([
  'module',
  'namespace',
  'unknown',
  'package',
  'packageName',
  'local',
  'parameter',
  'label',
  'heredoc',
  'script',
  'include',
  'header',
]);
const INSIDE = new Set(['function', 'method', 'func', 'getter', 'setter', 'generator', 'constructor']);
const MAX_BYTES = 400_000;

const files = new Map();
function find(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) =>
    a.name < b.name ? -1 : 1,
  )) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) find(path);
    else if (entry.isFile()) {
      const language =
        path.endsWith('.d.ts') || path.includes('.min.') ? undefined : LANGUAGES.get(extname(path));
      if (language && statSync(path).size <= MAX_BYTES)
        files.set(language, [...(files.get(language) ?? []), path]);
    }
  }
}
for (const folder of positionals) find(folder);

function byCtags(path, language) {
  const out = execFileSync(
    'ctags',
    [
      '--options=NONE',
      '--output-format=json',
      '--fields=+nKS',
      '--extras=-q',
      '--sort=no',
      `--language-force=${language}`,
      '-f',
      '-',
      path,
    ],
    { maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'ignore'] },
  ).toString();
  return out
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
    .filter(
      ({ _type, name, kind, scopeKind }) =>
        _type === 'tag' &&
        !NO_SYMBOLS.has(kind) &&
        !INSIDE.has(scopeKind) &&
        !/^(?:__anon|anonymous|Anonymous)/.test(name),
    )
    .map(({ name, line }) => `${name.replace(/^\$/, '')} ${line}`);
}

const plain = ({ name, from }) => `${name.replace(/^\$/, '')} ${from}`;
const rows = [];
for (const [language, all] of [...files].sort()) {
  const limit = Number(values.limit);
  const some =
    all.length <= limit
      ? all
      : Array.from({ length: limit }, (_, at) => all[Math.floor((at * all.length) / limit)]);
  let both = 0;
  let ours = 0;
  let theirs = 0;
  const details = [];
  const begin = performance.now();
  let spent = 0;
  for (const path of some) {
    const text = readFileSync(path, 'utf8');
    const start = performance.now();
    const symbols = await symbolsOf(text, extname(path), new AbortController().signal);
    spent += performance.now() - start;
    const told = new Set((symbols ?? []).map(plain));
    const expected = new Set(byCtags(path, language));
    const agreed = [...told].filter((symbol) => expected.has(symbol));
    both += agreed.length;
    ours += told.size;
    theirs += expected.size;
    if (values.details)
      details.push(
        ...[...told]
          .filter((symbol) => !expected.has(symbol))
          .slice(0, 3)
          .map((symbol) => `  only here   ${symbol}  ${path}`),
        ...[...expected]
          .filter((symbol) => !told.has(symbol))
          .slice(0, 3)
          .map((symbol) => `  only ctags  ${symbol}  ${path}`),
      );
  }
  rows.push({
    language,
    files: some.length,
    symbols: theirs,
    precision: both / Math.max(1, ours),
    recall: both / Math.max(1, theirs),
    seconds: spent / 1000,
    ctags: (performance.now() - begin - spent) / 1000,
    details,
  });
}
console.log(
  '| language | files | symbols of ctags | precision | recall | s | ctags s |\n|---|---|---|---|---|---|---|',
);
for (const { language, files: count, symbols, precision, recall, seconds, ctags, details } of rows) {
  console.log(
    `| ${language} | ${count} | ${symbols} | ${precision.toFixed(3)} | ${recall.toFixed(3)} | ${seconds.toFixed(1)} | ${ctags.toFixed(1)} |`,
  );
  for (const line of details.slice(0, 40)) console.log(line);
}
