// Random documents: every answer is well-formed and within its budget, and walking on delivers every byte once.

import fc from 'fast-check';
import { XMLValidator } from 'fast-xml-parser';
import { SaxesParser } from 'saxes';
import { describe, expect, test, vi } from 'vitest';
import { limitsIn } from '../../../../processors/structured/tree/limit-fields.ts';
import { XmlDocument } from '../../../../processors/structured/xml/document.ts';
import { elidableSubject } from '../../../../processors/structured/xml/elidable.ts';
import { xml } from '../../../../processors/structured/xml.ts';
import { type Extent, type Position, PositionReader, type TextPart } from '../../../../src/contract/index.ts';
import { memorySource, type Outcome, run, type TestOptions, testContext } from '../../../support/context.ts';
import { draws } from '../../../support/draws.ts';

// Draws many cases.
vi.setConfig({ testTimeout: 180_000 });

const NAMES = ['a', 'b', 'item', 'ns:p', 'long-er.name', 'x--y', 'constructor', '__proto__', 'é'];
const name = fc.constantFrom(...NAMES);
const words = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '\n  ',
    'text',
    'two words',
    '&amp;',
    '&#x1F600;',
    '&lt;tag&gt;',
    '…',
    '⋯',
    'ü漢😀',
    '> ]',
  ),
  fc.string({ unit: fc.constantFrom('a', 'é', '漢', '😀', ' ', '\n', '.'), maxLength: 80 }),
);
const value = words.map((text) => text.replaceAll('"', '').replaceAll('<', ''));
const attributes = fc
  .uniqueArray(fc.tuple(name, value), { maxLength: 6, selector: ([key]) => key })
  .map((pairs) => pairs.map(([key, text]) => ` ${key}="${text}"`).join(''));

const { node } = fc.letrec<{ node: string; element: string }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 7, depthSize: 'medium' },
    words.filter((text) => !text.includes(']]>')),
    words.map((text) => `<!--${text.replaceAll('-', '')}-->`),
    words.map((text) => `<![CDATA[${text}]]>`),
    words.map((text) => `<?go ${text.replaceAll('?', '')}?>`),
    tie('element'),
    tie('element'),
  ),
  element: fc
    .tuple(name, attributes, fc.array(tie('node'), { maxLength: 12 }), fc.boolean())
    .map(([tag, list, inner, pretty]) =>
      inner.length === 0 ? `<${tag}${list}/>` : `<${tag}${list}>${inner.join(pretty ? '\n  ' : '')}</${tag}>`,
    ),
}));
const document = fc
  .tuple(
    fc.constantFrom('', '<?xml version="1.0" encoding="UTF-8"?>\n', '<!-- about -->\n<?go on?>\n'),
    fc.constantFrom('', '<!DOCTYPE root [\n<!ENTITY e "v">\n<!ELEMENT root ANY>\n]>\n'),
    fc.array(node, { maxLength: 20 }),
    fc.constantFrom('', '\n', '\n<!-- end -->\n'),
  )
  .map(
    ([declaration, doctype, inner, end]) =>
      `${declaration}${doctype}<root n="1">${inner.join('\n')}</root>${end}`,
  );

function wellFormed(text: string): string | undefined {
  let fault: string | undefined;
  const parser = new SaxesParser({ xmlns: false });
  parser.on('error', (error) => {
    fault ??= error.message;
  });
  parser.write(text).close();
  return fault;
}

/** The ranges a walk from `position` goes through. */
async function cutsOf(
  content: string,
  position: Position,
): Promise<readonly { start: number; end: number }[]> {
  const context = testContext();
  const opened = new XmlDocument(
    await context.text(memorySource(Buffer.from(content), 'a.xml')),
    context.signal,
  );
  const isView = position[0] === 'view';
  const fields = new PositionReader(position.slice(1), '');
  const least = { ...limitsIn(isView ? fields : new PositionReader([1, 0, 0, 0, 0], '')), comment: 0 };
  const [, units = 0] = isView ? [fields.count(), fields.count()] : [];
  const limits = units === 0 ? least : { ...least, opening: { units, ...limitsIn(fields) } };
  const shown = await elidableSubject(opened, await opened.root(), context, limits, true);
  const gaps = await shown.gaps(isView ? shown.text?.elide(limits).edits : undefined);
  return gaps.map(({ from, to }) => ({ start: from, end: to }));
}

function withoutMarks(view: string, shown: string): string {
  const glyph = ['…', '⋯', '‥', '…1', '…2'].find((one) => view.includes(one) && !shown.includes(one)) ?? '';
  return view.replaceAll(
    new RegExp(
      `<!-- ${glyph} (?!\\d+ more characters? of this)[\\s\\S]*?-->|${glyph} \\d+ more characters? of this comment |${glyph}`,
      'gu',
    ),
    '',
  );
}

