// `npm run hostile -- --service`: hostile clients against one service, as a table of case, outcome, time and peak memory
// of the service. Exits 1 when a case does not end as it must.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SERVICE_CASES } from './cases.mjs';
import { runServiceCases } from './table.mjs';

/** Gives the number of cases that missed. */
export async function serviceTable({ only = '', dist } = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), 'lectern-hostile-service-'));
  const cases = SERVICE_CASES.filter(({ name }) => name.includes(only));
  let missed = 0;
  console.log('| case | outcome | seconds | peak MB | |\n|---|---|---|---|---|');
  try {
    for await (const { name, outcome, faults, seconds, peak } of runServiceCases(cases, { dataDir, dist })) {
      if (faults.length > 0) missed += 1;
      const cells = [
        visible(name),
        visible(outcome.slice(0, 120)),
        seconds.toFixed(2),
        peak === 0 ? '' : String(Math.round(peak / 1e6)),
        faults.length > 0 ? `MISSED: ${visible(faults.join('; '))}` : '',
      ];
      console.log(`| ${cells.join(' | ')} |`);
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
  console.log(`\n${cases.length} cases, ${missed} missed.`);
  return missed;
}

const visible = (text) => text.replace(/[\p{Cc}\p{Cf}|]/gu, '·');
