#!/usr/bin/env node
// Outlines of code beside universal-ctags: of the symbols of each language that one or the other tells, how many both tell.
// A symbol is a name and the line it is declared on. Files: those below the folders given, up to so many of each language,
// and none that was built: it stands in a folder for that, or its lines are long.
//   node test/bench/symbols.mjs FOLDER... [--limit 40] [--only LANGUAGE] [--details]
//
// Compared is what a reader looks for in an outline:
//   - Imports, packages and labels are none of it (NO_SYMBOLS), nor is what lies in a function with a name.
//   - Prototypes and external variables of C and C++ are asked for: headers consist of them.
//   - JavaScript: ctags tells every key of every object as a property, and every object as a class. Only methods and what
//     has some are compared. Functions and fields that ctags has no notion of (several assignments in one) count neither
//     way where the outline of the TypeScript compiler tells them. A value such as `n11` in `te[ 0 ] = n11;` is a field to
//     ctags: only lines that declare one are compared.
//   - TypeScript is compared with the outline of its compiler. ctags 5.9 leaves a class at its first decorator, arrow
//     function or private name.
//   - C#: lines of methods with `=>` are left out. They are fields named as the last parameter to ctags.
//   - What lies in a function without a name, called where it stands or handed on, counts neither way.

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { parseArgs } from 'node:util';
import ts from 'typescript';
import { symbolsOf } from '../../dist/modules/processors/text/symbols/symbols.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    limit: { type: 'string', default: '40' },
    only: { type: 'string' },
    details: { type: 'boolean' },
  },
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
  ['.hh', 'C++'],
  ['.hpp', 'C++'],
  ['.cs', 'C#'],
  ['.rb', 'Ruby'],
  ['.php', 'PHP'],
  ['.sh', 'Sh'],
]);
/** What ctags calls names that are imported, or local, or made up. */
const NO_SYMBOLS = new Set([
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
  'library',
]);
/** The same in one language, with what readers of it do not look for. */
const NO_SYMBOLS_OF = {
  JavaScript: ['property'],
  PHP: ['alias'],
  Python: ['module', 'namespace'],
};
/** Kinds that ctags leaves out unless it is asked: what a header is made of. */
const MORE_KINDS = { C: ['--kinds-C=+px'], 'C++': ['--kinds-C++=+px'] };
const INSIDE = new Set([
  'function',
  'method',
  'func',
  'getter',
  'setter',
  'generator',
  'constructor',
  'member',
  'singletonMethod',
  'subroutine',
]);
const MEMBER = /^(?:property|method|getter|setter)$/;
const MADE_UP = /^(?:__anon|anonymous|Anonymous)/;
const BUILT = new Set(['dist', 'bundles', 'build']);
const MAX_BYTES = 400_000;
/** Lines of what was written have fewer characters than those of what was built. */
const MAX_MEAN_LINE = 120;

const files = new Map();
function find(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) =>
    a.name < b.name ? -1 : 1,
  )) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !BUILT.has(entry.name)) find(path);
    else if (entry.isFile()) {
      const language =
        path.endsWith('.d.ts') || path.includes('.min.') ? undefined : LANGUAGES.get(extname(path));
      if (language && (values.only ?? language) === language && statSync(path).size <= MAX_BYTES)
        files.set(language, [...(files.get(language) ?? []), path]);
    }
  }
}
for (const folder of positionals) find(folder);

/** A name may hold `$`. */
const escaped = (name) => name.replace(/[$]/g, '\\$&');

