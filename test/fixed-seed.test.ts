import fc from 'fast-check';
import { expect, it } from 'vitest';

it.runIf(process.env['FC_SEED'] !== 'random')('draws the same values in every run', () => {
  const values = fc.integer();
  const seed = Number(process.env['FC_SEED'] ?? 1);
  expect(fc.sample(values)).toEqual(fc.sample(values, { seed }));
  expect(fc.sample(values)).not.toEqual(fc.sample(values, { seed: seed + 1 }));
});
