import { describe, expect, it, vi } from 'vitest';
import { createLoopGuard, type FinishedCall, type LoopGuard } from '../../src/plan/index.ts';

const call = (tool: string, args: unknown, result: string, failed = false): FinishedCall => ({
  tool,
  args,
  result,
  failed,
});
const read = (path: string, result = `content of ${path}`): FinishedCall =>
  call('read_file', { path }, result);
const test = (result: string, failed = true): FinishedCall =>
  call('run', { command: 'pytest -q' }, result, failed);
const edit = (from: string, to: string): FinishedCall =>
  call('edit_file', { path: 'app.py', old: from, new: to }, 'Edited app.py');

function warnings(guard: LoopGuard, calls: readonly FinishedCall[]): (string | undefined)[] {
  return calls.map((one) => guard.observe(one)?.loop.kind);
}

describe('a loop guard', () => {
  it('warns of the third equal call with an equal result, and not of changing results', () => {
    const same = [read('a.py'), read('a.py'), read('a.py')];
    expect(warnings(createLoopGuard(), same)).toEqual([undefined, undefined, 'repetition']);
    const changing = ['1', '2', '3', '4'].map((result) => read('a.py', result));
    expect(warnings(createLoopGuard(), changing)).toEqual([undefined, undefined, undefined, undefined]);
  });

  it.each([2, 3, 4])('finds rounds of %i calls the second time round', (period) => {
    const round = Array.from({ length: period }, (_, at) => read(`${at}.py`));
    const found = warnings(createLoopGuard(), [...round, ...round, ...round]);
    expect(found.indexOf('alternation')).toBe(2 * period - 1);
    expect(found.filter(Boolean)).toHaveLength(2);
  });

  it('takes calls of waiting tools, and calls after growing pauses, for waiting', () => {
    const poll = call('job_output', { id: 1 }, 'running');
    const named = createLoopGuard({ waits: ['job_output'], block: true });
    expect(
      warnings(
        named,
        Array.from({ length: 20 }, () => poll),
      ).filter(Boolean),
    ).toEqual([]);
    expect(warnings(named, [read('a'), poll, read('a'), poll, read('a')]).at(-1)).toBe('repetition');
    vi.useFakeTimers();
    const polled = (pauses: readonly number[]): (string | undefined)[] => {
      const guard = createLoopGuard();
      return [0, ...pauses].map((pause) => {
        vi.advanceTimersByTime(pause * 1000);
        return guard.observe(poll)?.loop.kind;
      });
    };
    expect(polled([1, 2, 4, 8, 16, 32]).filter(Boolean)).toEqual([]);
    expect(polled([5, 5, 5])[2]).toBe('repetition');
    expect(polled([1, 2, 4, 4]).at(-1)).toBe('repetition');
    vi.useRealTimers();
  });

  it('warns of a next page with a constant answer, and does not refuse it', () => {
    for (const tool of ['next_page', 'browser_next', 'scroll', 'loadMore']) {
      const guard = createLoopGuard({ block: true });
      const page = call(tool, {}, 'No more rows.');
      expect(warnings(guard, [page, page, page]).at(-1)).toBe('repetition');
      expect(guard.check(page).allowed).toBe(true);
    }
    const guard = createLoopGuard({ block: true });
    const at = (page: number): FinishedCall => call('list', { page }, 'No rows.');
    expect(warnings(guard, [at(1), at(2), at(3)]).at(-1)).toBe('near_repetition');
    expect([guard.check(at(4)).allowed, guard.check(at(3)).allowed]).toEqual([true, false]);
  });

  it('takes edit and test with changing results for progress', () => {
    const guard = createLoopGuard();
    const steps = ['5 failed', '4 failed', '2 failed', '1 failed', '5 passed'].flatMap((result, at) => [
      edit(`v${at}`, `v${at + 1}`),
      test(result),
    ]);
    expect(warnings(guard, steps).filter(Boolean)).toEqual([]);
  });

  it('tells when the same failure comes back whatever is done in between, and never refuses it', () => {
    const guard = createLoopGuard({ block: true });
    const steps = [1, 2, 3].flatMap((at) => [
      edit(`v${at}`, `v${at + 1}`),
      test('ImportError: mathx in 0.31s'),
    ]);
    expect(warnings(guard, steps).at(-1)).toBe('repeated_failure');
    expect(guard.check(test('')).allowed).toBe(true);
  });

  it('sees through durations, times and addresses in results', () => {
    const guard = createLoopGuard();
    const steps = [
      '1 failed in 0.12s at 2026-01-01T10:00:00Z',
      '1 failed in 0.98s at 2026-01-01T10:00:05Z',
      '1 failed in 12 ms at 2026-01-01T10:01:00Z',
    ].map((result) => test(result, false));
    expect(warnings(guard, steps).at(-1)).toBe('repetition');
  });

  it('sees near repeats: the same target, trivially different arguments, the same result', () => {
    const guard = createLoopGuard();
    const steps = [
      call('search', { pattern: 'foo', path: './src', limit: 10 }, 'No matches.'),
      call('search', { path: 'src', pattern: 'foo ', limit: 20 }, 'No matches.'),
      call('search', { pattern: 'foo', path: 'src', limit: 30, all: true }, 'No matches.'),
    ];
    expect(warnings(guard, steps)).toEqual([undefined, undefined, undefined]);
    expect(
      warnings(guard, [
        call('search', { pattern: 'bar', limit: 10 }, 'No matches.'),
        call('search', { pattern: 'bar ', limit: 20 }, 'No matches.'),
        call('search', { pattern: ' bar', limit: 30 }, 'No matches.'),
      ]),
    ).toEqual([undefined, undefined, 'near_repetition']);
  });

  it('sees a file that is written again and again with small changes, and not one that is written anew', () => {
    const write = (lines: readonly string[]): FinishedCall =>
      call('write_file', { path: 'a.py', content: lines.join('\n') }, 'Written.');
    const lines = Array.from({ length: 30 }, (_, at) => `line ${at} of the file`);
    const varied = [3, 11, 19, 27, 8].map((at) => write(lines.with(at, `try ${at}`)));
    const guard = createLoopGuard({ block: true });
    expect(warnings(guard, varied)).toContain('near_repetition');
    // Another variation may be the right one; one that was tried is not.
    expect(guard.check(write(lines.with(1, 'try 1'))).allowed).toBe(true);
    expect(guard.check(varied.at(-1) ?? read('x')).allowed).toBe(false);
    const anew = [1, 2, 3, 4, 5].map((at) => write(lines.map((line) => `${line} in version ${at}`)));
    expect(warnings(createLoopGuard(), anew).filter(Boolean)).toEqual([]);
  });

  it('tells of twelve calls in which nothing was new', () => {
    const guard = createLoopGuard();
    const calls = ['a', 'b', 'c', 'd', 'e'].map((name) => read(name));
    const order = [0, 1, 2, 3, 4, 0, 2, 1, 4, 3, 0, 3, 1, 2, 4, 1, 3];
    const found = warnings(
      guard,
      order.flatMap((at) => calls[at] ?? []),
    );
    expect(found.filter(Boolean)).toEqual(['circling']);
    expect(found.at(-1)).toBe('circling');
  });

  it('refuses by option only the call that continues the loop, until something changed', () => {
    const guard = createLoopGuard({ block: true });
    for (const one of [read('a'), read('b'), read('a'), read('b')]) guard.observe(one);
    expect(guard.check(read('a')).allowed).toBe(false);
    expect(guard.check(read('b')).allowed).toBe(true);
    for (const name of ['c', 'd', 'e', 'f']) expect(guard.check(read(name)).allowed).toBe(true);
    guard.observe(edit('x', 'y'));
    expect(guard.check(read('a')).allowed).toBe(true);
    expect(guard.loops()).toMatchObject([{ kind: 'alternation', refused: 1 }]);
  });

  it('goes on from its state', () => {
    const first = createLoopGuard();
    first.observe(read('a'));
    first.observe(read('a'));
    const state = JSON.parse(JSON.stringify(first.state()));
    const second = createLoopGuard({ state, block: true });
    expect(second.observe(read('a'))?.loop).toMatchObject({ kind: 'repetition', rounds: 3, at: 3 });
    const third = createLoopGuard({ state: JSON.parse(JSON.stringify(second.state())), block: true });
    expect(third.check(read('a')).allowed).toBe(false);
    expect(third.loops()).toEqual(second.loops().map((loop) => ({ ...loop, refused: 1 })));
  });

  it('says what is wrong with a damaged state', () => {
    expect(() => createLoopGuard({ state: JSON.parse('{"version":1}') })).toThrow(/state .* damaged/);
  });

  it('takes any arguments and results', () => {
    const guard = createLoopGuard();
    const cyclic: Record<string, unknown> = {};
    cyclic['self'] = cyclic;
    for (const value of [cyclic, 10n, undefined, () => 1, Symbol('x'), '{"a":', 'x'.repeat(5_000_000)])
      guard.observe({ tool: 't', args: value, result: value });
    expect(guard.state().observed).toBe(7);
  });

  it('compares objects by what a model reads of them', () => {
    const made: Record<string, (at: number) => unknown> = {
      URL: (at) => new URL(`http://host/${at}`),
      Map: (at) => new Map([['a', at]]),
      Error: (at) => new Error(`e${at}x`),
      bytes: (at) => new Uint8Array(300_000).fill(at),
    };
    for (const make of Object.values(made)) {
      const guard = createLoopGuard();
      for (let at = 0; at < 5; at += 1)
        expect(guard.observe({ tool: 't', args: {}, result: { value: make(at) } })).toBeUndefined();
      guard.observe({ tool: 't', args: {}, result: { value: make(4) } });
      expect(guard.observe({ tool: 't', args: {}, result: { value: make(4) } })).toBeDefined();
    }
  });

  it('takes objects that contain themselves or cannot be read', () => {
    const circle: Record<string, unknown> = {};
    for (const name of ['a', 'b', 'c']) circle[name] = circle;
    const broken = {
      get field(): never {
        throw new Error('unreadable');
      },
    };
    const guard = createLoopGuard();
    for (const result of [circle, broken])
      expect(guard.observe({ tool: 't', args: {}, result })).toBeUndefined();
  });

  it.each([
    (at: number) => `done in 1m3${at}s`,
    (at: number) => `2026/11/2${at} 10:00 ready`,
    (at: number) => `{"timestamp":173245601${at}123,"ok":false}`,
    (at: number) => `elapsed: 12${at}, nothing to do`,
    (at: number) => `changed ${at + 2} days ago`,
  ])('sees through %s', (result) => {
    const guard = createLoopGuard();
    const warnings = [0, 1, 2].map((at) => guard.observe({ tool: 't', args: {}, result: result(at) }));
    expect(warnings.map(Boolean)).toEqual([false, false, true]);
  });

  it('counts the calls of a circle, not the tools', () => {
    const guard = createLoopGuard();
    const order = [0, 1, 2, 3, 4, 5, 2, 4, 0, 5, 3, 1, 4, 2, 1, 5, 0, 3];
    const warnings = order.map((at) =>
      guard.observe({ tool: 'read_file', args: { path: `f${at}` }, result: `r${at}` }),
    );
    expect(warnings.at(-1)?.message).toContain('the last 12 calls (`read_file`) were all made before');
  });
});
