// The outline that stands above a first view which does not hold all of a file.

import { describe, expect, it } from 'vitest';
import { createReader } from '../../src/index.ts';
import { contentOf, readOk, walk } from '../support/walk.ts';

const reader = createReader({ environment: {}, cache: false });
const file = (name: string, text: string) => ({ name, bytes: Buffer.from(text) });
const section = (at: number): string =>
  `## Part ${at}\n\n${`Words of part ${at}, and more of them. `.repeat(8)}\n\n`;
const guide = file('guide.md', `# Guide\n\n${Array.from({ length: 60 }, (_, at) => section(at)).join('')}`);
const program = file(
  'shop.py',
  `# Copyright somebody. All rights reserved.\n\n"""Takes orders and ships them. Nothing else."""\n\nimport os, sys\nfrom json import loads\n\n${Array.from({ length: 90 }, (_, at) => `class Order${at}:\n    def ship(self):\n        """Ships it."""\n        return ${at}\n\n`).join('')}`,
);
const log = file(
  'app.log',
  Array.from(
    { length: 800 },
    (_, at) =>
      `2026-03-01 10:${String(at % 60).padStart(2, '0')}:00 ${at === 412 ? 'ERROR disk full' : 'INFO all is well'} ${at}\n`,
  ).join(''),
);

const outlineOf = async (input: typeof guide, request = {}): Promise<string> => {
  const { content } = await readOk(reader, input, request);
  return content.flatMap((part) => (part.kind === 'outline' ? [part.text] : [])).join('');
};

