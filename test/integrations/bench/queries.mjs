// Prints what hostile SQL ends in, and what joins of many rows cost: outcome, time, peak memory of the child process.
//
// Run after `npm run build` and `npm ci --prefix test/integrations --ignore-scripts`:
//   node test/integrations/bench/queries.mjs [--rows 10000000]

import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createReader } from '../../../dist/src/index.js';
import { createQueryEngine } from '../../../dist/src/query/index.js';
import { attacks } from '../query/attacks.mjs';

const { values } = parseArgs({ options: { rows: { type: 'string', default: '10000000' } } });
const ROWS = Number(values.rows);
const CUSTOMERS = Math.max(1, Math.floor(ROWS / 10));
const WATCH_MS = 20;

const folder = mkdtempSync(join(tmpdir(), 'queries-'));
const reader = createReader({ cache: false });

/** A CSV file of `rows` lines. */
function table(name, header, rows, line) {
  const path = join(folder, name);
  const file = openSync(path, 'w');
  let text = `${header}\n`;
  for (let row = 0; row < rows; row += 1) {
    text += `${line(row)}\n`;
    if (text.length > 4_000_000) {
      writeSync(file, text);
      text = '';
    }
  }
  writeSync(file, text);
  closeSync(file);
  return path;
}

/** Peak memory in megabytes of the child processes seen while `work` runs. */
async function watched(work) {
  let peak = 0;
  const look = () => {
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
      try {
        const status = readFileSync(`/proc/${pid}/status`, 'latin1');
        if (!status.includes(`\nPPid:\t${process.pid}\n`)) continue;
        peak = Math.max(peak, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
      } catch {
        // It has just ended.
      }
  };
  const timer = setInterval(look, WATCH_MS);
  try {
    return { outcome: await work(), peak: () => peak };
  } finally {
    clearInterval(timer);
  }
}

async function row(engine, name, sql, files) {
  const started = performance.now();
  const { outcome, peak } = await watched(async () => {
    try {
      const rows = await engine.run({ sql, files, reader });
      await rows.close();
      return { text: `${rows.facts.rows} rows`, rows: rows.facts.rows };
    } catch (error) {
      return { text: `${error.code}: ${error.message}`, code: error.code };
    }
  });
  const seconds = ((performance.now() - started) / 1000).toFixed(2);
  process.stdout.write(
    `| ${name} | ${outcome.text.replaceAll('|', '\\|').slice(0, 110)} | ${seconds} s | ${Math.round(peak())} MB |\n`,
  );
  return outcome;
}

const head = (title) =>
  process.stdout.write(`\n| ${title} | outcome | time | peak memory |\n|---|---|---|---|\n`);

let failed = 0;
try {
  const orders = table('orders.csv', 'id,customer,amount', 1000, (n) => `${n},${n % 10},${n / 4}`);
  const strict = createQueryEngine({
    from: join(import.meta.dirname, '..'),
    limits: { maxQueryMilliseconds: 5000 },
  });
  head('attack');
  for (const { name, sql, codes, rows } of attacks()) {
    const outcome = await row(strict, name, sql, [orders]);
    const expected = codes.length > 0 ? codes.includes(outcome.code) : outcome.rows === rows;
    if (!expected) {
      failed += 1;
      process.stdout.write(`| | expected ${codes.join(' or ') || `${rows} rows`} | | |\n`);
    }
  }
  await strict.close();
  const engine = createQueryEngine({
    from: join(import.meta.dirname, '..'),
    limits: { maxQueryMilliseconds: 300_000 },
  });
  const large = [
    table(
      'large.csv',
      'id,customer,amount,note',
      ROWS,
      (n) => `${n},${(n * 7919) % CUSTOMERS},${((n * 13) % 10000) / 100},n${n % 97}`,
    ),
    table('customers.csv', 'id,city', CUSTOMERS, (n) => `${n},c${n % 1000}`),
  ];
  head(`${ROWS} rows`);
  await row(engine, 'count and sum', 'SELECT count(*), sum(amount) FROM large', large);
  await row(
    engine,
    `join with ${CUSTOMERS} rows, group, sort`,
    'SELECT c.city, count(*) AS n, sum(l.amount) AS s FROM large l JOIN customers c ON c.id = l.customer GROUP BY 1 ORDER BY 3 DESC, 1',
    large,
  );
  await row(engine, `join with ${ROWS} rows`, 'SELECT count(*) FROM large a JOIN large b USING (id)', large);
  await row(engine, 'one row', 'SELECT id FROM large WHERE id = 77', large);
  await engine.close();
} finally {
  rmSync(folder, { recursive: true });
}
process.exitCode = failed === 0 ? 0 : 1;
