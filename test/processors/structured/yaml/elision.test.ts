import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as Yaml from 'yaml';
import {
  applyEdits,
  type ElisionLimits,
  gapsOf,
  glyphOutside,
} from '../../../../processors/structured/elision.ts';
import { YamlElider } from '../../../../processors/structured/yaml/elision.ts';
import { yamlToJson } from '../../../../processors/structured/yaml/json.ts';
import { readYaml } from '../../../../processors/structured/yaml/parse.ts';
import { draws } from '../../../support/draws.ts';
import { samples } from '../yaml-samples.ts';

const signal = new AbortController().signal;

const limits: fc.Arbitrary<ElisionLimits> = fc.record({
  depth: fc.integer({ min: 1, max: 6 }),
  items: fc.constantFrom(0, 1, 2, 5, 50),
  keys: fc.constantFrom(0, 1, 2, 5, 50),
  string: fc.constantFrom(1, 2, 5, 20, 500),
  comment: fc.constantFrom(0, 100, Number.POSITIVE_INFINITY),
});

/** True when `view` is `whole` with the ends of collections and strings left out. */
function isSample(view: unknown, whole: unknown, glyph: string): boolean {
  if (Object.is(view, whole)) return true;
  if (typeof view === 'string') {
    if (!view.endsWith(glyph)) return false;
    // An alias whose anchor is left out.
    if (view.startsWith('*a')) return true;
    // A cut plain number or word is a string in the view.
    return String(whole).startsWith(view.slice(0, -glyph.length).trimEnd());
  }
  if (Array.isArray(view))
    return (
      Array.isArray(whole) &&
      view.length <= whole.length &&
      view.every((item, index) => isSample(item, whole[index], glyph))
    );
  if (view !== null && typeof view === 'object') {
    if (whole === null || typeof whole !== 'object' || Array.isArray(whole)) return false;
    const kept = Object.entries(view);
    const all = Object.entries(whole);
    return kept.every(
      ([key, item], index) => all[index]?.[0] === key && isSample(item, all[index]?.[1], glyph),
    );
  }
  return false;
}

const parsed = (text: string): unknown[] =>
  Yaml.parseAllDocuments(text, { uniqueKeys: false, logLevel: 'silent' }).map((document) => {
    const [error] = document.errors;
    if (error) throw error;
    // As entries, so that integer-like keys keep their order.
    return inOrder(document.toJS({ mapAsMap: true, maxAliasCount: -1 }));
  });

function inOrder(value: unknown): unknown {
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([key, item]) => [`k${String(key)}`, inOrder(item)]));
  return Array.isArray(value) ? value.map(inOrder) : value;
}

describe('an elided YAML stream', () => {
  it('is valid YAML, a sample of the whole, and with its gaps makes the file again', async () => {
    await fc.assert(
      fc.asyncProperty(samples(true), limits, async ({ text }, tried) => {
        const stream = await readYaml(text, signal);
        const stretch = { from: 0, to: text.length };
        const glyph = glyphOutside(text);
        const scope = {
          source: text,
          stream,
          roots: stream.documents,
          yaml: Yaml,
          comments: stream.comments,
          stretches: [stretch],
          pointer: '',
          glyph,
          lengths: new Map(),
        };
        const { edits, shown, wholes } = new YamlElider(scope, tried).run();
        const view = applyEdits(text, [stretch], edits);
        const documents = parsed(view);
        const whole = parsed(text);
        const kept = documents.filter((_, index) => index < whole.length);
        expect(
          kept.every((document, index) => isSample(document, whole[index], glyph)),
          view,
        ).toBe(true);

        let at = 0;
        for (const edit of edits) {
          expect(edit.from).toBeGreaterThanOrEqual(at);
          expect(edit.to).toBeGreaterThanOrEqual(edit.from);
          at = edit.to;
        }
        const unmarked = applyEdits(
          text,
          [stretch],
          edits.map((edit) => ({ ...edit, text: '' })),
        );
        const left = gapsOf(edits).reduce((sum, gap) => sum + gap.to - gap.from, 0);
        expect(unmarked.length + left).toBe(text.length);
        if (edits.length === 0) expect(shown.every(({ to, of }) => to === of)).toBe(true);
        for (const { from, to, of } of shown) expect(from >= 1 && from <= to && to <= (of ?? 0)).toBe(true);
        expect(new Set(wholes.map(({ unit, name }) => `${unit} ${name}`)).size).toBe(wholes.length);
      }),
      { numRuns: draws(400) },
    );
  });

  it('reads the values another parser reads', async () => {
    await fc.assert(
      fc.asyncProperty(samples(false), async ({ text, documents }) => {
        const json = yamlToJson(text, await readYaml(text, signal), Yaml, 1e7);
        const value: unknown = JSON.parse(json);
        expect(value).toEqual(JSON.parse(JSON.stringify(documents.length === 1 ? documents[0] : documents)));
      }),
      { numRuns: draws(200) },
    );
  });
});
