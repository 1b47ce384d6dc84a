// Every regular expression of the product takes linear time on text of any length: one that backtracks over a run for
// each of its characters blocks the process on a line of a few megabytes. Dynamically built ones are not checked.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { analyse } from 'scslre';
import ts from 'typescript';
import { expect, it } from 'vitest';

/** Applied only to text cut to a few hundred or thousand characters in the same function. */
const BOUNDED: Readonly<Record<string, string>> = {
  'src/history/policy/file-uses.ts FILE_WORD': 'the first `MAX_COMMAND` characters of a command line',
  'processors/documents/pdf/tables/values.ts AROUND': 'cells of at most 40 characters',
};

interface Literal {
  /** The file, and the name of the constant if the expression is one. */
  readonly place: string;
  readonly line: number;
  readonly pattern: string;
}

function* literalsIn(file: string): Generator<Literal> {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const waiting: ts.Node[] = [source];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    ts.forEachChild(node, (child) => void waiting.push(child));
    if (!ts.isRegularExpressionLiteral(node)) continue;
    const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
    const name = ts.isVariableDeclaration(node.parent) ? ` ${node.parent.name.getText()}` : '';
    yield { place: `${file}${name}`, line, pattern: node.text };
  }
}

function isSuperLinear(pattern: string): boolean {
  const end = pattern.lastIndexOf('/');
  return analyse({ source: pattern.slice(1, end), flags: pattern.slice(end + 1) }).reports.length > 0;
}

it('recognises expressions that take more than linear time', () => {
  const patterns = ['/-+$/', '/a*a*$/', '/(?:a|a)*$/', '/^a+$/', '/(?<!-)-+$/'];
  expect(patterns.filter(isSuperLinear)).toEqual(['/-+$/', '/a*a*$/', '/(?:a|a)*$/']);
});

it('uses only regular expressions that take linear time', { timeout: 120_000 }, () => {
  const files = ['src', 'processors'].flatMap((root) =>
    readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.generated.ts'))
      .map((name) => join(root, name)),
  );
  const slow = files.flatMap((file) => [...literalsIn(file)]).filter(({ pattern }) => isSuperLinear(pattern));
  const unbounded = slow.filter(({ place }) => !(place in BOUNDED));
  expect(
    unbounded.map(({ place, line, pattern }) => `${place.replace(/ .*/, '')}:${line} ${pattern}`),
  ).toEqual([]);
  expect(Object.keys(BOUNDED).filter((place) => slow.every((one) => one.place !== place))).toEqual([]);
});
