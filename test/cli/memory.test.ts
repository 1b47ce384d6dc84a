// `lectern plan` and `lectern recall`: what people see of an agent's state.

import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openPlan } from '../../src/plan/index.ts';
import { lectern } from '../support/command-line.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lectern-memory-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('lectern plan', () => {
  it('shows a plan, also while an agent has it open, and changes nothing', async () => {
    const plan = await openPlan({ storage: folder, goal: 'Ship mathx' });
    await plan.add([{ title: 'Build', subtasks: ['Compile', 'Link'] }]);
    await plan.fail('no compiler');
    const call = { tool: 'run', args: {}, result: 'no compiler' };
    for (let count = 0; count < 3; count += 1) await plan.observe(call);
    const before = await readdir(folder);
    const { status, out, err } = await lectern(['plan', 'show', '--context-dir', folder]);
    expect({ status, err }).toEqual({ status: 0, err: '' });
    expect(out).toMatchInlineSnapshot(`
      "Goal: Ship mathx (in_progress)
      [>] 1 Build
        [>] 1.1 Compile (1 failure: no compiler)
        [ ] 1.2 Link
      Loops:
      - repetition of run, 3 rounds
      "
    `);
    const json = await lectern(['plan', 'show', '--json', '--context-dir', folder]);
    expect(JSON.parse(json.out)).toMatchObject({ revision: 6, tree: { goal: 'Ship mathx' } });
    expect(await readdir(folder)).toEqual(before);
    await plan.close();
  });

  it('refuses what it cannot show', async () => {
    const none = await lectern(['plan', 'show', '--context-dir', folder]);
    expect(none.err).toContain(`FILE_NOT_FOUND: The folder \`${folder}\` contains no plan.`);
    expect((await lectern(['plan', 'edit'])).err).toContain('BAD_INPUT');
    await writeFile(join(folder, 'state.json'), 'x');
    const damaged = await lectern(['plan', 'show', '--context-dir', folder]);
    expect(damaged.err).toContain('CORRUPT_FILE: The file `state.json` of the plan is damaged.');
    expect(await readdir(folder)).toEqual(['state.json']);
  });
});

describe('lectern recall', () => {
  it('adds files of any format and finds passages in them', async () => {
    const added = await lectern(['recall', 'add', 'fixtures/tabular/orders.csv', '--context-dir', folder]);
    expect(added).toEqual({ status: 0, out: 'Added 1 document.\n', err: '' });
    const found = await lectern(['recall', 'search', 'customer', '--limit', '1', '--context-dir', folder]);
    expect(found.out).toMatch(
      /^==> document fixtures\/tabular\/orders\.csv, [\da-f]{24} from line 1 <==\nid,customer,/,
    );
    const json = await lectern(['recall', 'search', 'customer', '--json', '--context-dir', folder]);
    expect(JSON.parse(json.out)[0]).toMatchObject({
      kind: 'document',
      source: 'fixtures/tabular/orders.csv',
      line: 1,
    });
    const none = await lectern(['recall', 'search', 'pelican', '--kind', 'result', '--context-dir', folder]);
    expect(none.out).toBe('No matches.\n');
  });

  it.each([
    [['recall'], /No action given/],
    [['recall', 'search'], /`lectern recall search` requires a search term/],
    [['recall', 'search', 'x', '--kind', 'odd'], /`--kind` is `odd`/],
    [['recall', 'search', 'x', '--limit', '0'], /`--limit` is `0`/],
    [['recall', 'add', 'no-such-file'], /FILE_NOT_FOUND/],
  ])('refuses %j', async (words, expected) => {
    const { status, err } = await lectern([...words, '--context-dir', folder]);
    expect(status).not.toBe(0);
    expect(err).toMatch(expected);
  });

  it('makes no archive to search in, nor for a file that cannot be read', async () => {
    const none = join(folder, 'none');
    const { err } = await lectern(['recall', 'search', 'x', '--context-dir', none]);
    expect(err).toContain(`The archive folder \`${none}\` does not exist.`);
    expect((await lectern(['recall', 'add', 'no-such-file', '--context-dir', none])).status).toBe(3);
    expect(await readdir(folder)).toEqual([]);
  });
});
