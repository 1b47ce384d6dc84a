import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { yaml } from '../../processors/structured/yaml.ts';
import { NotThisFormat } from '../../src/contract/index.ts';
import { memorySource, run, type TestOptions } from '../support/context.ts';

interface Case {
  readonly id: string;
  readonly name: string;
  readonly fail: boolean;
  readonly yaml: string;
  readonly json?: string;
}

const corpus = process.env['LECTERN_CORPUS'] ?? '';

/** The JSON texts of several documents, one after the other. */
function jsonTexts(text: string): unknown[] {
  const values: unknown[] = [];
  let from = 0;
  for (let to = 1; to <= text.length; to++) {
    if (text.slice(from, to).trim() === '' || (to < text.length && text[to] !== '\n')) continue;
    try {
      values.push(JSON.parse(text.slice(from, to)));
      from = to;
    } catch {
      // Not yet a whole value.
    }
  }
  return values;
}

describe.runIf(corpus !== '')('yaml-test-suite', () => {
  const cases: Case[] =
    corpus === ''
      ? []
      : readFileSync(join(corpus, 'yaml/yaml-test-suite/cases.jsonl'), 'utf8')
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as Case);
  const read = (text: string, options: TestOptions = {}) => run(yaml, memorySource(text, 'a.yaml'), options);

  it.each(cases.filter(({ fail }) => fail))('$id is refused: $name', async ({ yaml: text }) => {
    await expect(read(text)).rejects.toBeInstanceOf(NotThisFormat);
  });

  it.each(cases.filter(({ fail }) => !fail))('$id is read: $name', async ({ yaml: text, json }) => {
    expect((await read(text)).text).toBe(text);
    if (json === undefined) return;
    const expected = jsonTexts(json);
    const made: unknown = JSON.parse((await read(text, { selection: { format: 'json' } })).text);
    // A file without a document has no JSON text; as JSON it is null.
    if (expected.length === 0) expect(made).toBe(null);
    else expect(made).toEqual(expected.length === 1 ? expected[0] : expected);
  });

  it.each(cases.filter(({ fail }) => !fail))(
    '$id stays YAML when it is cut: $name',
    async ({ yaml: text }) => {
      for (const limits of [
        { maxNestingDepth: 1 },
        { maxArrayItems: 1, maxObjectKeys: 1 },
        { maxStringValueLength: 3, maxNestingDepth: 2 },
      ]) {
        const { text: view } = await read(text, { limits });
        const errors = parseAllDocuments(view, { uniqueKeys: false, logLevel: 'silent' }).flatMap(
          (document) => document.errors,
        );
        expect(errors, view).toEqual([]);
      }
    },
  );
});

describe.runIf(corpus !== '')('real YAML files', () => {
  const folder = join(corpus, 'yaml/real');
  it.each(corpus === '' ? [] : readdirSync(folder))('%s is shown, and walked to its end', async (name) => {
    const text = readFileSync(join(folder, name), 'utf8');
    const source = memorySource(text, name);
    const first = await run(yaml, source);
    expect(parseAllDocuments(first.text).flatMap((document) => document.errors)).toEqual([]);
    let at = 0;
    for (let { next } = first; next; ) {
      const page = await run(yaml, source, { selection: { resume: next.position } });
      for (const part of page.parts) {
        const piece = part.kind === 'text' ? part.text : '';
        at = text.indexOf(piece, at);
        expect(at, piece).toBeGreaterThanOrEqual(0);
        at += piece.length;
      }
      next = page.next;
    }
    const whole = (await run(yaml, source, { limits: { maxNestingDepth: 50, maxArrayItems: 1000 } })).text;
    expect(whole).toBe(text);
  });
});
