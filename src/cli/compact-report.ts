// Summarises a compaction in a few lines for people. `compact-explanation.ts` prints the details.

import { oneLine, plural } from '../contract/index.ts';
import type { Report, Threshold, Tier, TierReport } from '../history/index.ts';

/** Facts that the report itself does not contain. */
export interface ReportContext {
  readonly report: Report;
  /** Whether the format was given or detected. */
  readonly formatBy: 'named' | 'found';
  /** Source of the window. */
  readonly windowFrom: string;
  /** Compaction was forced, even below the trigger. */
  readonly forced: boolean;
  /** Description of the trigger. */
  readonly triggerFrom: string;
  /** Folder of the originals; null if none was given. */
  readonly archive: string | null;
  /** Where the originals are if there is no archive. */
  readonly source: string;
}

const about = (tokens: number): string => `~${plural(tokens, 'token')}`;

const WHAT: Readonly<Record<Tier, string>> = {
  offload: 'result',
  truncate: 'result or message',
  mask: 'result',
  pointers: 'argument',
  drop: 'turn',
};
const DID: Readonly<Record<Exclude<Tier, 'drop'>, string>> = {
  offload: 'moved to files',
  truncate: 'cut',
  mask: 'replaced by one line',
  pointers: 'replaced by a note of the file written',
};

/** Changes and savings of one tier. Only a text written by a model is called a summary. */
function tierWords({ tier, changed, saved }: TierReport, { summary }: Report): string {
  const what =
    tier === 'truncate' && changed !== 1 ? `${changed} results or messages` : plural(changed, WHAT[tier]);
  const text =
    summary === null ? 'left out' : `replaced by a ${summary.by === 'model' ? 'summary' : 'digest'}`;
  const did = tier === 'drop' ? text : DID[tier];
  return `${what} ${did}, ${about(saved)} saved`;
}

/** Describes the trigger of `report`; `fixed` is the token count of instructions and tools. */
export function triggerWords({ trigger, window, target }: Report, { at }: Threshold, fixed: number): string {
  if (at <= 1 && Math.floor(at * window) === trigger) return `${Math.round(at * 100)} % of the window`;
  // Estimates are fractional, so allow one token of rounding.
  if (at > 1 && Math.abs(at + fixed - trigger) <= 1)
    return `${plural(at, 'token')} of history${fixed > 0 ? ', plus instructions and tools' : ''}`;
  return trigger === target ? 'the given target' : 'the window minus the answer reserve and the margin';
}

/** The report in a few lines, with line breaks. */
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
    `format ${report.codec} (${formatBy === 'named' ? 'as given' : 'detected'}), preset ${report.preset}, window ${plural(report.window, 'token')} (${windowFrom})`,
    `before: ${plural(before.messages, 'message')}, ${about(before.tokens)}`,
    `after: ${plural(after.messages, 'message')}, ${about(after.tokens)}`,
  ];
  if (action === 'none')
    lines.push(
      `nothing to do: ${forced ? `already below ${about(target)}` : `compacts above ${about(trigger)} (${triggerFrom})`}`,
    );
  else if (action === 'compacted')
    lines.push(
      `compacted ${forced ? 'on demand' : `above ${about(trigger)} (${triggerFrom})`}, target ${about(target)}`,
    );
  else lines.push('nothing was replaced');
  for (const tier of tiers) lines.push(`${tier.tier}: ${tierWords(tier, report)}`);
  if (repairs.length > 0)
    lines.push(`repaired: ${plural(repairs.length, 'message')} that a provider would reject`);
  if (action === 'compacted')
    lines.push(
      archive === null
        ? `originals: only in ${source}; \`--archive DIR\` keeps them as files that placeholders point to`
        : `originals: in ${oneLine(archive)}, ${plural(report.pointers.length, 'pointer')}`,
    );
  return `${lines.join('\n')}\n`;
}
