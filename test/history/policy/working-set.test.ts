// What stays when the default preset compacts: the files in work, each text once, and lines used by later calls.

import { expect, it } from 'vitest';
import { compact } from '../../../src/history/index.ts';
import {
  argsOf,
  type Chat,
  calls,
  log,
  noticeIn,
  result,
  resultOf,
  steps,
  system,
  user,
} from '../../support/chat.ts';

const asked: readonly Chat[] = [system('You are an engineer.'), user('Find the defect.')];
const window = 24_000;
/** About 2600 tokens of code, with distinct lines. */
const SOURCE = Array.from(
  { length: 160 },
  (_, line) => `export const value_${line} = compute(${line * 7});`,
).join('\n');

it('keeps the text of a file being edited, even if it was read long ago', async () => {
  const { messages, report } = await compact(
    [
      ...asked,
      calls(['r', 'read', { path: 'src/work.ts' }]),
      result('r', SOURCE),
      ...steps(26, 700),
      calls(['e', 'edit', { path: 'src/work.ts', oldText: 'value_3 ', newText: 'value_three ' }]),
      result('e', 'Successfully replaced text in src/work.ts.'),
      ...steps(2, 300, 90),
    ],
    { window },
  );
  expect(report.action).toBe('compacted');
  expect(resultOf(messages, 'r')).toBe(SOURCE);
  expect(argsOf(messages, 'e')['newText']).toBe('value_three ');
  expect(resultOf(messages, 'call_1')).not.toContain('\n');
});

it('keeps lines of removed results whose names later calls use, but no bare names', async () => {
  const found = 'src/deep/place.ts:12: export function parseHeader() {';
  const { messages } = await compact(
    [
      ...asked,
      calls(['g', 'bash', { command: 'rg parseHeader' }]),
      result('g', `${log(600, 77)}\n${found}\n${log(600, 78)}`),
      calls(['u', 'bash', { command: 'git log src/deep/place.ts:12' }]),
      result('u', 'nothing'),
      ...steps(30, 700),
    ],
    { window },
  );
  expect(resultOf(messages, 'g')).not.toContain(found);
  expect(noticeIn(messages)).toContain(`## Lines used by later calls\n- bash rg parseHeader:\n${found}`);
  expect(noticeIn(messages)).not.toContain('## Names');
});
