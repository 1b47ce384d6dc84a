// What a compaction did, in words for people: a few lines always, and every tier, message and pointer with `--explain`.

import { oneLine, plural } from '../contract/index.ts';
import type { Compacted, Policy, Report, Tier, TierReport } from '../history/index.ts';

/** What the report itself does not know. */
export interface ReportContext {
  readonly report: Report;
  /** How the format was known. */
  readonly formatBy: 'named' | 'found';
  /** Where the window comes from. */
  readonly windowFrom: string;
  /** It was demanded, whatever the trigger. */
  readonly forced: boolean;
  /** What the trigger is, in words. */
  readonly triggerFrom: string;
  /** Folder of the originals; null where none was named. */
  readonly archive: string | null;
  /** What the originals are in when there is no archive. */
  readonly source: string;
}

const about = (tokens: number): string => `~${plural(tokens, 'token')}`;

const WHAT: Readonly<Record<Tier, string>> = {
  offload: 'result',
  truncate: 'result or message',
  mask: 'result',
  pointers: 'argument',
  drop: 'turn',
  summarize: 'turn',
};
const DID: Readonly<Record<Tier, string>> = {
  offload: 'moved to files',
  truncate: 'cut',
  mask: 'replaced by a line',
  pointers: 'replaced by what was written where',
  drop: 'left out',
  summarize: 'replaced by a digest',
};

/** Changed and saved by one tier. Only what a model wrote is a summary. */
function tierWords({ tier, changed, saved }: TierReport, { summary }: Report): string {
  const what =
    tier === 'truncate' && changed !== 1 ? `${changed} results or messages` : plural(changed, WHAT[tier]);
  const did = tier === 'summarize' && summary?.by === 'model' ? 'replaced by a summary' : DID[tier];
  return `${what} ${did}, ${about(saved)} saved`;
}

/** Where the trigger of `report` comes from; `fixed` are the tokens of instructions and tools. */
export function triggerWords(
  { trigger, window }: Report,
  policy: Policy,
  fixed: number,
  target: number | null,
): string {
  if (trigger === target) return 'the target named';
  const shares = [policy.mask, policy.pointers, policy.drop, policy.summarize].flatMap((tier) =>
    tier && tier.at > 0 ? [tier.at] : [],
  );
  const share = shares.find((at) => Math.floor(at * window) === trigger);
  if (share !== undefined) return `${Math.round(share * 100)} % of the window`;
  // Estimates are fractions of tokens: one to each side.
  if (policy.over !== null && Math.abs(policy.over + fixed - trigger) <= 1)
    return `${plural(policy.over, 'token')} of history${fixed > 0 ? ', beside instructions and tools' : ''}`;
  return 'what the window leaves beside the reserve for the answer and the margin';
}

/** The report in a few lines, each ended. */
export function summaryOf({
  report,
  formatBy,
  windowFrom,
  triggerFrom,
  forced,
  archive,
  source,
}: ReportContext): string {
  const { action, before, after, tiers, repairs, trigger, target } = report;
  const lines = [
    `format ${report.codec} (${formatBy === 'named' ? 'as named' : 'found by the messages'}), preset ${report.preset}, window ${plural(report.window, 'token')} (${windowFrom})`,
    `before: ${plural(before.messages, 'message')}, ${about(before.tokens)}`,
    `after: ${plural(after.messages, 'message')}, ${about(after.tokens)}`,
  ];
  if (action === 'none')
    lines.push(
      `nothing to do: ${forced ? `it is below ${about(target)} already` : `it is compacted above ${about(trigger)} (${triggerFrom})`}`,
    );
  else if (action === 'compacted')
    lines.push(
      `compacted ${forced ? 'on demand' : `above ${about(trigger)} (${triggerFrom})`}, target ${about(target)}`,
    );
  else lines.push('nothing was replaced');
  for (const tier of tiers) lines.push(`${tier.tier}: ${tierWords(tier, report)}`);
  if (repairs.length > 0)
    lines.push(`put right: ${plural(repairs.length, 'message')} a provider would refuse`);
  if (action === 'compacted')
    lines.push(
      archive === null
        ? `originals: in ${source} alone, and placeholders name no file; \`--archive DIR\` keeps them as files`
        : `originals: in ${oneLine(archive)}, ${plural(report.pointers.length, 'pointer')}`,
    );
  return `${lines.join('\n')}\n`;
}

