// The conversations of the corpus as the judges see them: what the loaders make is what a provider had.

import { expect, it } from 'vitest';
import { JUDGES } from '../support/history-rules/index.ts';
import { piTranscript, tauTranscripts } from '../support/transcripts.ts';

it('loads 100 conversations that OpenAI took', async () => {
  const runs = await tauTranscripts();
  expect(runs).toHaveLength(100);
  for (const run of runs)
    expect({ of: run.name, findings: JUDGES['openai-chat'](run['openai-chat']) }).toEqual({
      of: run.name,
      findings: [],
    });
});

it('loads a session whose only faults are its interrupted calls', async () => {
  const session = await piTranscript();
  const open = { anthropic: 6, 'openai-chat': 4 };
  for (const [format, count] of Object.entries(open)) {
    // The keys of the object above.
    const of = format as keyof typeof open;
    const findings = JUDGES[of](session[of]);
    expect(findings).toHaveLength(count);
    for (const finding of findings)
      expect(finding).toMatch(/no result of|before the results of|lacks the result of/);
  }
});
