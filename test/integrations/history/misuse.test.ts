// Invalid arguments from untyped callers: rejected immediately, with the name of the called function.

import { compactingMiddleware } from '../../../src/history/integrations/langchain.ts';
import {
  compactingInputFilter,
  compactingModel,
  compactingSession,
} from '../../../src/history/integrations/openai-agents/index.ts';
import { checkOptions, checkOwnFormat, loose, type Take } from '../../history/integrations/misuse-checks.ts';

const TAKERS: Readonly<Record<string, Take>> = {
  'compactingMiddleware of LangChain': (options) => loose(compactingMiddleware)(options),
  compactingInputFilter: (options) => loose(compactingInputFilter)(options),
  compactingModel: (options) => loose(compactingModel)({}, options),
  compactingSession: (options) => loose(compactingSession)({}, options),
};

for (const [taker, take] of Object.entries(TAKERS)) {
  checkOptions(taker, take);
  checkOwnFormat(taker, take);
}
