// The documents behind the presets, behaviour by behaviour, where a figure of the preset alone does not show it.

import { describe, expect, it } from 'vitest';
import { compact, presetOf } from '../../../src/history/index.ts';
import { targetsOf, triggerAt } from '../../../src/history/policy/targets.ts';
import {
  argsOf,
  type Chat,
  calls,
  log,
  noticeIn,
  openStorage,
  result,
  resultOf,
  steps,
  system,
  user,
} from '../../support/chat.ts';

const asked: readonly Chat[] = [system('You are an engineer.'), user('Find the defect.')];
const WINDOWS = [2000, 8000, 32_000, 128_000, 200_000, 1_000_000];

describe('valis', () => {
  const diff = `applied\n${'+ a line that was added\n'.repeat(40)}`;
  const written = `export const first = 1;\n${log(3000, 4)}`;
  const list: Chat[] = [
    ...asked,
    calls(['w', 'write_file', { path: 'a.ts', content: written }]),
    result('w', 'ok'),
    calls(['e', 'edit_file', { path: 'a.ts', old_text: 'x', new_text: log(500, 5) }]),
    result('e', diff),
    ...steps(10, 790),
    calls(['n', 'write_file', { path: 'b.ts', content: 'const b = 1;' }]),
    result('n', 'ok'),
  ];

  /** Compacted where the list is above 85 % of the window and below 90 %. */
  async function between(): ReturnType<typeof compact<Chat>> {
    const { report } = await compact(list, { window: 200_000 });
    const window = Math.ceil(report.before.tokens / 0.87);
    return compact(list, { preset: 'valis', window, storage: openStorage() });
  }

  it('leaves the first 100 characters of written content beside its pointer', async () => {
    const { messages, report } = await between();
    expect(report.tiers.map(({ tier }) => tier)).toContain('pointers');
    const { content = '' } = argsOf(messages, 'w');
    expect(content).toMatch(/^\[history: \d+ characters of `content` left out, sha256 .*; full text: .*\]\n/);
    expect(content.split('\n').slice(1).join('\n')).toBe(`${written.slice(0, 100)}...`);
  });

  it('replaces results of edits over 500 characters, and those alone', async () => {
    const { messages } = await between();
    expect(diff.length).toBeGreaterThan(500);
    expect(resultOf(messages, 'e')).toMatch(
      /^\[history: result of edit_file left out, ~\d+ tokens; full text: /,
    );
    expect(resultOf(messages, 'w')).toBe('ok');
  });

  it.each(WINDOWS)('has two thresholds and the newest 20 %% in a window of %i tokens', (window) => {
    const targets = targetsOf({ ...presetOf('valis', window), mustReach: false, window }, {}, 0);
    expect(targets.trigger).toBe(Math.floor(0.85 * window));
    expect(triggerAt(0.95, targets)).toBeGreaterThan(targets.trigger);
    if (window >= 200_000) expect(triggerAt(0.95, targets)).toBe(0.95 * window);
    expect(targets.recent).toBe(0.2 * window);
  });

  it('says that a digest is one', async () => {
    const { report } = await compact([...asked, ...steps(30, 800)], { preset: 'valis', window: 20_000 });
    expect(report.summary).toMatchObject({ by: 'digest', attempts: 0, refused: null });
  });
});

it('aixtools keeps the first 25 % and the last 75 % of what fits, without a model', async () => {
  const { messages, report } = await compact([...asked, ...steps(250, 120)], {
    preset: 'aixtools',
    window: 60_000,
    threshold: { at: 30_000, to: 12_000 },
  });
  expect(report.summary).toMatchObject({ by: 'cut', attempts: 0, refused: null });
  const [, transcript = ''] = noticeIn(messages).split(/\n\n(.*)/s);
  expect(transcript).toContain('src/file-1.ts');
  const gap = transcript.search(/messages left out here/);
  expect(gap / transcript.length).toBeGreaterThan(0.15);
  expect(gap / transcript.length).toBeLessThan(0.3);
});
