import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { hasEnded, thisHolder } from '../../../src/service/jobs/holder.ts';

test('a running process has not ended', () => {
  expect(thisHolder()).toMatch(/^[0-9a-f]{8}-\d+-\d+-\d+$/);
  expect(hasEnded(thisHolder())).toBe(false);
});

test('a process has ended if its pid is free, was reused, or is from an earlier boot', async () => {
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'close');
  const [boot, namespace, pid, started] = thisHolder().split('-');
  expect(hasEnded(`${boot}-${namespace}-${child.pid}-${started}`)).toBe(true);
  expect(hasEnded(`${boot}-${namespace}-${pid}-1`)).toBe(true);
  expect(hasEnded(`00000000-${namespace}-${pid}-${started}`)).toBe(true);
});

test('the state of a process in another container, or with another kind of name, is unknown', () => {
  const [boot, , pid] = thisHolder().split('-');
  expect(hasEnded(`${boot}-1-${pid}-1`)).toBe(false);
  expect(hasEnded('unknown-1-1')).toBe(false);
  expect(hasEnded('')).toBe(false);
});