describe('the outline above a view', () => {
  it('of Markdown has its headings with their lines, and how it ends', async () => {
    const outline = await outlineOf(guide, { maxTokens: 1000 });
    expect(outline).toMatch(/^\[Outline: \d+ of 61 entries\]\nLast paragraph, line 241: Words of part 59/);
    expect(outline).toContain('\n1: # Guide\n3: ## Part 0\n');
    expect(outline.endsWith('\n[Content]\n')).toBe(true);
  });

  it('of a program says what it is, what it imports and what it declares', async () => {
    const outline = await outlineOf(program, { maxTokens: 1000 });
    expect(outline).toContain('\nTakes orders and ships them.\nImports: os, sys, json\n');
    expect(outline).toMatch(/^\[Outline: \d+ of 180 entries\]\n/);
    expect(outline).toMatch(/\n\d+ Order4\d( \{.*\})?\n/);
    expect(outline).not.toContain('Copyright');
    const few = file('shop.py', program.bytes.toString().slice(0, 2000));
    expect(await outlineOf(few, { maxTokens: 400 })).toMatch(/\n8 Order0 \{9 ship\}\n13 Order1/);
  });

  it('of a program that it does not hold has what is large and given to others', async () => {
    const functions = (from: number, count: number): string =>
      Array.from(
        { length: count },
        (_, at) =>
          `const LIMIT_${from + at} = ${at};\n\nfunction step${from + at}() {\n  return LIMIT_${from + at};\n}\n\n`,
      ).join('');
    const text = `/**\n * @fileoverview Checks programs.\n */\nconst a = require('a');\n\n/**\n * Private things of it.\n * @typedef {Object} Slots\n */\n\n${functions(0, 60)}class Checker {\n${'  // Does much.\n'.repeat(300)}}\n\n${functions(60, 30)}function tiny() {}\n\nmodule.exports = { Checker, tiny };\n`;
    let count = 0;
    for (const maxTokens of [200, 300, 400, 600, 1000, 2000]) {
      const outline = await outlineOf(file('checker.js', text), { maxTokens });
      expect(outline).toContain('\nChecks programs.\n');
      expect(outline).toMatch(/\n\d+ Checker\n/);
      expect(outline).toMatch(/\n\d+ tiny\n/);
      const entries = Number(/^\[Outline: (\d+) of/.exec(outline)?.[1] ?? Number.POSITIVE_INFINITY);
      expect(entries).toBeGreaterThanOrEqual(count);
      count = entries;
    }
  });

  it('lists no fewer entries where there is room for more of the imports', async () => {
    const imports = Array.from({ length: 30 }, (_, at) => `import module_number_${at}\n`).join('');
    const text = `${imports}\n${Array.from({ length: 150 }, (_, at) => `def step_${at}():\n    return ${at}\n\n`).join('')}`;
    let count = 0;
    for (let maxTokens = 200; maxTokens <= 1200; maxTokens += 50) {
      const outline = await outlineOf(file('steps.py', text), { maxTokens });
      const entries = Number(/^\[Outline: (\d+) of/.exec(outline)?.[1]);
      expect(entries).toBeGreaterThanOrEqual(count);
      count = entries;
    }
  });

  it.each([
    ['a.h', '#ifndef A\n#error "Include a.h, not this file."\n#endif\n', ''],
    ['a.js', '/** Slots of it. @typedef {Object} Slots */\n/**\n * @param {string} a What it is.\n */\n', ''],
    [
      'a.c',
      '/* Copyright somebody */\n/**\n * @file a.c\n * @brief Counts the words of a text.\n */\n',
      'Counts the words of a text.',
    ],
  ])('takes of the head of %s only what tells of the file', async (name, head, summary) => {
    const body = Array.from({ length: 200 }, (_, at) => `int f${at}(int a) {\n  return a;\n}\n`).join('');
    const text = name.endsWith('.js') ? body.replaceAll(/int (f\d+)\(int a\)/g, 'function $1(a)') : body;
    const [, first = ''] = (await outlineOf(file(name, head + text), { maxTokens: 600 })).split('\n');
    if (summary === '') expect(first).toMatch(/^\d+ f0/);
    else expect(first).toBe(summary);
  });

  it('of a log has its time, its end and its errors', async () => {
    const outline = await outlineOf(log, { maxTokens: 1000 });
    expect(outline).toBe(
      '[About this file]\nFrom 2026-03-01 10:00:00 to 2026-03-01 10:19:00\nLast line, 800: 2026-03-01 10:19:00 INFO all is well 799\n413: 2026-03-01 10:52:00 ERROR disk full 412\n[Content]\n',
    );
  });

  it.each([guide, program, log])('$name: keeps the budget, and is no part of the walk', async (input) => {
    for (const maxTokens of [120, 300, 1000, 3000]) {
      const answers = await walk(reader, () => input, { maxTokens });
      expect(contentOf(answers)).toBe(input.bytes.toString());
      const later = answers.slice(1).flatMap(({ content }) => content);
      expect(later.some(({ kind }) => kind === 'outline')).toBe(false);
    }
  });

  it.each([{ lines: '1-100' }, { all: true }, { maxTokens: 50_000 }, { maxTokens: 60 }])(
    'stands above no part, no whole and nothing small: %j',
    async (request) => {
      expect(await outlineOf(guide, request)).toBe('');
    },
  );

  it('is the same in a process of its own', async () => {
    const isolated = createReader({ environment: {}, cache: false, isolation: 'process' });
    for (const input of [guide, program, log])
      expect(await isolated.read(input, { maxTokens: 700 })).toEqual(
        await reader.read(input, { maxTokens: 700 }),
      );
    await isolated.close();
  });

  it('keeps the characters that an answer may hold', async () => {
    const small = createReader({ environment: {}, cache: false, limits: { maxTotalOutput: 900 } });
    const { text } = await readOk(small, guide, { maxTokens: 4000 });
    expect(text.length).toBeLessThanOrEqual(900);
    expect(text).toContain('[Truncated to lines');
  });
});

describe('headings of Markdown', () => {
  it.each([
    ['Title\n=====\n\nText\nof two\n----\n', ['1: # Title', '4: ## Text of two']],
    ['---\ntitle: no\n---\n# One ##\n', ['4: # One']],
    ['````\n# no\n```\n# no\n````\n# yes\n', ['6: # yes']],
    ['<!--\n# no\n-->\n# yes\n', ['4: # yes']],
    ['- a\n---\n# yes\n', ['3: # yes']],
    ['#no\n####### no\n#\n', ['3: #']],
  ])('%j', async (text, headings) => {
    const { outline } = (await import('../../processors/text/text.ts')).markdown;
    const { memorySource, testContext } = await import('../support/context.ts');
    const found: string[] = [];
    for await (const line of outline?.(memorySource(text, 'a.md'), testContext()) ?? [])
      found.push(line.text);
    expect(found).toEqual(headings);
  });
});

it('of several files, a small answer is names before imports, and offers lines where it shows none', async () => {
  const names = ['a.py', 'b.py', 'c.py', 'd.py', 'e.py', 'f.py', 'g.py', 'h.py', 'i.py', 'j.py'];
  const results = await reader.readMany(
    names.map((name) => file(name, program.bytes.toString())),
    { maxTokens: 900 },
  );
  for (const result of results) {
    const text = result.success ? result.text : '';
    expect(text).not.toContain('Imports:');
    expect(text).toMatch(/\n\d+ Order\d/);
    expect(text).toMatch(/Continue with lines "\d+-\d+"/);
  }
});
