// Histories kept beside rivals, as rows for the table of all benchmarks: one for each recorded set and rival.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const SCRIPT = fileURLToPath(new URL('history.mjs', import.meta.url));
const shown = ({ edit, lines, taxed }) =>
  `${[
    ['edit', edit],
    ['lines', lines],
  ]
    .map(([name, share]) => `${name} ${share === null ? '-' : `${(100 * share).toFixed(1)} %`}`)
    .join(', ')}, cost with reading again ${Math.round(taxed)}`;

/** Rows of the table of all benchmarks; none where LECTERN_CORPUS names no conversations. */
export async function historyRows({ dist, progress }) {
  if (process.env.LECTERN_CORPUS === undefined) {
    progress('history: LECTERN_CORPUS is not set');
    return [];
  }
  const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT, '--json', '--dist', dist], {
    maxBuffer: 16_777_216,
  });
  return JSON.parse(stdout).flatMap(({ file, rows, against }) =>
    against.map(({ rival, better, cheaperBy }) => ({
      work: `${file}: ${rival}`,
      lectern: shown(rows.find(({ name }) => name === 'lectern, lectern')),
      rival: shown(rows.find(({ name }) => name === rival)),
      figure: `${(1 - cheaperBy).toFixed(2)} of the cost`,
      target: 'none cheaper at equal or better edit',
      met: !better,
    })),
  );
}
