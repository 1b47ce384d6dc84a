// XML elements made from random trees: what the tree says is what the scan must find.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { indexXmlChildren, locateXmlChild, XmlSkipper } from '../../src/scan/index.ts';
import { draws } from '../support/draws.ts';
import { countedSource } from './counted-source.ts';

const { signal } = new AbortController();

interface Element {
  readonly kind: 'element';
  readonly tag: string;
  readonly children: readonly (Element | string)[];
  readonly selfClosing: boolean;
}

const attributes = fc.constantFrom(
  '',
  ' a="1"',
  " b='2'",
  ' c="x>y"',
  ` d='/>'`,
  ` e="it's" f='"'`,
  '\n  g = "</h>"',
  ' i="/"',
  ` long="${'z'.repeat(70)}"`,
);
const other = fc.constantFrom(
  'text',
  ' ',
  '>',
  "it's",
  '"',
  'a/>b',
  '<!-- <b> -- > -->',
  '<!---->',
  '<!--->-->',
  '<![CDATA[ <c> ]] > ]]]>',
  '<?p <d> ? > ??>',
  'long text '.repeat(12),
);
const { element } = fc.letrec<{ element: Element; node: Element | string }>((tie) => ({
  node: fc.oneof({ depthSize: 'small' }, other, tie('element')),
  element: fc.record({
    kind: fc.constant('element' as const),
    tag: fc.tuple(fc.constantFrom('a', 'row', 'ns:item'), attributes).map(([name, more]) => name + more),
    children: fc.array(tie('node'), { maxLength: 7 }),
    selfClosing: fc.boolean(),
  }),
}));

function write(node: Element | string): string {
  if (typeof node === 'string') return node;
  if (node.children.length === 0 && node.selfClosing) return `<${node.tag}/>`;
  return `<${node.tag}>${node.children.map(write).join('')}</${node.tag.split(/\s/)[0]} >`;
}

const childrenOf = (node: Element): Element[] => node.children.filter((child) => typeof child !== 'string');
const sizeOf = (node: Element): number => childrenOf(node).reduce((sum, child) => sum + 1 + sizeOf(child), 0);
const depthOf = (node: Element): number => 1 + Math.max(0, ...childrenOf(node).map(depthOf));

/** The element's text, where its start tag ends, and where each child starts. */
function laidOut(root: Element): { text: string; inside: number; starts: number[] } {
  const open = `<${root.tag}>`;
  const starts: number[] = [];
  let at = open.length;
  for (const child of root.children) {
    if (typeof child !== 'string') starts.push(at);
    at += write(child).length;
  }
  return { text: write({ ...root, selfClosing: false }), inside: open.length, starts };
}

describe('a skipper', () => {
  it('ends where the element ends, its children counted', () => {
    fc.assert(
      fc.property(element, other, (root, after) => {
        const { text, inside, starts } = laidOut(root);
        const skipper = new XmlSkipper();
        skipper.begin();
        expect(skipper.push(Buffer.from(text + after), inside)).toBe(text.length);
        expect(skipper.children).toBe(starts.length);
        expect(skipper.elements).toBe(sizeOf(root));
        expect(skipper.maxDepth).toBe(depthOf(root));
      }),
      { numRuns: draws(2000) },
    );
  });

  it('takes the element in two pieces, or byte by byte', () => {
    for (const root of fc.sample(element, { numRuns: draws(60), seed: 5 })) {
      const { text, inside, starts } = laidOut(root);
      const bytes = Buffer.from(text);
      const skipper = new XmlSkipper();
      for (let cut = inside; cut < bytes.length; cut++) {
        skipper.begin();
        expect(skipper.push(bytes.subarray(0, cut), inside)).toBe(-1);
        expect(skipper.push(bytes, cut)).toBe(bytes.length);
        expect([skipper.children, skipper.elements]).toEqual([starts.length, sizeOf(root)]);
      }
      skipper.begin();
      for (let at = inside; at < bytes.length; at++)
        expect(skipper.push(bytes.subarray(at, at + 1), 0)).toBe(at === bytes.length - 1 ? 1 : -1);
      expect(skipper.maxDepth).toBe(depthOf(root));
    }
  });

  it('knows no depth limit', () => {
    const depth = 500_000;
    const skipper = new XmlSkipper();
    skipper.begin();
    const text = Buffer.from('<a>'.repeat(depth) + '</a>'.repeat(depth));
    expect(skipper.push(text, 3)).toBe(text.length);
    expect(skipper.maxDepth).toBe(depth);
  });
});

describe('an index of children', () => {
  it('counts and finds every child', async () => {
    await fc.assert(
      fc.asyncProperty(element, async (root) => {
        const { text, inside, starts } = laidOut(root);
        const source = countedSource(`${text}<more/>`);
        const index = await indexXmlChildren(source, inside, signal);
        expect(index).toMatchObject({
          count: starts.length,
          end: text.length,
          closed: true,
          elements: sizeOf(root),
        });
        for (const [at, start] of starts.entries())
          expect(await locateXmlChild(source, index, at + 1, signal)).toBe(start);
        expect(await locateXmlChild(source, index, starts.length + 1, signal)).toBe(text.length);
      }),
      { numRuns: draws(300) },
    );
  });

  it('has a checkpoint per chunk, so that a far child costs one', async () => {
    const row = `<row a='b'><x/>text > <!-- <row> --><y z="1>2"/></row>\n`;
    const rows = 60_000;
    const source = countedSource(`<t>${row.repeat(rows)}</t>`);
    const index = await indexXmlChildren(source, 3, signal);
    expect(index).toMatchObject({ count: rows, elements: 3 * rows, maxDepth: 3, closed: true });
    source.bytesRead = 0;
    for (const n of [1, 2, 31_234, rows])
      expect(await locateXmlChild(source, index, n, signal)).toBe(3 + (n - 1) * row.length);
    expect(source.bytesRead).toBeLessThan(5 * 1024 * 1024);
  });

  it('says when there is no end tag', async () => {
    const source = countedSource('<a><b></b><c>');
    expect(await indexXmlChildren(source, 3, signal)).toMatchObject({ count: 2, end: 13, closed: false });
  });
});
