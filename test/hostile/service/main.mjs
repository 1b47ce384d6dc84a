// `npm run hostile -- --service`: hostile clients and files against one service, as a table of case, outcome, time and peak memory
// of the service. Exits 1 when a case does not end as it must.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SERVICE_CASES } from './cases.mjs';
import { fileCases } from './files.mjs';
import { runServiceCases } from './table.mjs';

/** Gives the number of cases that missed. */
export async function serviceTable({ only = '', dist, files, full }) {
  const dataDir = mkdtempSync(join(tmpdir(), 'lectern-hostile-service-'));
  const { createTokenCounter } = await import(pathToFileURL(join(dist, 'src/index.js')).href);
  const counter = createTokenCounter();
  const count = (text) => counter.count(text);
  const clients = SERVICE_CASES.filter(({ name }) => name.includes(only));
  const uploads = fileCases(files, { root: join(dataDir, 'made'), full, count });
  let missed = 0;
  async function* all() {
    yield* runServiceCases(uploads, { dataDir, dist, limits: { maxUploadBytes: 2 ** 30 } });
    yield* runServiceCases(clients, { dataDir, dist });
  }
  console.log('| case | outcome | seconds | peak MB | |\n|---|---|---|---|---|');
  try {
    for await (const { name, outcome, faults, seconds, peak } of all()) {
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
  console.log(`\n${uploads.length} files, ${clients.length} clients, ${missed} missed.`);
  return missed;
}

const visible = (text) => text.replace(/[\p{Cc}\p{Cf}|]/gu, '·');
