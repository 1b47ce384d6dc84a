import { mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPlanDirectory, openPlan, readPlan } from '../../src/plan/index.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lectern-plan-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const at = (name: string): string => join(folder, name);
const TREE = { goal: 'g', status: 'in_progress', tasks: [], questions: [], probes: {} };
const GUARD = { version: 1, observed: 0, steps: [], seen: [], stale: 0, loops: [] };
const subtask = { id: '1.1', title: 't', status: 'pending', failures: 0, actions: [], actionCount: 0 };
const withSubtask = (one: unknown): object => ({
  tree: { ...TREE, tasks: [{ id: '1', title: 't', status: 'pending', subtasks: [one] }] },
});

describe('the files of a plan', () => {
  it.each<[string, object]>([
    ['a subtask that is null', withSubtask(null)],
    ['a subtask without actions', withSubtask({ ...subtask, actions: undefined })],
    ['a title that is a number', withSubtask({ ...subtask, title: 5 })],
    ['an unknown status', { tree: { ...TREE, status: 'odd' } }],
    ['a question that is null', { tree: { ...TREE, questions: [null] } }],
    ['a probe that is an object', { tree: { ...TREE, probes: { a: {} } } }],
    ['a number for an escalation', { tree: { ...TREE, escalation: 5 } }],
    ['a guard without fields', { guard: {} }],
    ['a step without a digest', { guard: { ...GUARD, steps: [{ tool: 'x' }] } }],
    ['a loop of no kind', { guard: { ...GUARD, loops: [{ kind: 'x', calls: [], tools: [] }] } }],
    ['a revision at the end of the integers', { revision: Number.MAX_SAFE_INTEGER }],
  ])('sets a snapshot with %s aside, and keeps the log', async (_, fields) => {
    const plan = await openPlan({ storage: folder, goal: 'kept' });
    await plan.close();
    const text = JSON.stringify({ version: 1, revision: 1, logBytes: 0, tree: TREE, ...fields });
    await writeFile(at('state.json'), text);
    await expect(readPlan(folder)).rejects.toMatchObject({ code: 'CORRUPT_FILE' });
    const again = await openPlan({ storage: folder });
    expect(again.damaged).toEqual(['state.json.damaged-1']);
    expect(again.compactContext()).toContain('Goal: kept');
    await again.add(['One']);
    await again.close();
    expect(await readFile(at('state.json.damaged-1'), 'utf8')).toBe(text);
  });

  it.each<[string, object]>([
    ['no action', { change: { type: 'action' } }],
    ['an action of numbers', { change: { type: 'action', action: { tool: 5 } } }],
    ['a damaged step', { change: { type: 'goal', text: 'x' }, step: {} }],
    ['probes that are objects', { change: { type: 'probes', probes: { a: {} }, differ: true } }],
  ])('sets a log with %s aside, and keeps the changes before', async (_, entry) => {
    const first = { revision: 1, at: '', change: { type: 'goal', text: 'kept' } };
    await writeFile(
      at('history.jsonl'),
      `${JSON.stringify(first)}\n${JSON.stringify({ revision: 2, ...entry })}\n`,
    );
    const plan = await openPlan({ storage: folder });
    expect(plan.damaged).toEqual(['history.jsonl.damaged-1']);
    expect(plan.compactContext()).toContain('Goal: kept');
    await plan.close();
  });

  it('loses nothing after the log was cut or removed', async () => {
    const call = { tool: 'read_file', args: { path: 'a' }, result: 'x' };
    for (const cut of [40, 0]) {
      const plan = await openPlan({ storage: folder, goal: 'g' });
      if (plan.tree.tasks.length === 0) await plan.add(['One']);
      await plan.close();
      const log = await readFile(at('history.jsonl'), 'utf8');
      if (cut === 0) await rm(at('history.jsonl'));
      else await writeFile(at('history.jsonl'), log.slice(0, -cut));
      const cutOpen = await openPlan({ storage: folder });
      expect(cutOpen.damaged).toEqual(cut === 0 ? [] : ['history.jsonl.damaged-1']);
      await cutOpen.observe(call);
      const { tree, revision } = cutOpen;
      // As after a crash: the action is only in the log.
      expect(await readPlan(folder)).toMatchObject({ tree, revision });
      await cutOpen.close();
    }
  });

  it('counts the change that was acknowledged, not one whose write failed after its line', async () => {
    const real = createPlanDirectory(folder);
    let full = false;
    const plan = await openPlan({
      storage: {
        ...real,
        append: async (name, text) => {
          const written = await real.append(name, full ? text.slice(0, -1) : text);
          if (full) throw new Error('disk full');
          return written;
        },
      },
      goal: 'g',
    });
    full = true;
    await expect(plan.add(['never acknowledged'])).rejects.toThrow('disk full');
    full = false;
    await plan.add(['acknowledged']);
    await writeFile(at('state.json'), '');
    await plan.close();
    await rm(at('state.json'));
    const again = await openPlan({ storage: folder });
    expect(again.tree.tasks.map(({ title }) => title)).toEqual(['acknowledged']);
    await again.close();
  });

  it.each(['state.json', 'history.jsonl', 'loops.json'])('refuses a link or a folder as %s', async (name) => {
    const outside = await mkdtemp(join(tmpdir(), 'lectern-plan-outside-'));
    const target = join(outside, 'precious');
    await writeFile(target, 'precious');
    await symlink(target, at(name));
    const refused = { code: 'NOT_A_FILE', message: `\`${name}\` is a link; expected a regular file.` };
    await expect(openPlan({ storage: folder, goal: 'g' })).rejects.toMatchObject(refused);
    expect(await readFile(target, 'utf8')).toBe('precious');
    await rm(at(name));
    await mkdir(at(name));
    await expect(openPlan({ storage: folder, goal: 'g' })).rejects.toMatchObject({ code: 'NOT_A_FILE' });
    await rm(at(name), { recursive: true });
    // Neither attempt kept the lock.
    expect((await readdir(folder)).filter((one) => one.startsWith('lock-'))).toEqual([]);
    await (await openPlan({ storage: folder, goal: 'g' })).close();
    await rm(outside, { recursive: true });
  });

  it('ignores folders and links among its locks and temporary files', async () => {
    await mkdir(at('lock-folder'));
    await mkdir(at('.folder.tmp'));
    await symlink('/dev/zero', at('lock-endless'));
    await (await openPlan({ storage: folder, goal: 'g' })).close();
  });

  it.each<[string, object, number]>([
    ['no process', { pid: 0, host: hostname() }, -600],
    ['all processes', { pid: -1, host: hostname() }, -600],
    ['a fraction', { pid: 1.5, host: hostname() }, -600],
    ['another host in the past', { pid: 1, host: 'another' }, -600],
    ['another host in the future', { pid: 1, host: 'another' }, 600],
  ])('takes over a lock of %s', async (_, holder, seconds) => {
    await writeFile(at('lock-a'), JSON.stringify(holder));
    const time = Date.now() / 1000 + seconds;
    await utimes(at('lock-a'), time, time);
    await (await openPlan({ storage: folder, goal: 'g' })).close();
  });

  it('says why a folder cannot be used', async () => {
    await writeFile(at('file'), '');
    for (const storage of [at('file'), join(at('file'), 'sub')]) {
      await expect(openPlan({ storage })).rejects.toMatchObject({ code: 'NOT_A_FOLDER' });
      await expect(readPlan(storage)).rejects.toMatchObject({ code: 'NOT_A_FOLDER' });
    }
  });
});
