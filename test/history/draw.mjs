// `npm run histories`: checks the invariants of compaction on many random conversations, in all formats.
// The test suite runs a few of the same; this runs more, with its own seed, which it prints.

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const HELP = `Usage: npm run histories -- [options]

  --conversations N  drawn over all formats and properties (default 100000)
  --seed N           to draw the same again (default: by chance)
  --format NAME      one format alone
`;
/** Formats, and properties per format: four use the full number of conversations, one a third. */
const FORMATS = 11;
const PROPERTIES = 4 + 1 / 3;

const { values } = parseArgs({
  options: {
    conversations: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    format: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help || !(Number(values.conversations) > 0)) {
  console.log(HELP);
  process.exit(values.help ? 0 : 2);
}
const formats = values.format === undefined ? FORMATS : 1;
const runs = Math.ceil(Number(values.conversations) / (formats * PROPERTIES));
console.log(`${runs} conversations for each property and format, seed ${values.seed}`);
const only = values.format === undefined ? [] : ['-t', `^${values.format} `];
spawn(
  process.execPath,
  [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--config',
    '.config/vitest.config.ts',
    '--mode',
    'all',
    'test/history/invariants.test.ts',
    ...only,
  ],
  {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    stdio: 'inherit',
    env: { ...process.env, HISTORY_RUNS: String(runs), HISTORY_SEED: values.seed },
  },
).on('exit', (code) => process.exit(code ?? 1));
