// A policy as a caller gives it, checked: known names, fractions of the window, whole numbers.

import { checkOptions, type OptionNames, quoted, ReaderError } from '../../contract/index.ts';
import type { Cut, Policy } from './policy.ts';

const POLICY_NAMES: OptionNames<Policy> = {
  offload: true,
  truncate: true,
  mask: true,
  accounts: true,
  repeats: true,
  pointers: true,
  drop: true,
  summarize: true,
  leaves: true,
  keepRecent: true,
  earlier: true,
  messages: true,
  margin: true,
  reserve: true,
};

const LEAVES: readonly Policy['leaves'][] = ['oldest', 'unused', 'unimportant'];
const CUTS: readonly Cut[] = ['head', 'tail', 'both', 'ends'];

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
  for (const [tier, of] of Object.entries({ mask, pointers, drop, summarize }))
    if (of && of.at !== undefined && of.at <= 1) share(`${tier}.at`, of.at, 1);
    else if (of && of.at !== undefined) count(`${tier}.at`, of.at, 1);
  if (offload) {
    count('offload.over', offload.over, 1);
    count('offload.lines', offload.lines, 0);
  }
  if (truncate) count('truncate.over', truncate.over, 1);
  if (truncate && !CUTS.includes(truncate.keep))
    throw new ReaderError(
      'BAD_INPUT',
      `\`policy.truncate.keep\` is ${quoted(String(truncate.keep))}; expected ${CUTS.map((cut) => `\`${cut}\``).join(', ')}.`,
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
    share('mask.atLeast', mask.atLeast ?? 0, 1);
    count('mask.keepFirst', mask.keepFirst, 0);
    count('mask.keepLast', mask.keepLast, 0);
  }
  if (pointers) {
    count('pointers.preview', pointers.preview ?? 0, 0);
    count('pointers.results', pointers.results ?? 0, 0);
  }
  if (drop) share('drop.digest', drop.digest, 1);
  if (summarize) {
    share('summarize.digest', summarize.digest, 1);
    count('summarize.keep', summarize.keep ?? 0, 0);
    if (summarize.without !== undefined && summarize.without !== 'digest' && summarize.without !== 'ends')
      throw new ReaderError(
        'BAD_INPUT',
        `\`policy.summarize.without\` is ${quoted(String(summarize.without))}; expected \`digest\` or \`ends\`.`,
        'Leave it out to extract facts.',
      );
  }
  if (!LEAVES.includes(policy.leaves))
    throw new ReaderError(
      'BAD_INPUT',
      `\`policy.leaves\` is ${quoted(String(policy.leaves))}; expected ${LEAVES.map((first) => `\`${first}\``).join(', ')}.`,
      "Leave it out for the preset's own.",
    );
  for (const name of ['accounts', 'repeats'] as const)
    if (typeof policy[name] !== 'boolean')
      throw new ReaderError(
        'BAD_INPUT',
        `\`policy.${name}\` is ${quoted(String(policy[name]))}; expected \`true\` or \`false\`.`,
        "Leave it out for the preset's own.",
      );
  share('margin', policy.margin, 0.5);
  share('keepRecent', policy.keepRecent, 1);
  for (const bound of ['earlier', 'messages'] as const) {
    const of = policy[bound];
    if (!of) continue;
    count(`${bound}.at`, of.at, 1);
    count(`${bound}.to`, of.to, 0);
  }
  if (policy.reserve !== undefined) count('reserve', policy.reserve, 0);
}

/** @throws {ReaderError} BAD_INPUT for an unknown name; `what` names the options */
export function checkPolicyNames(what: string, policy: Partial<Policy> | undefined): void {
  checkOptions(what, policy, POLICY_NAMES);
}
