// Pointers with wildcards into XML.

import { describe, expect, it } from 'vitest';
import { createReader } from '../../../../src/index.ts';
import { readOk } from '../../../support/walk.ts';

const reader = createReader({ environment: {}, cache: false });
const bytes = Buffer.from(`<?xml version="1.0"?>
<c:catalog xmlns:c="urn:c">
  <group id="a"><title>First &amp; last</title><control id="a1"/><control id="a2"><part>x</part></control></group>
  <group id="b"><title>Second</title><control id="b1"/></group>
  <other id="o"/>
</c:catalog>
`);
const ask = (pointer: string, request: object = {}) =>
  readOk(reader, { name: 'a.xml', bytes }, { pointer, ...request });

describe('a wildcard', () => {
  it.each([
    ['/catalog/*/@id', ['/c:catalog/group/@id,a', '/c:catalog/group[2]/@id,b', '/c:catalog/other/@id,o']],
    ['/*/group[*]/title', ['/c:catalog/group/title,First &amp; last', '/c:catalog/group[2]/title,Second']],
    [
      '/catalog/group[*]/control[*]/@*',
      [
        '/c:catalog/group/control/@id,a1',
        '/c:catalog/group/control[2]/@id,a2',
        '/c:catalog/group[2]/control/@id,b1',
      ],
    ],
    ['/catalog/*/control[2]', ['/c:catalog/group/control[2],"<control id=""a2""><part>x</part></control>"']],
    ['/catalog/*/2/@id', ['/c:catalog/group/control/@id,a1', '/c:catalog/group[2]/control/@id,b1']],
    ['/catalog/*/nothing', []],
  ])('%s', async (pointer, matches) => {
    const { text, metadata } = await ask(pointer);
    const count = `${matches.length} ${matches.length === 1 ? 'match' : 'matches'} of \`${pointer}\``;
    expect(text.trimEnd().split('\n')).toEqual([count, 'pointer,value', ...matches]);
    expect(metadata).toMatchObject({ matches: matches.length });
  });

  it('finds what each pointer names', async () => {
    expect((await ask('/c:catalog/group[2]/control/@id')).text).toBe('b1');
  });

  it('goes on by rows and by cursor', async () => {
    const many = Buffer.from(`<r>${'<i><n>word</n></i>'.repeat(500)}</r>`);
    const input = { name: 'many.xml', bytes: many };
    const first = await readOk(reader, input, { pointer: '/r/*/n', maxTokens: 200 });
    expect(first.text).toMatch(/^500 matches of `\/r\/\*\/n`\n/);
    const next = await readOk(reader, input, {
      cursor: first.truncation?.next?.cursor ?? '',
      maxTokens: 200,
    });
    expect(next.text).toContain('pointer,value\n/r/i[');
    const rows = await readOk(reader, input, { pointer: '/r/*/n', rows: '499-500' });
    expect(rows.text).toBe(
      'pointer,value\n/r/i[499]/n,word\n/r/i[500]/n,word\n[Note: rows 499-500 of 500]\n',
    );
  });

  it('counts alone', async () => {
    const outline = await ask('/catalog/group[*]/control[*]', { overflow: 'outline', maxTokens: 40 });
    expect(outline.text).toContain('3 matches of');
  });

  it('refuses another root', async () => {
    expect(await reader.read({ name: 'a.xml', bytes }, { pointer: '/nothing/*' })).toMatchObject({
      success: false,
      error: { code: 'BAD_INPUT' },
    });
  });
});
