// What a compaction did, in a few lines for people. `compact-explanation.ts` has the rest.

import { oneLine, plural } from '../contract/index.ts';
import type { Report, Threshold, Tier, TierReport } from '../history/index.ts';

/** What the report itself does not know. */
export interface ReportContext {
  readonly report: Report;
  /** How the format was known. */
  readonly formatBy: 'named' | 'found';
  /** Where the window comes from. */
  readonly windowFrom: string;
  /** Compaction was forced, even below the trigger. */
  readonly forced: boolean;
  /** What the trigger is, in words. */
  readonly triggerFrom: string;
  /** Folder of the originals; null where none was named. */
  readonly archive: string | null;
  /** What the originals are in when there is no archive. */
  readonly source: string;
}

export const about = (tokens: number): string => `~${plural(tokens, 'token')}`;

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
export function tierWords({ tier, changed, saved }: TierReport, { summary }: Report): string {
  const what =
    tier === 'truncate' && changed !== 1 ? `${changed} results or messages` : plural(changed, WHAT[tier]);
  const did = tier === 'summarize' && summary?.by === 'model' ? 'replaced by a summary' : DID[tier];
  return `${what} ${did}, ${about(saved)} saved`;
}

/** Where the trigger of `report` comes from; `fixed` are the tokens of instructions and tools. */
export function triggerWords({ trigger, window, target }: Report, { at }: Threshold, fixed: number): string {
  if (at <= 1 && Math.floor(at * window) === trigger) return `${Math.round(at * 100)} % of the window`;
  // Estimates are fractions of tokens: one to each side.
  if (at > 1 && Math.abs(at + fixed - trigger) <= 1)
    return `${plural(at, 'token')} of history${fixed > 0 ? ', beside instructions and tools' : ''}`;
  return trigger === target
    ? 'the target named'
    : 'what the window leaves beside the reserve for the answer and the margin';
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
