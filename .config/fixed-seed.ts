// Run before every test file: properties draw the same values each time, on every machine, so that a run says the same
// twice. `FC_SEED=<n>` looks elsewhere, `FC_SEED=random` anywhere (a failure then names its seed). A test that passes a
// seed of its own keeps it.

import fc from 'fast-check';
import { draws } from '../test/support/draws.ts';

const wanted: string = process.env['FC_SEED'] ?? '1';
if (wanted !== 'random') {
  const seed = Number(wanted);
  // fast-check takes the seed as a 32-bit integer.
  if (wanted.trim() === '' || seed !== (seed | 0))
    throw new Error(`FC_SEED is \`${wanted}\`; it takes a 32-bit integer, or \`random\``);
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
}

// fast-check draws 100 where a property does not say how many.
fc.configureGlobal({ ...fc.readConfigureGlobal(), numRuns: draws(100) });
