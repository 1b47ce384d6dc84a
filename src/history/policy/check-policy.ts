// A policy as a caller gives it, checked: known names, fractions of the window, whole numbers.

import { checkOptions, type OptionNames, quoted, ReaderError } from '../../contract/index.ts';
import type { Policy } from './policy.ts';

const POLICY_NAMES: OptionNames<Policy> = {
  offload: true,
  truncate: true,
  mask: true,
  pointers: true,
  drop: true,
  leaves: true,
  summarize: true,
  over: true,
  lowWater: true,
  margin: true,
  keepRecent: true,
  maxHistoryTokens: true,
  maxMessages: true,
};

function share(what: string, value: number, most: number): void {
  if (typeof value === 'number' && value >= 0 && value <= most) return;
  throw new ReaderError(
    'BAD_INPUT',
    `\`policy.${what}\` is ${quoted(String(value))}; expected a fraction of the window, 0 to ${most}.`,
    'Give 0.5 for half of the window.',
  );
}

function count(what: string, value: number, least: number): void {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least) return;
  throw new ReaderError(
    'BAD_INPUT',
    `\`policy.${what}\` is ${quoted(String(value))}; expected a whole number from ${least}.`,
    "Leave it out for the preset's own.",
  );
}

/** @throws {ReaderError} BAD_INPUT for a value that is none */
export function checkPolicy(policy: Policy): void {
  const { offload, truncate, mask, pointers, drop, summarize } = policy;
  if (offload) {
    count('offload.over', offload.over, 1);
    count('offload.lines', offload.lines, 0);
  }
  if (truncate) count('truncate.over', truncate.over, 1);
  if (truncate && truncate.keep !== 'head' && truncate.keep !== 'tail' && truncate.keep !== 'both')
    throw new ReaderError(
      'BAD_INPUT',
      `\`policy.truncate.keep\` is ${quoted(String(truncate.keep))}; expected \`head\`, \`tail\` or \`both\`.`,
      'Use `both` to keep both ends.',
    );
  for (const [tier, of] of Object.entries({ offload, truncate }))
    if (of && of.unlessFits !== undefined && typeof of.unlessFits !== 'boolean')
      throw new ReaderError(
        'BAD_INPUT',
        `\`policy.${tier}.unlessFits\` is ${quoted(String(of.unlessFits))}; expected \`true\` or \`false\`.`,
        'Leave it out to judge every result by its length.',
      );
  if (mask) {
    share('mask.at', mask.at, 1);
    share('mask.atLeast', mask.atLeast, 1);
    count('mask.keepFirst', mask.keepFirst, 0);
    count('mask.keepLast', mask.keepLast, 0);
  }
  if (pointers) {
    share('pointers.at', pointers.at, 1);
    count('pointers.preview', pointers.preview ?? 0, 0);
    count('pointers.results', pointers.results ?? 0, 0);
  }
  if (drop) {
    share('drop.at', drop.at, 1);
    share('drop.digest', drop.digest, 1);
  }
  if (summarize) {
    share('summarize.at', summarize.at, 1);
    share('summarize.digest', summarize.digest, 1);
    if (summarize.without !== undefined && summarize.without !== 'digest' && summarize.without !== 'ends')
      throw new ReaderError(
        'BAD_INPUT',
        `\`policy.summarize.without\` is ${quoted(String(summarize.without))}; expected \`digest\` or \`ends\`.`,
        'Leave it out to extract facts.',
      );
  }
  if (policy.leaves !== 'oldest' && policy.leaves !== 'unused')
    throw new ReaderError(
      'BAD_INPUT',
      `\`policy.leaves\` is ${quoted(String(policy.leaves))}; expected \`oldest\` or \`unused\`.`,
      "Leave it out for the preset's own.",
    );
  if (policy.over !== null) count('over', policy.over, 1);
  if (typeof policy.lowWater === 'number') share('lowWater', policy.lowWater, 1);
  else count('lowWater.tokens', policy.lowWater?.tokens, 1);
  share('margin', policy.margin, 0.5);
  share('keepRecent', policy.keepRecent, 1);
  count('maxHistoryTokens', policy.maxHistoryTokens, 0);
  if (policy.maxMessages !== 'window') count('maxMessages', policy.maxMessages, 0);
}

/** @throws {ReaderError} BAD_INPUT for an unknown name; `what` names the options */
export function checkPolicyNames(what: string, policy: Partial<Policy> | undefined): void {
  checkOptions(what, policy, POLICY_NAMES);
}
