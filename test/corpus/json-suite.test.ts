// JSONTestSuite: what must be accepted reads as JSON, what must be refused is no JSON with the place of the error, and
// nothing else than that happens to the rest.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { json } from '../../processors/structured/json.ts';
import { NotThisFormat, ReaderError } from '../../src/contract/index.ts';
import { memorySource, run } from '../support/context.ts';

const corpus = process.env['LECTERN_CORPUS'] ?? '';

describe.runIf(corpus !== '')('JSONTestSuite', () => {
  const folder = join(corpus, 'json', 'JSONTestSuite');
  const names = corpus === '' ? [] : readdirSync(folder).filter((name) => name.endsWith('.json'));

  test('is all there', () => {
    expect(names.filter((name) => name.startsWith('y_')).length).toBe(95);
    expect(names.filter((name) => name.startsWith('n_')).length).toBe(188);
    expect(names.filter((name) => name.startsWith('i_')).length).toBe(35);
  });

  test.each(names)('reads %s without a fault', async (name) => {
    const bytes = readFileSync(join(folder, name));
    const reading = run(json, memorySource(bytes, name)).then(
      (outcome) => outcome,
      (error: unknown) => error,
    );
    const outcome = await reading;
    if (name.startsWith('y_')) {
      expect(outcome).not.toBeInstanceOf(Error);
      expect(outcome).toMatchObject({ text: bytes.toString('utf8') });
    } else if (name.startsWith('n_')) {
      expect(outcome).toBeInstanceOf(NotThisFormat);
      expect((outcome as NotThisFormat).warning).toMatchObject({
        code: 'INVALID_SYNTAX',
        message: expect.stringMatching(/^Not valid JSON: .+ at line \d+, column \d+ \(byte \d+\)\.$/),
      });
    } else if (outcome instanceof Error)
      expect(outcome instanceof NotThisFormat || outcome instanceof ReaderError).toBe(true);
  });
});
