import { expect, it } from 'vitest';
import { createReader } from '../../src/index.ts';

it('refuses a whole that one answer cannot hold', async () => {
  const reader = createReader({ environment: {}, limits: { maxAnswerBytes: 20_000 } });
  const read = (characters: number) =>
    reader.read({ bytes: Buffer.from('x'.repeat(characters)), name: 'a.txt' }, { all: true });
  expect(await read(10_000)).toMatchObject({ success: true, truncation: null });
  expect(await read(10_001)).toMatchObject({ success: false, error: { code: 'LIMIT_EXCEEDED' } });
});
