// Views that show fewer members at each further level: they go on with what they left out, each value once.

import { describe, expect, test } from 'vitest';
import { json } from '../../../processors/structured/json.ts';
import { toml } from '../../../processors/structured/toml.ts';
import { membersAt } from '../../../processors/structured/tree/shape.ts';
import { xml } from '../../../processors/structured/xml.ts';
import { yaml } from '../../../processors/structured/yaml.ts';
import type { Position, Processor } from '../../../src/contract/index.ts';
import { memorySource, run } from '../../support/context.ts';

test('each level has half the members of the one above, at least one', () => {
  const limits = { depth: 9, items: 10, keys: 20, string: 500, tapers: true };
  expect([1, 2, 3, 4, 5, 9].map((level) => membersAt(limits, 'object', level))).toEqual([20, 10, 5, 2, 1, 1]);
  expect(membersAt(limits, 'array', 2)).toBe(5);
  expect(membersAt({ ...limits, items: 0 }, 'array', 2)).toBe(0);
  expect(membersAt({ ...limits, tapers: false }, 'object', 4)).toBe(20);
});

const GROUPS = 8;
const PARTS = 12;
const VALUES = 5;
const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const nameOf = (group: number, part: number, value: number): string => `v${group}x${part}y${value}z`;
const ALL = numbers(GROUPS).flatMap((g) =>
  numbers(PARTS).flatMap((p) => numbers(VALUES).map((v) => nameOf(g, p, v))),
);

interface Tree {
  readonly [key: string]: string | Tree;
}

const document: Tree = Object.fromEntries(
  numbers(GROUPS).map((g) => [
    `group${g}`,
    Object.fromEntries(
      numbers(PARTS).map((p) => [
        `part${p}`,
        Object.fromEntries(numbers(VALUES).map((v) => [`k${v}`, nameOf(g, p, v)])),
      ]),
    ),
  ]),
);

/** The document with `open` before the members of a container, and `close` behind them. */
function written(
  open: (path: readonly string[]) => string,
  member: (path: readonly string[], value: string) => string,
  close: (path: readonly string[]) => string,
): string {
  const from = (node: Tree, path: readonly string[]): string =>
    open(path) +
    Object.entries(node)
      .map(([key, value]) =>
        typeof value === 'string' ? member([...path, key], value) : from(value, [...path, key]),
      )
      .join('') +
    close(path);
  return from(document, []);
}

const indent = (path: readonly string[]): string => '  '.repeat(path.length - 1);
/** The form of a position, then the limits of the view: depth, items, keys, string, tapers. */
const isTapered = (position: Position): boolean => position[5] === 1;
const LANGUAGES: readonly (readonly [Processor, string])[] = [
  [json, JSON.stringify(document, null, 2)],
  [
    yaml,
    written(
      (path) => (path.length === 0 ? '' : `${indent(path)}${path.at(-1)}:\n`),
      (path, value) => `${indent(path)}${path.at(-1)}: ${value}\n`,
      () => '',
    ),
  ],
  [
    toml,
    written(
      (path) => (path.length === 0 ? '' : `[${path.join('.')}]\n`),
      (path, value) => `${path.at(-1)} = "${value}"\n`,
      () => '',
    ),
  ],
  [
    xml,
    written(
      (path) => `<${path.at(-1) ?? 'root'}>`,
      (path, value) => `<${path.at(-1)}>${value}</${path.at(-1)}>\n`,
      (path) => `</${path.at(-1) ?? 'root'}>\n`,
    ),
  ],
];

describe.each(LANGUAGES)('$name', (processor, text) => {
  test('every value comes once', async () => {
    let tapered = 0;
    for (const tokens of [300, 500, 800, 1200]) {
      const source = memorySource(text, `x.${processor.name}`);
      let page = await run(processor, source, { tokens });
      if (page.next && isTapered(page.next.position)) tapered += 1;
      let seen = page.text;
      for (let pages = 0; page.next; pages++) {
        expect(pages).toBeLessThan(300);
        page = await run(processor, source, { tokens, selection: { resume: page.next.position } });
        seen += page.text;
      }
      expect(seen.match(/v\d+x\d+y\d+z/g)?.sort()).toEqual([...ALL].sort());
    }
    expect(tapered).toBeGreaterThan(0);
  });
});
