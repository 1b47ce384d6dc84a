// Models that documents, examples, comments and messages name as examples: each is one that an SDK lists today and none calls
// deprecated. Tables of windows and limits keep what old models had.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { EXAMPLES, PAGES, pageAt } from '../support/pages.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const TABLES: readonly string[] = ['src/models/names.ts'];
const NAME = /(?<![\w-])(?:claude-(?:opus|sonnet|haiku)-\d[\w.-]*|gpt-\d[\w.-]*|gemini-\d[\w.-]*)\b/g;

/** The literals of a union type in a declaration file. */
function literals(path: string, type: string): string[] {
  const union = new RegExp(`type ${type} = ([^;]+);`).exec(read(path))?.[1] ?? '';
  return [...union.matchAll(/'([^']+)'/g)].map(([, name = '']) => name);
}

const HERE = 'test/integrations/node_modules';
const known = new Set([
  ...literals(`${HERE}/@anthropic-ai/sdk/resources/messages/messages.d.ts`, 'Model'),
  ...literals(`${HERE}/openai/resources/shared.d.ts`, 'ChatModel'),
  ...literals('node_modules/@ai-sdk/google/dist/index.d.ts', 'GoogleGenerativeAIModelId'),
]);
const deprecated = new Set(
  [
    ...(/const DEPRECATED_MODELS = \{([^}]*)\}/
      .exec(read(`${HERE}/@anthropic-ai/sdk/resources/messages/messages.js`))?.[1]
      ?.matchAll(/'([^']+)':/g) ?? []),
  ].map(([, name = '']) => name),
);

it('are current', () => {
  expect(known.size).toBeGreaterThan(50);
  expect(deprecated.size).toBeGreaterThan(0);
  const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .map((path) => `src/${path}`)
    .filter((path) => path.endsWith('.ts') && !TABLES.includes(path));
  const texts = [
    ...PAGES.map((path) => [path, pageAt(path)]),
    ...EXAMPLES,
    ...sources.map((path) => [path, read(path)]),
  ];
  const named = texts.flatMap(([path = '', text = '']) =>
    [...text.matchAll(NAME)].map(([name]) => ({ path, name })),
  );
  expect(named.length).toBeGreaterThan(3);
  expect(named.filter(({ name }) => !known.has(name) || deprecated.has(name))).toEqual([]);
});