/** What of a conversation came back, by what it is. */
export interface Stayed {
  readonly what: string;
  readonly messages: number;
  readonly tokens: number;
  readonly why: string;
}

const TIERS: readonly Tier[] = ['offload', 'truncate', 'mask', 'pointers', 'drop', 'summarize'];

function idleWords(tier: Tier, policy: Policy, { report, forced, archive }: ReportContext): string {
  if (policy[tier] === false) return `off in the preset ${report.preset}`;
  if (tier === 'offload' && archive === null) return 'off without `--archive`';
  if (tier === 'summarize') return 'off: the command line has no model';
  if (report.action === 'kept') return 'not carried out';
  return forced || report.before.tokens > report.trigger || tier === 'offload' || tier === 'truncate'
    ? 'nothing it could act on, or no need of it'
    : `not needed below ${about(report.trigger)}`;
}

/** Tier by tier, what stayed and why, pointers, repairs, and what comes next. */
export function explanationOf(context: ReportContext, policy: Policy, stayed: readonly Stayed[]): string {
  const { report } = context;
  const lines = ['Tiers, in the order they act:'];
  for (const tier of TIERS) {
    const did = report.tiers.find((one) => one.tier === tier);
    lines.push(`  ${tier.padEnd(9)}  ${did ? tierWords(did, report) : idleWords(tier, policy, context)}`);
  }
  lines.push('', 'What is in the list now:');
  for (const { what, messages, tokens, why } of stayed)
    if (messages > 0) lines.push(`  ${what}: ${plural(messages, 'message')}, ${about(tokens)} (${why})`);
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

const SUMMARY: Readonly<Record<NonNullable<Report['summary']>['by'], string>> = {
  model: 'Summary: written by a model',
  digest: 'Digest: extracted without a model',
  cut: 'Digest: both ends of what was said',
};

/** One to a line; those of one file that follow each other as a range. */
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
  if (forced) return 'Next: run it without `--force` to see when it is compacted again.';
  const left = trigger - after.tokens;
  return left >= 0
    ? `Next: compacted again above ${about(trigger)} (${triggerFrom}), which leaves room for ${about(left)}.`
    : `Next: at every call, for it is ${about(-left)} above ${about(trigger)}.`;
}

/** What the messages of `compacted` are, `came` being those of the file. */
export function stayedOf(
  { messages }: Compacted<unknown>,
  came: readonly unknown[],
  {
    kindOf,
    tokensOf,
  }: { kindOf(message: unknown): 'system' | 'user' | 'other'; tokensOf(message: unknown): number },
  keepRecent: number,
): Stayed[] {
  const own = new Set(came);
  const sums = {
    system: { messages: 0, tokens: 0 },
    user: { messages: 0, tokens: 0 },
    other: { messages: 0, tokens: 0 },
    changed: { messages: 0, tokens: 0 },
  };
  for (const message of messages) {
    const sum = sums[own.has(message) ? kindOf(message) : 'changed'];
    sum.messages += 1;
    sum.tokens += tokensOf(message);
  }
  const recent =
    keepRecent > 0
      ? `the newest stay, up to the smaller of ${Math.round(keepRecent * 100)} % of the window and half of the low-water mark; `
      : '';
  return [
    { what: 'instructions, as they came', ...sums.system, why: 'never touched' },
    {
      what: 'of the user, as they came',
      ...sums.user,
      why: 'the first and the newest always stay; others had no need to go',
    },
    { what: 'answers and results, as they came', ...sums.other, why: `${recent}others had no need to go` },
    { what: 'written anew', ...sums.changed, why: 'placeholders, notices, and messages that hold them' },
  ];
}
