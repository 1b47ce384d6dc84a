// Invalid arguments from untyped callers: rejected immediately, with the name of the called function.

import {
  compactingMiddleware,
  compactingPrepareStep,
} from '../../../src/history/integrations/ai-sdk/index.ts';
import { createCompactingProcessor } from '../../../src/history/integrations/mastra.ts';
import { createHistoryProcessor } from '../../../src/history/integrations/plain.ts';
import { checkOptions, checkOwnFormat, loose, type Take } from './misuse-checks.ts';

const OF_AI_SDK: Readonly<Record<string, Take>> = {
  'compactingMiddleware of the AI SDK': (options) => loose(compactingMiddleware)(options),
  compactingPrepareStep: (options) => loose(compactingPrepareStep)(options),
  createCompactingProcessor: (options) => loose(createCompactingProcessor)(options),
};

checkOptions('createHistoryProcessor', (options) => loose(createHistoryProcessor)(options));
for (const [taker, take] of Object.entries(OF_AI_SDK)) {
  checkOptions(taker, take);
  checkOwnFormat(taker, take);
}
