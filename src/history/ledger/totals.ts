// What a compactor has done so far, in figures: counted report by report, told as statistics. Plain JSON of the state.

import type { HistoryStats, Report } from '../report.ts';
import type { Sums } from './state.ts';

export const NO_SUMS: Sums = {
  calls: 0,
  compactions: 0,
  saved: {},
  summaries: 0,
  refusedSummaries: 0,
  repairs: 0,
};

/** With what a report tells; the call itself is counted where it begins. */
export function countReport(sums: Sums, { action, tiers, summary, repairs }: Report): Sums {
  const saved = { ...sums.saved };
  for (const { tier, saved: tokens } of tiers) saved[tier] = (saved[tier] ?? 0) + tokens;
  const isRefused = summary !== null && summary.attempts > 0 && summary.refused !== null;
  return {
    calls: sums.calls,
    compactions: sums.compactions + (action === 'compacted' && tiers.length > 0 ? 1 : 0),
    saved,
    summaries: sums.summaries + (summary?.by === 'model' ? 1 : 0),
    refusedSummaries: sums.refusedSummaries + (isRefused ? 1 : 0),
    repairs: sums.repairs + repairs.length,
  };
}

export function statsOf(sums: Sums, calibration: number): HistoryStats {
  let totalSaved = 0;
  for (const tokens of Object.values(sums.saved)) totalSaved += tokens;
  return { ...sums, totalSaved, calibration };
}
