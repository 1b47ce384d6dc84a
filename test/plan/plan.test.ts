import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPlanMemory, openPlan } from '../../src/plan/index.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lectern-plan-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const TASKS = [
  { title: 'Create the package', subtasks: ['Write __init__.py', 'Write add()'] },
  { title: 'Test it', subtasks: ['Write tests', 'Run ruff'] },
  'Publish',
];

describe('a plan', () => {
  it('walks from step to step and completes', async () => {
    const plan = await openPlan({ storage: createPlanMemory(), goal: 'Create mathx' });
    await plan.add(TASKS);
    expect(plan.tree.current).toBe('1.1');
    await plan.complete();
    expect(plan.tree).toMatchObject({ current: '1.2', tasks: [{ status: 'in_progress' }, {}, {}] });
    await plan.complete();
    await plan.complete('2');
    expect(plan.tree).toMatchObject({ current: '3.1', tasks: [{}, { status: 'completed' }, {}] });
    await plan.complete();
    expect(plan.tree.status).toBe('completed');
    expect(plan.tree.current).toBeUndefined();
  });

  it('blocks a step that failed twice and escalates to its task, and from there to the goal', async () => {
    const plan = await openPlan({ storage: createPlanMemory(), goal: 'Create mathx' });
    await plan.add([{ title: 'Build', subtasks: ['Compile', 'Link'] }]);
    await plan.fail('cc is not installed');
    expect(plan.tree).toMatchObject({ current: '1.1', status: 'in_progress' });
    await plan.fail('gcc is not installed either');
    expect(plan.tree.tasks[0]).toMatchObject({
      status: 'in_progress',
      escalation: '1.1 Compile: gcc is not installed either',
      subtasks: [{ status: 'blocked', failures: 2 }, { status: 'in_progress' }],
    });
    await plan.fail('no objects');
    await plan.fail('no objects');
    expect(plan.tree).toMatchObject({ status: 'blocked', escalation: 'task 1 (Build) is blocked' });
    expect(plan.compactContext()).toContain('Needs a decision: task 1 (Build) is blocked');
    await plan.start('1.1');
    expect(plan.tree).toMatchObject({ current: '1.1', status: 'in_progress' });
  });

  it('gives the compact context within its bound, the goal always', async () => {
    const plan = await openPlan({
      storage: createPlanMemory(),
      goal: 'Create mathx',
      probes: {
        'tests pass': () => false,
        files: async () => 3,
        broken: () => {
          throw new Error('no such folder');
        },
      },
    });
    await plan.add(TASKS);
    await plan.ask('Which licence?');
    await plan.probe();
    for (const path of ['a.py', 'b.py', 'c.py', 'd.py'])
      await plan.observe({ tool: 'write_file', args: { path, content: 'x' }, result: 'Written.' });
    await plan.fail("ImportError: No module named 'mathx'");
    expect(plan.compactContext()).toMatchInlineSnapshot(`
      "Goal: Create mathx
      Status: in_progress, 0 of 5 steps completed
      Task: 1 Create the package
      Now: 1.1 Write __init__.py
      Last failure (1 failure so far): ImportError: No module named 'mathx'
      Last actions:
      - write_file b.py: Written.
      - write_file c.py: Written.
      - write_file d.py: Written.
      Next: 1.2 Write add()
      Open questions:
      - q1: Which licence?
      State:
      - tests pass: false
      - files: 3
      - broken: failed: no such folder
      "
    `);
    const short = plan.compactContext({ maxChars: 200 });
    expect(short.length).toBeLessThanOrEqual(200);
    for (const wanted of ['Goal: Create mathx', 'Now: 1.1', 'Next: 1.2']) expect(short).toContain(wanted);
    await plan.answer('q1', 'MIT');
    expect(plan.compactContext()).not.toContain('licence');
  });

  it('refuses what it cannot do, with a next step', async () => {
    const plan = await openPlan({ storage: createPlanMemory() });
    await expect(plan.complete()).rejects.toMatchObject({ code: 'BAD_INPUT', hint: /Add tasks/ });
    await expect(plan.setGoal('  ')).rejects.toThrow('The goal is empty.');
    await plan.add(['One']);
    await expect(plan.start('7')).rejects.toMatchObject({ hint: 'The ids are 1, 1.1.' });
    await expect(plan.advance()).rejects.toThrow('No other step of the plan is pending.');
    await expect(plan.answer('q9', 'x')).rejects.toThrow('There is no question `q9`');
    expect(plan.revision).toBe(1);
  });

  it('does not complete the goal while a step that failed is open', async () => {
    const plan = await openPlan({ storage: createPlanMemory(), goal: 'x' });
    await plan.add([{ title: 'A', subtasks: ['a', 'b'] }]);
    await plan.fail('not yet', '1.2');
    expect(plan.tree.tasks[0]?.subtasks).toMatchObject([{ status: 'in_progress' }, { status: 'pending' }]);
    await plan.complete();
    expect(plan.tree).toMatchObject({ status: 'in_progress', current: '1.2' });
  });

  it('takes the id of a task for its step in progress, else a pending one', async () => {
    const plan = await openPlan({ storage: createPlanMemory(), goal: 'x' });
    await plan.add([{ title: 'A', subtasks: ['a', 'b', 'c'] }, 'B']);
    await plan.escalate('stuck');
    await plan.start('2');
    await plan.start('1');
    expect(plan.tree.current).toBe('1.2');
    await plan.complete('1');
    await expect(plan.start('1')).rejects.toThrow('Every step of task `1` is completed.');
  });

  it('keeps the last 100 questions, and refuses more only while all are open', async () => {
    const plan = await openPlan({ storage: createPlanMemory() });
    for (let at = 1; at <= 100; at += 1) await plan.ask(`question ${at}`);
    await expect(plan.ask('one more')).rejects.toMatchObject({ hint: /`answer`/ });
    await plan.answer('q7', 'yes');
    await plan.ask('one more');
    expect(plan.tree.questions).toHaveLength(100);
    expect(plan.tree.questions.at(-1)).toEqual({ id: 'q101', text: 'one more' });
  });

  it.each([0, 1, 2, 50, 300.5])('keeps the compact context within %d characters', async (maxChars) => {
    const plan = await openPlan({ storage: createPlanMemory(), goal: 'long '.repeat(300) });
    await plan.add(['a\u001b[2J\u202e']);
    expect(plan.compactContext({ maxChars }).length).toBeLessThanOrEqual(maxChars);
    expect(plan.compactContext({ maxChars: 1500 })).not.toMatch(/\p{Cc}\[|\p{Cf}/u);
    for (const wrong of [-1, Number.NaN])
      expect(() => plan.compactContext({ maxChars: wrong })).toThrow(/`maxChars` is/);
  });

  it('records what a probe cannot answer', async () => {
    const probes = {
      nothing: () => JSON.parse('null'),
      object: () => JSON.parse('{"a":1}'),
      list: () => JSON.parse('[]'),
      number: () => Number.NaN,
      never: () => new Promise<boolean>(() => undefined),
      thrown: () => {
        throw Object.create(null);
      },
    };
    const plan = await openPlan({ storage: createPlanMemory(), probes });
    const state = await plan.probe(AbortSignal.timeout(50));
    expect(Object.keys(state)).toEqual(Object.keys(probes));
    for (const value of Object.values(state)) expect(value).toMatch(/^failed: /);
  });

  it('lets a refused call run again when the world changed, also after a restart', async () => {
    const plan = await openPlan({ storage: folder, block: true });
    const call = { tool: 'run', args: {}, result: 'same' };
    for (let at = 0; at < 3; at += 1) await plan.observe(call);
    expect(plan.check(call).allowed).toBe(false);
    await plan.worldChanged();
    expect(plan.check(call).allowed).toBe(true);
    await plan.close();
    const again = await openPlan({ storage: folder, block: true });
    expect(again.check(call).allowed).toBe(true);
    await again.close();
  });

  it('says what is wrong with tasks', async () => {
    const plan = await openPlan({ storage: createPlanMemory() });
    for (const tasks of ['"abc"', '[null]', '[{"title":"a","subtasks":"b"}]'])
      await expect(plan.add(JSON.parse(tasks))).rejects.toMatchObject({ code: 'BAD_INPUT' });
  });

  it('is there again after a crash, with counters and loops', async () => {
    const plan = await openPlan({ storage: folder, goal: 'Create mathx' });
    await plan.add(TASKS);
    const call = { tool: 'read_file', args: { path: 'a.py' }, result: 'same' };
    await plan.observe(call);
    await plan.observe(call);
    const before = plan.tree;
    await plan.close();
    const again = await openPlan({ storage: folder, goal: 'Another goal', block: true });
    expect(again.tree).toEqual(before);
    expect(again.revision).toBe(4);
    expect((await again.observe(call))?.loop.kind).toBe('repetition');
    expect(again.check(call).allowed).toBe(false);
    await again.close();
    expect((await readdir(folder)).sort()).toEqual(['history.jsonl', 'loops.json', 'state.json']);
  });

  it('replays what the snapshot lacks, and what a crash tore is the one before', async () => {
    const plan = await openPlan({ storage: folder, goal: 'Create mathx' });
    await plan.add(['One', 'Two']);
    const old = await readFile(join(folder, 'state.json'));
    await plan.complete();
    const expected = plan.tree;
    await plan.close();
    await writeFile(join(folder, 'state.json'), old);
    const log = await readFile(join(folder, 'history.jsonl'), 'utf8');
    await writeFile(join(folder, 'history.jsonl'), `${log}{"revision":4,"at":"2026`);
    const again = await openPlan({ storage: folder });
    expect(again.tree).toEqual(expected);
    expect(again.damaged).toEqual([]);
    await again.complete();
    await again.close();
    await writeFile(join(folder, 'state.json'), old);
    const last = await openPlan({ storage: folder });
    expect(last.tree.status).toBe('completed');
    expect(last.revision).toBe(4);
    await last.close();
  });

  it('sets damaged files aside and never overwrites them', async () => {
    const plan = await openPlan({ storage: folder, goal: 'Create mathx' });
    await plan.add(['One', 'Two']);
    const expected = plan.tree;
    await plan.close();
    await writeFile(join(folder, 'state.json'), '{"version":1,"tree":');
    const again = await openPlan({ storage: folder });
    expect(again.damaged).toEqual(['state.json.damaged-1']);
    expect(again.tree).toEqual(expected);
    await again.close();
    expect(await readFile(join(folder, 'state.json.damaged-1'), 'utf8')).toBe('{"version":1,"tree":');
    // Both at once: what is left of the log counts.
    const [first] = (await readFile(join(folder, 'history.jsonl'), 'utf8')).split('\n');
    await writeFile(
      join(folder, 'history.jsonl'),
      `${first}\n{"revision":9,"change":{"type":"goal","text":"x"}}\n`,
    );
    await writeFile(join(folder, 'state.json'), 'x');
    const third = await openPlan({ storage: folder });
    expect(third.damaged).toEqual(['state.json.damaged-2', 'history.jsonl.damaged-1']);
    expect(third.tree).toMatchObject({ goal: 'Create mathx', tasks: [] });
    await third.add(['Three']);
    await third.close();
    expect((await openPlan({ storage: folder })).tree.tasks).toHaveLength(1);
  });

  it('is held by one process at a time, and a lock of a process that ended counts for nothing', async () => {
    const plan = await openPlan({ storage: folder, goal: 'x' });
    await expect(openPlan({ storage: folder })).rejects.toMatchObject({
      code: 'BUSY',
      message: new RegExp(`in use by process ${process.pid} `),
    });
    await plan.close();
    await expect(plan.add(['One'])).rejects.toThrow('The plan is closed.');
    // The number of this process, but of one that started at another time.
    const host = (await import('node:os')).hostname();
    await writeFile(join(folder, 'lock-old'), JSON.stringify({ pid: process.pid, host, started: '1' }));
    await (await openPlan({ storage: folder })).close();
    await writeFile(join(folder, 'lock-far'), JSON.stringify({ pid: 1, host: 'another host' }));
    await expect(openPlan({ storage: folder })).rejects.toMatchObject({ code: 'BUSY' });
  });
});
