// Explains a compaction for people: every tier, every message, every pointer.

import { oneLine, plural } from '../contract/index.ts';
import type { MessageReason, Policy, Reason, Report, Tier, Why } from '../history/index.ts';
import { about, type ReportContext, tierWords } from './compact-report.ts';

const TIERS: readonly Tier[] = ['offload', 'truncate', 'mask', 'pointers', 'drop'];

function idleWords(tier: Tier, policy: Policy, { report, forced, archive }: ReportContext): string {
  if (policy[tier] === false) return `off in the preset ${report.preset}`;
  if (tier === 'offload' && archive === null) return 'off without `--archive`';
  if (report.action === 'kept') return 'not run';
  return forced || report.before.tokens > report.trigger || tier === 'offload' || tier === 'truncate'
    ? 'nothing to do'
    : `not needed below ${about(report.trigger)}`;
}

/** Lists tiers, messages, pointers and repairs, and says when the next compaction runs. */
export function explanationOf(context: ReportContext, policy: Policy): string {
  const { report } = context;
  const lines = ['Tiers, in order:'];
  for (const tier of TIERS) {
    const did = report.tiers.find((one) => one.tier === tier);
    lines.push(`  ${tier.padEnd(9)}  ${did ? tierWords(did, report) : idleWords(tier, policy, context)}`);
  }
  lines.push('', 'Messages, with tokens before and after:', ...messageLines(report.reasons ?? []));
  if (report.summary)
    lines.push(
      '',
      `${SUMMARY[report.summary.by]}, for ${plural(report.summary.messages, 'message')}, ${about(report.summary.tokens)}`,
    );
  lines.push('', context.archive === null ? 'Pointers: none without `--archive`' : 'Pointers:');
  if (context.archive !== null)
    lines.push(...(report.pointers.length > 0 ? pointerLines(report.pointers) : ['  none']));
  lines.push('', 'Repairs:');
  for (const { kind, callId, message } of report.repairs)
    lines.push(
      `  ${kind} in message ${message + 1}${callId === null ? '' : `, call ${oneLine(callId.slice(0, 100))}`}`,
    );
  if (report.repairs.length === 0) lines.push('  none');
  lines.push('', nextWords(context));
  return `${lines.join('\n')}\n`;
}

const TIER_WORDS: Readonly<Record<Tier | 'repair', string>> = {
  offload: 'saved to a file, with a preview',
  truncate: 'cut',
  mask: 'masked',
  pointers: 'content replaced by a pointer',
  drop: 'left out',
  repair: 'repaired, a provider would reject it',
};

const WHY: Readonly<Record<Why, string>> = {
  instructions: 'instructions',
  goal: 'goal: the first user message',
  'newest-user': 'newest user message',
  'newest-turn': 'newest turn',
  'open-call': 'call without a result yet',
  pinned: 'pinned',
  recent: 'among the newest',
  needed: 'a later turn continues its signed reasoning',
  'in-work': 'file being edited',
  used: 'a later call used its file',
  unused: 'no later call used it',
  unimportant: 'less important than what was kept',
  shortened: 'shortened by the caller',
  oldest: 'among the oldest',
  middle: 'between the first and the last results',
};

/** One line for each original message. */
function messageLines(reasons: readonly MessageReason[]): string[] {
  const width = String(reasons.length).length;
  return reasons.map(({ message, role, before, after, fate, tier, reason }) => {
    const did = tier === null ? '' : `${TIER_WORDS[tier]}${reason ? ': ' : ''}`;
    const why = reason ? whyWords(reason) : fate === 'stays' ? 'it fits' : '';
    const unlucky =
      fate !== 'stays' && (reason?.why === 'in-work' || reason?.why === 'used') ? ', does not fit' : '';
    return `  ${String(message + 1).padStart(width)}  ${role.padEnd(9)}  ${before} -> ${after}  ${did}${why}${unlucky}`;
  });
}

function whyWords({ why, file, message }: Reason): string {
  const named = file === undefined ? '' : ` ${oneLine(file)}`;
  const where = message === undefined ? '' : ` in message ${message + 1}`;
  return `${WHY[why]}${where}${named}`;
}

const SUMMARY: Readonly<Record<NonNullable<Report['summary']>['by'], string>> = {
  model: 'Summary: written by a model',
  digest: 'Digest: extracted without a model',
  cut: 'Digest: both ends of the text',
};

/** One per line; consecutive pointers into one file become a range. */
function pointerLines(pointers: readonly string[]): string[] {
  const ranges: { file: string; from: number; to: number }[] = [];
  for (const pointer of pointers) {
    const at = pointer.lastIndexOf('#');
    const number = at < 0 ? Number.NaN : Number(pointer.slice(at + 1));
    const file = Number.isSafeInteger(number) ? pointer.slice(0, at) : pointer;
    const last = ranges.at(-1);
    if (last?.file === file && last.to + 1 === number) last.to = number;
    else ranges.push({ file, from: number, to: number });
  }
  return ranges.map(({ file, from, to }) => {
    if (Number.isNaN(from)) return `  ${file}`;
    return from === to ? `  ${file}#${from}` : `  ${file}#${from} to #${to}`;
  });
}

function nextWords({ report: { after, trigger }, triggerFrom, forced }: ReportContext): string {
  if (forced) return 'Next: run it without `--force` to see when it is next compacted.';
  const left = trigger - after.tokens;
  return left >= 0
    ? `Next: compacted again above ${about(trigger)} (${triggerFrom}); ${about(left)} left until then.`
    : `Next: at every call, because it is ${about(-left)} above ${about(trigger)}.`;
}
