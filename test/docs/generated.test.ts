// What documents quote is what the code has, the examples hold and the command line prints. `UPDATE_DOCS=1` writes all of
// it anew.

import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { EXAMPLES, PAGES, pageAt, README } from '../support/pages.ts';
import { figureOf, TABLES } from './tables.ts';

const ROOT: string = fileURLToPath(new URL('../..', import.meta.url));

const TABLE = /<!-- table: (\w+) -->[\s\S]*?<!-- \/table -->/g;
const FIGURE = /<!-- figure: (\w[\w -]*) -->[^\n]*?<!-- \/figure -->/g;
const EXAMPLE = /<!-- example: ([\w-]+) -->\n```ts\n[\s\S]*?```/g;
const CONSOLE = /```console\n\$ (npx --no-install lectern [^\n]*)\n[\s\S]*?```/g;

const namesIn = (pattern: RegExp): Set<string> =>
  new Set(PAGES.flatMap((path) => [...pageAt(path).matchAll(pattern)].map(([, name = '']) => name)));

/** `text` with its tables, figures and examples as they are now. */
function filled(text: string): string {
  return text
    .replace(TABLE, (_all, name: string) => {
      const rows = TABLES[name];
      if (rows === undefined)
        throw new Error(`A document names a table ${name} that the code does not have.`);
      return `<!-- table: ${name} -->\n${rows}\n<!-- /table -->`;
    })
    .replace(FIGURE, (_all, place: string) => `<!-- figure: ${place} -->${figureOf(place)}<!-- /figure -->`)
    .replace(EXAMPLE, (_all, name: string) => {
      const code = EXAMPLES.get(name);
      if (code === undefined)
        throw new Error(`A document names an example ${name} that examples/ does not have.`);
      return `<!-- example: ${name} -->\n\`\`\`ts\n${code}\`\`\``;
    });
}

/** What a command prints in a clone, on both outputs. */
async function printed(command: string, home: string): Promise<string> {
  const script = `lectern() { '${process.execPath}' dist/src/cli/main.js "$@"; }
{ ${command.replace('npx --no-install ', '')}; } 2>&1 || true`;
  const { stdout } = await promisify(execFile)('bash', ['-c', script], {
    cwd: ROOT,
    env: { PATH: process.env['PATH'], HOME: home, TZ: 'UTC' },
  });
  return stdout;
}

/** `text` with the outputs of its commands as they are now. */
async function withOutputs(text: string): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'lectern-docs-'));
  try {
    let result = text;
    for (const [block, command = ''] of text.matchAll(CONSOLE)) {
      const output = await printed(command, home);
      result = result.replace(block, () => `\`\`\`console\n$ ${command}\n${output}\`\`\``);
    }
    return result;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

it.each(PAGES)('%s quotes what is there', { timeout: 60_000 }, async (path) => {
  const text = pageAt(path);
  const current = await withOutputs(filled(text));
  if (process.env['UPDATE_DOCS']) writeFileSync(join(ROOT, path), current);
  else expect(text).toBe(current);
});

it('shows every table and every example', () => {
  const unshown = ['history-format', 'plan']; // in examples/ alone
  expect(Object.keys(TABLES).filter((name) => !namesIn(TABLE).has(name))).toEqual([]);
  expect([...EXAMPLES.keys()].filter((name) => !namesIn(EXAMPLE).has(name))).toEqual(unshown);
});

it('runs every command whose output it shows', () => {
  const blocks = PAGES.flatMap((path) => pageAt(path).match(/```console\n/g) ?? []);
  expect(blocks.length).toBeGreaterThan(3);
  expect(PAGES.flatMap((path) => pageAt(path).match(CONSOLE) ?? [])).toHaveLength(blocks.length);
});

it('documents every environment variable, and no other', () => {
  // The code of a warning, the key of a caller in copied code, and files for the tests.
  const notRead = ['LECTERN_MALFORMED', 'LECTERN_API_KEY', 'LECTERN_CORPUS'];
  const named = (text: string): string[] => text.match(/\bLECTERN_[A-Z_]*[A-Z]\b/g) ?? [];
  const sources = ['src', 'processors'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && !name.includes('.generated.'))
      .map((name) => readFileSync(join(ROOT, folder, name), 'utf8')),
  );
  const known = new Set(sources.flatMap(named).filter((name) => !notRead.includes(name)));
  const told = new Set(PAGES.flatMap((path) => named(pageAt(path))));
  expect([...known].filter((name) => !told.has(name))).toEqual([]);
  expect([...told].filter((name) => !known.has(name) && !notRead.includes(name))).toEqual([]);
});

it('keeps the README short, and its figures in generated tables', () => {
  expect(README.split('\n').length).toBeLessThan(200);
  const prose = README.replaceAll(TABLE, '')
    .replaceAll(FIGURE, '')
    .replaceAll(/```[\s\S]*?```/g, '');
  expect(
    prose.match(/[^\n]*\b\d[\d.,]*\s?(?:%|ms\b|s\b|seconds\b|[kMG]B\b|times\b|x\b)[^\n]*/g) ?? [],
  ).toEqual([]);
});
