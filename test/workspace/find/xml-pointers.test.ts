import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { createReader, createWorkspace } from '../../../src/index.ts';
import { XmlPointers } from '../../../src/workspace/find/xml-pointers.ts';

const root = mkdtempSync(join(tmpdir(), 'lectern-'));
afterAll(() => rmSync(root, { recursive: true }));

/** An element, or what stands between elements. */
type Node = { readonly name: string; readonly inside: readonly Node[] } | string;

const NAMES = ['a', 'b', 'n:a', 'long-name', 'ü'];
const { node } = fc.letrec<{ node: Node }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'xml' },
    fc.constantFrom('', 'text', "<!-- <a> ' -->", '<![CDATA[</a> "]]>', '<?p <a> ?>', '\n'),
    fc.record({ name: fc.constantFrom(...NAMES), inside: fc.array(tie('node'), { maxLength: 5 }) }),
  ),
}));

it('gives pointers that the reader takes, and whose element has the text', async () => {
  const reader = createReader({ environment: {} });
  await fc.assert(
    fc.asyncProperty(fc.array(node, { maxLength: 5 }), fc.boolean(), async (nodes, hasType) => {
      let count = 0;
      const written = (one: Node): string => {
        if (typeof one === 'string') return one;
        count += 1;
        const mark = `mark${count}`;
        const tag = `${one.name} at="> ${mark}."`;
        return count % 4 === 0
          ? `<${tag}/>`
          : `<${tag}>${mark}. ${one.inside.map(written).join('')}</${one.name}>`;
      };
      const type = hasType ? '<!DOCTYPE r [<!-- \' ]> --><!ENTITY e "]><a>"><?x \' ?>]>' : '';
      const text = `<?xml version="1.0"?>${type}<r xmlns:n="n">${nodes.map(written).join('')}</r>`;
      const pointers = new XmlPointers(text);
      for (const { index, 0: mark } of text.matchAll(/mark\d+\./g)) {
        const { pointer } = pointers.of(index);
        const answer = await reader.read({ name: 'a.xml', bytes: Buffer.from(text) }, { pointer });
        expect([text, pointer, answer.success && answer.text]).toEqual([
          text,
          pointer,
          expect.stringMatching(new RegExp(`^(?:<[^>]*\\s)?.{0,20}${mark.replace('.', '\\.')}`, 's')),
        ]);
      }
    }),
    { numRuns: 60 },
  );
});

it.each([
  '',
  '<',
  '</',
  '</a>',
  '<a',
  '<a b="',
  '<!',
  '<!DOCTYPE [',
  '<!--',
  '<a/></a></a>',
  'no XML',
  '<a>'.repeat(1000),
])('survives %j', (text) => {
  expect(new XmlPointers(text).of(text.length).pointer).toMatch(/^(?:\/|$)/);
});

it('labels matches, and is the address of one in a minified document', async () => {
  const items = Array.from({ length: 100 }, (_, at) => `<item id="${at}"><name>Pier ${at}</name></item>`);
  writeFileSync(join(root, 'min.xml'), `<api>${items.join('')}</api>`);
  writeFileSync(join(root, 'wide.xml'), `<api>\r\n${items.join('\r\n')}\r\n</api>`);
  const workspace = createWorkspace({ root }, { environment: {} });
  const { matches } = await workspace.search('Pier 42');
  const pointer = '/api/item[43]/name';
  expect(matches.map(({ address, label }) => [address, label])).toEqual([
    [`min.xml#${pointer}`, pointer],
    ['wide.xml#L44', pointer],
  ]);
  const answer = await createReader({ workspace, environment: {} }).read(`min.xml#${pointer}`);
  expect(answer.success && answer.text).toContain('Pier 42');
});

it.each([
  ['track.gpx', '<gpx><wpt><name>Pier 7</name></wpt></gpx>', '/gpx/wpt/name'],
  ['book.musicxml', '<score><part>Pier 7</part></score>', '/score/part'],
  ['a.unlisted', '<?xml version="1.0"?><a><b>Pier 7</b></a>', '/a/b'],
  ['net.har', '{"log": {"pages": ["Pier 7"]}}', '/log/pages/0'],
  ['.clangd', 'Index:\n  Name: Pier 7\n', '/Index/Name'],
  ['page.ts', 'const xml = "Pier 7";\n', undefined],
])('labels the match in %s by the type of the file', async (name, text, pointer) => {
  const folder = mkdtempSync(join(root, 'types-'));
  writeFileSync(join(folder, name), text);
  const workspace = createWorkspace({ root: folder }, { environment: {} });
  const { matches } = await workspace.search('Pier 7');
  expect(matches.map(({ label }) => label)).toEqual([pointer]);
});