/** Whether a tag of ctags is an import, mere data, or no declaration at all. */
function misread(language, { name, kind, pattern, scope }, tags) {
  switch (language) {
    case 'JavaScript': {
      const inside = scope === '' ? name : `${scope}.${name}`;
      return (
        /\brequire\(/.test(pattern) ||
        (kind === 'field' &&
          !new RegExp(`^/\\^\\s*(?:static\\s+)?#?${escaped(name)}\\s*(?:[=;]|\\$/)`).test(pattern)) ||
        // An object is a class to ctags, with methods or without.
        (kind === 'class' &&
          !/\bclass\b/.test(pattern) &&
          !tags.some((tag) => tag.scope === inside && tag.kind !== 'property'))
      );
    }
    case 'TypeScript':
      // An import of a type is an alias to ctags.
      return kind === 'alias' && !/\btype\s+[\w$]+\s*(?:[<=]|\$\/)/.test(pattern);
    case 'PHP':
      return kind === 'variable' && /\b(?:self|static)::/.test(pattern);
    case 'C#':
      // `Read(Reader reader) => …` is a field `reader` to ctags.
      return kind === 'field' && new RegExp(`\\b${escaped(name)}\\)`).test(pattern);
    default:
      return false;
  }
}

function byCtags(path, language) {
  const out = execFileSync(
    'ctags',
    [
      '--options=NONE',
      '--output-format=json',
      '--fields=+nKsZ',
      '--extras=-q',
      '--sort=no',
      ...(MORE_KINDS[language] ?? []),
      `--language-force=${language}`,
      '-f',
      '-',
      path,
    ],
    { maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'ignore'] },
  ).toString();
  const tags = out
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
    .filter(({ _type }) => _type === 'tag');
  const functions = new Set(
    tags.filter(({ kind }) => INSIDE.has(kind)).map(({ name, scope }) => (scope ? `${scope}.${name}` : name)),
  );
  const unwanted = new Set([...NO_SYMBOLS, ...(NO_SYMBOLS_OF[language] ?? [])]);
  const told = [];
  const inMadeUp = [];
  const misreadLines = new Set();
  for (const { name, line, kind, scope = '', scopeKind, pattern = '' } of tags) {
    if (unwanted.has(kind) || MADE_UP.test(name)) continue;
    if (misread(language, { name, kind, pattern, scope }, tags)) {
      misreadLines.add(line);
      continue;
    }
    const parts = scope.split(/::|[.\\/#]/);
    const around = parts.map((_, at) => parts.slice(0, at + 1).join('.'));
    const plainest = kind === 'accessor' ? name.replace(/=$/, '') : name;
    const tag = { symbol: `${plainName(plainest)} ${line}`, kind };
    const inNamed = around.some((outer) => functions.has(outer) && !MADE_UP.test(outer.split('.').at(-1)));
    // What ctags takes for global on a line that is further in has lost the function around it.
    const lost = /^(?:Java|Type)Script$/.test(language) && scope === '' && /^\/\^\s/.test(pattern);
    if (inNamed || (INSIDE.has(scopeKind) && !MADE_UP.test(parts.at(-1)))) continue;
    const madeUp = parts.some((part) => MADE_UP.test(part)) && language !== 'C' && language !== 'C++';
    (madeUp || lost ? inMadeUp : told).push(tag);
  }
  return { told, inMadeUp, misreadLines };
}

/** What the compiler's own outline tells of a TypeScript file: ctags loses its way at decorators, arrow fields and private names. */
function byCompiler(path, text) {
  const host = {
    getCompilationSettings: () => ({ allowJs: true }),
    getScriptFileNames: () => [path],
    getScriptVersion: () => '1',
    getScriptSnapshot: () => ts.ScriptSnapshot.fromString(text),
    getCurrentDirectory: () => '/',
    getDefaultLibFileName: () => '',
    fileExists: () => false,
    readFile: () => undefined,
  };
  const service = ts.createLanguageService(host);
  let tree;
  let file;
  try {
    tree = service.getNavigationTree(path);
    file = service.getProgram().getSourceFile(path);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
  const told = [];
  const inMadeUp = [];
  const isCall = (span) =>
    /^[^=(]*=\s*(?:\/\*.*?\*\/\s*)?[\w$.]+\s*[(<]/.test(text.slice(span.start, span.start + 400));
  const visit = ({ text: name, kind, nameSpan, spans, childItems = [] }, within) => {
    if (kind === 'alias') return;
    const isVariable = /^(?:const|let|var)$/.test(kind);
    const span = nameSpan ?? (kind === 'constructor' ? spans[0] : undefined);
    if (span) {
      const line = file.getLineAndCharacterOfPosition(span.start).line + 1;
      const after = text.slice(span.start + span.length, span.start + span.length + 40);
      if (!isVariable || !/^\s*=\s*(?:await\s+)?(?:require|import)\(/.test(after))
        // A member outside a declaration is one of an object that is handed on.
        (within === 'script' && MEMBER.test(kind) ? inMadeUp : told).push({
          symbol: `${plainName(name)} ${line}`,
          kind,
        });
    }
    if (/^(?:class|interface|enum|module|script|type)$/.test(kind) || isVariable)
      // Methods of a value that a call gives are assigned in a function that is handed on.
      for (const child of childItems)
        if (!isVariable || (child.kind === 'method' && !(span && isCall(span)))) visit(child, kind);
  };
  visit({ ...tree, kind: 'script', nameSpan: undefined }, '');
  return { told, inMadeUp, misreadLines: new Set() };
}

const plainName = (name) => name.replace(/^[$#]|^(['"])(?=.*\1$)|['"]$|(?<=operator)\s+/g, '');
const plain = ({ name, from }) => `${plainName(name)} ${from}`;
const written = (text) => text.length <= MAX_MEAN_LINE * text.split('\n').length;
const spread = (all, count) =>
  all.length <= count
    ? all
    : Array.from({ length: count }, (_, at) => all[Math.floor((at * all.length) / count)]);
/** A namespace of several names is several to ctags. */
const partsOf = (symbol, language) =>
  language === 'C++' && symbol.kind === 'namespace'
    ? symbol.name.split('::').map((name) => ({ ...symbol, name }))
    : [symbol];

const rows = [];
for (const [language, all] of [...files].sort()) {
  const limit = Number(values.limit);
  const some = spread(all, limit * 2)
    .filter((path) => written(readFileSync(path, 'utf8')))
    .slice(0, limit);
  let both = 0;
  let ours = 0;
  let listed = 0;
  /** The symbols that one side alone tells, by side and kind. */
  const misses = new Map();
  const begin = performance.now();
  let spent = 0;
  for (const path of some) {
    const text = readFileSync(path, 'utf8');
    const start = performance.now();
    const symbols = await symbolsOf(text, extname(path), new AbortController().signal);
    spent += performance.now() - start;
    const byThem = language === 'TypeScript' ? byCompiler(path, text) : byCtags(path, language);
    // Nesting without end is too much for the compiler.
    if (!byThem) continue;
    const ignored = new Set(
      [...byThem.inMadeUp, ...(language === 'JavaScript' ? (byCompiler(path, text)?.told ?? []) : [])].map(
        ({ symbol }) => symbol,
      ),
    );
    const expected = new Map(byThem.told.map(({ symbol, kind }) => [symbol, kind]));
    const told = new Map(
      (symbols ?? [])
        .flatMap((symbol) => partsOf(symbol, language))
        .filter(({ from }) => language !== 'C#' || !byThem.misreadLines.has(from))
        .map((symbol) => [plain(symbol), symbol.kind])
        .filter(([symbol]) => expected.has(symbol) || !ignored.has(symbol)),
    );
    const agreed = [...told.keys()].filter((symbol) => expected.has(symbol));
    both += agreed.length;
    ours += told.size;
    listed += expected.size;
    for (const [here, there, where] of [
      [told, expected, 'only here '],
      [expected, told, 'only ctags'],
    ])
      for (const [symbol, kind] of here)
        if (!there.has(symbol)) {
          const key = `${where}  ${kind}`;
          misses.set(key, [...(misses.get(key) ?? []), `${symbol}  ${path}`]);
        }
  }
  rows.push({
    language,
    files: some.length,
    symbols: listed,
    precision: both / Math.max(1, ours),
    recall: both / Math.max(1, listed),
    seconds: spent / 1000,
    ctags: (performance.now() - begin - spent) / 1000,
    misses,
  });
}
console.log(
  '| language | files | symbols of ctags | precision | recall | s | ctags s |\n|---|---|---|---|---|---|---|',
);
for (const { language, files: count, symbols, precision, recall, seconds, ctags, misses } of rows) {
  console.log(
    `| ${language} | ${count} | ${symbols} | ${precision.toFixed(3)} | ${recall.toFixed(3)} | ${seconds.toFixed(1)} | ${ctags.toFixed(1)} |`,
  );
  if (values.details)
    for (const [kind, all] of [...misses].sort((a, b) => b[1].length - a[1].length)) {
      console.log(`  ${kind}  ${all.length}`);
      for (const symbol of all.filter((_, at) => at % Math.ceil(all.length / 3) === 0))
        console.log(`      ${symbol}`);
    }
}