const budgets = fc.record({
  tokens: fc.integer({ min: 30, max: 1200 }),
  limits: fc.record({
    maxNestingDepth: fc.integer({ min: 1, max: 6 }),
    maxArrayItems: fc.integer({ min: 1, max: 12 }),
    maxObjectKeys: fc.integer({ min: 0, max: 6 }),
    maxStringValueLength: fc.integer({ min: 1, max: 90 }),
  }),
});

/** All answers from `first` on: their texts, and the elements they name. */
async function follow(
  content: string,
  first: Position,
  options: TestOptions,
): Promise<{ texts: string[]; elements: Extent[] }> {
  const texts: string[] = [];
  const elements: Extent[] = [];
  let resume: Position | undefined = first;
  while (resume) {
    const page = await run(xml, memorySource(content, 'a.xml'), { ...options, selection: { resume } });
    expect(page.text.length).toBeGreaterThan(0);
    expect(page.context.budget.count(page.view)).toBeLessThanOrEqual(page.context.budget.tokensBesideNotes);
    texts.push(page.text);
    elements.push(...elementsOf(page));
    resume = page.next?.position;
  }
  return { texts, elements };
}

function elementsOf({ parts }: Outcome): Extent[] {
  return parts.flatMap((part) => part.shown.filter(({ unit }) => unit === 'element'));
}

/** Every element a place has is named, and named once. */
function expectNamedOnce(extents: readonly Extent[]): void {
  for (const name of new Set(extents.map((extent) => extent.name ?? ''))) {
    if (name.includes('…')) continue;
    const sorted = extents.filter((extent) => (extent.name ?? '') === name).sort((a, b) => a.from - b.from);
    let next = 1;
    for (const { from, to } of sorted) {
      expect(from, `${name} ${JSON.stringify(sorted)}`).toBe(next);
      next = to + 1;
    }
    expect(next - 1, name).toBe(sorted[0]?.of);
  }
}

describe('a walk over random documents', () => {
  test('shows well-formed XML first and every left-out byte once after', async () => {
    await fc.assert(
      fc.asyncProperty(document, budgets, async (content, options) => {
        const bytes = Buffer.from(content);
        const first = await run(xml, memorySource(content, 'a.xml'), options);
        if (!first.next) {
          expect(first.text).toBe(content);
          return;
        }
        const { budget } = first.context;
        expect(budget.count(first.view)).toBeLessThanOrEqual(budget.tokensBesideNotes);
        const cuts = await cutsOf(content, first.next.position);
        const left = cuts.map(({ start, end }) => bytes.subarray(start, end).toString());
        const isView = first.next.position[0] === 'view';
        if (isView) {
          expect(wellFormed(first.text)).toBeUndefined();
          expect(XMLValidator.validate(first.text)).toBe(true);
          let position = 0;
          const kept: string[] = [];
          for (const { start, end } of cuts) {
            kept.push(bytes.subarray(position, start).toString());
            position = end;
          }
          kept.push(bytes.subarray(position).toString());
          expect(withoutMarks(first.text, kept.join(''))).toBe(kept.join(''));
        } else left[0] = (left[0] ?? '').slice(first.text.length);
        const pages = await follow(content, first.next.position, options);
        expect(pages.texts.join('')).toBe(left.join(''));
        if (isView && first.context.wholes.length < 100)
          expectNamedOnce([...elementsOf(first), ...pages.elements]);
      }),
      { numRuns: draws(120) },
    );
  });

  test('goes on under any budget of its own', async () => {
    await fc.assert(
      fc.asyncProperty(document, fc.integer({ min: 8, max: 60 }), async (content, tokens) => {
        const limits = { maxArrayItems: 2, maxNestingDepth: 2, maxStringValueLength: 10 };
        const first = await run(xml, memorySource(content, 'a.xml'), { limits });
        if (!first.next) return;
        const cuts = await cutsOf(content, first.next.position);
        const bytes = Buffer.from(content);
        const left = cuts.map(({ start, end }) => bytes.subarray(start, end).toString()).join('');
        const pages = await follow(content, first.next.position, { tokens, limits });
        expect(pages.texts.join('')).toBe(left);
        if (first.context.wholes.length < 100) expectNamedOnce([...elementsOf(first), ...pages.elements]);
      }),
      { numRuns: 20 },
    );
  });

  test('rows of the root, one answer after another, are its children', async () => {
    const content = `<r>${Array.from({ length: 40 }, (_, index) => `<i n="${index}">${'word '.repeat(index)}</i>`).join('\n')}</r>`;
    const source = memorySource(content, 'a.xml');
    const page = await run(xml, source, { selection: { rows: { from: 5, to: 7 } } });
    expect(page.text.match(/n="\d+"/g)).toEqual(['n="4"', 'n="5"', 'n="6"']);
    expect(page.parts.flatMap((part) => part.shown)).toEqual([
      { unit: 'element', from: 5, to: 7, of: 40, name: '/r' },
    ]);
    expect(page.next?.request).toEqual({ pointer: '/r', rows: '8-40' });
    const rest = await run(xml, source, { selection: { resume: page.next?.position ?? [] } });
    expect((rest.parts[0] as TextPart).text.startsWith('<i n="7">')).toBe(true);
  });
});
