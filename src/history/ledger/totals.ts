// Totals of a compactor's work, added up from its reports and exposed as statistics. Stored as plain JSON in the state.

import type { HistoryStats, Report } from '../report.ts';
import type { Totals } from './state.ts';

export const NO_TOTALS: Totals = {
  calls: 0,
  compactions: 0,
  saved: {},
  summaries: 0,
  refusedSummaries: 0,
  repairs: 0,
};

/** Adds a report. The call itself is counted when it starts. */
export function countReport(totals: Totals, { action, tiers, summary, repairs }: Report): Totals {
  const saved = { ...totals.saved };
  for (const { tier, saved: tokens } of tiers) saved[tier] = (saved[tier] ?? 0) + tokens;
  const isRefused = summary !== null && summary.attempts > 0 && summary.refused !== null;
  return {
    calls: totals.calls,
    compactions: totals.compactions + (action === 'compacted' && tiers.length > 0 ? 1 : 0),
    saved,
    summaries: totals.summaries + (summary?.by === 'model' ? 1 : 0),
    refusedSummaries: totals.refusedSummaries + (isRefused ? 1 : 0),
    repairs: totals.repairs + repairs.length,
  };
}

export function statsOf(totals: Totals, calibration: number): HistoryStats {
  let totalSaved = 0;
  for (const tokens of Object.values(totals.saved)) totalSaved += tokens;
  return { ...totals, totalSaved, calibration };
}
