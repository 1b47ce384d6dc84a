// The Markdown transcript: every text is exact at its offsets and alone on its lines.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type TranscriptMessage, transcriptOf } from '../../../src/history/archive/transcript.ts';
import { type Item, item, type MessageView } from '../../../src/history/codecs/message.ts';
import { draws } from '../../support/draws.ts';
import { awkwardText } from '../awkward.ts';

const said = (role: MessageView['role'], ...items: Item[]): TranscriptMessage => ({
  view: { role, items },
  names: items.map(({ toolName }) => toolName),
});

/** Counts lines and offsets independently of the implementation. */
function linesOf(text: string): { from: number; to: number }[] {
  const lines: { from: number; to: number }[] = [];
  let from = 0;
  for (const match of text.matchAll(/\n/g)) {
    lines.push({ from, to: match.index });
    from = match.index + match[0].length;
  }
  lines.push({ from, to: text.length });
  return lines;
}

it('reads as Markdown: numbers, roles, calls with arguments, results, media by name', () => {
  const { text } = transcriptOf([
    said('user', item('user', { text: 'Read it.' })),
    said(
      'assistant',
      item('reasoning', { text: 'hm' }),
      item('call', { toolName: 'read', callId: 'c1', text: '{"path":"a"}' }),
    ),
    {
      view: { role: 'tool', items: [item('result', { callId: 'c1', text: 'one\ntwo', isError: true })] },
      names: ['read'],
    },
    said(
      'user',
      item('media', {
        media: { type: 'image', mimeType: 'image/png', bytes: 3456, width: 20, height: 10 },
      }),
      item('opaque', { weight: 77 }),
    ),
    said('assistant'),
  ]);
  expect(text).toBe(
    [
      '## 1. user\n\nRead it.\n',
      '## 2. assistant\n\n### Reasoning\n\nhm\n\n### Call of read (c1)\n\n```\n{"path":"a"}\n```\n',
      '## 3. tool\n\n### Error of read (c1)\n\n```\none\ntwo\n```\n',
      '## 4. user\n\n[image, image/png, 20x10, 3456 bytes]\n\n[other content, 77 characters]\n',
      '## 5. assistant\n\n(empty)\n\n',
    ].join('\n'),
  );
});

const textItem = fc
  .tuple(fc.constantFrom('user', 'text', 'reasoning', 'call', 'result', 'system'), awkwardText)
  // One of the kinds above.
  .map(([kind, text]) => item(kind as Item['kind'], { text, toolName: 'read', callId: 'id' }));
const anyItem = fc.oneof(
  { weight: 5, arbitrary: textItem },
  { weight: 1, arbitrary: fc.constantFrom(item('media'), item('opaque')) },
);
const messages = fc.array(
  fc.array(anyItem, { maxLength: 4 }).map((items) => said('user', ...items)),
  { maxLength: 6 },
);

it('locates every text by offsets, on lines of its own', () => {
  fc.assert(
    fc.property(messages, (given) => {
      const { text, places, starts } = transcriptOf(given);
      const lines = linesOf(text);
      let before = 0;
      for (const [index, { view }] of given.entries()) {
        expect(text.startsWith(`## ${index + 1}. user\n`, starts[index])).toBe(true);
        for (const [at, one] of view.items.entries()) {
          const place = places[index]?.[at];
          if (one.kind === 'media' || one.kind === 'opaque') {
            expect(place).toBeNull();
            continue;
          }
          expect(place).toBeTruthy();
          if (!place) continue;
          expect(text.slice(place.from, place.to)).toBe(one.text);
          const [first, last] = place.lines;
          expect(first).toBeGreaterThan(before);
          before = last;
          // The lines contain only the text and the line breaks around it.
          expect(lines[first - 1]?.from).toBe(place.from);
          const end = lines[last - 1]?.to ?? -1;
          expect([end, end + 1]).toContain(place.to);
          expect(text.slice(end, place.to)).toMatch(/^\n?$/);
        }
      }
    }),
    { numRuns: draws(400) },
  );
});

it('accepts names of any length and content without breaking its lines', () => {
  const name = `a\nb\r\u2028${'x'.repeat(5_000_000)}`;
  const { text, places } = transcriptOf([
    said('assistant', item('call', { toolName: name, callId: name, text: '{}' })),
  ]);
  expect(text.length).toBeLessThan(500);
  expect(places[0]?.[0]?.lines).toEqual([6, 6]);
});

it('omits the fence around a text with a longer run of backticks', () => {
  const { text, places } = transcriptOf([said('tool', item('result', { text: '`'.repeat(100_000) }))]);
  expect(text.length).toBeLessThan(100_100);
  const place = places[0]?.[0];
  expect(place && text.slice(place.from, place.to)).toBe('`'.repeat(100_000));
});

it('takes time linear in the number of parts and the length of texts', () => {
  const items = Array.from({ length: 100_000 }, (_, index) => item('result', { text: `line\r\n${index}` }));
  const long = said('tool', item('result', { text: 'a\n'.repeat(2_500_000) }));
  const { text, places } = transcriptOf([said('tool', ...items), long]);
  const last = places[1]?.[0];
  expect(last && last.lines[1] - last.lines[0]).toBe(2_499_999);
  const place = places[0]?.[99_999];
  expect(place && text.slice(place.from, place.to)).toBe('line\r\n99999');
});
