// Compares the format checker of the Agents SDK with the real SDK.

import { protocol } from '@openai/agents-core';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { draws } from '../../support/draws.ts';
import { legalHistory } from '../../support/histories.ts';

it('the Agents SDK knows every item of a legal history', () => {
  void fc.assert(
    fc.property(legalHistory('openai-agents'), ({ messages }) => {
      for (const item of messages)
        expect(protocol.ModelItem.safeParse(item)).toMatchObject({ success: true });
    }),
    { numRuns: draws(60) },
  );
});
