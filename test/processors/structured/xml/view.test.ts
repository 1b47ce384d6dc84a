// What a view cuts is marked, or left out whole and counted, however small the budget.

import { expect, it } from 'vitest';
import { createReader } from '../../../../src/index.ts';
import { contentOf, readOk, walk } from '../../../support/walk.ts';

const reader = createReader({ environment: {}, cache: false });
const words = (name: string): string => `${name} ${'lorem ipsum '.repeat(40)}`.trim();
const xml = `<?xml version="1.0"?>
<root kind="${words('KIND')}">
  <!--${words('COMMENT')}-->
  <a note="${words('NOTE')}">${words('TEXT')}</a>
  <!--${words('SECOND')}-->
  <b><![CDATA[${words('DATA')}]]></b>
  <?target ${words('INSTRUCTION')}?>
</root>
`;

it.each([12, 20, 30, 50, 80, 120, 200, 400])('at %i tokens', async (maxTokens) => {
  const input = { name: 'a.xml', bytes: Buffer.from(xml) };
  const answer = await readOk(reader, input, { maxTokens });
  const [view = ''] = answer.text.split(/^\[/m);
  for (const [stretch] of view.matchAll(/<!--.*?-->|"[^"]*"|<!\[CDATA\[.*?\]\]>|<\?target.*?\?>/gs)) {
    const isWhole = xml.includes(stretch);
    expect(isWhole || stretch.includes('…'), stretch).toBe(true);
  }
  expect(answer.truncation === null).toBe(false);
  expect(
    contentOf(await walk(reader, () => input, { maxTokens: Math.max(100, maxTokens) })).length,
  ).toBeGreaterThan(0);
});
