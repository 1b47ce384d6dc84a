// The official client of the first SDK against a real server process.

import { expect, onTestFinished, test } from 'vitest';
import { checkClient } from '../../mcp/client-checks.ts';
import { secondClient, temporaryFolder, textOf } from '../../mcp/session.ts';
import { firstClient } from './first-session.ts';

checkClient({ name: 'the client of the first SDK', connect: firstClient, pages: 3 });

test('finds what the client of the second SDK stored', async () => {
  const data = temporaryFolder();
  onTestFinished(() => data.remove());
  const args = ['--data-dir', data.path, '--user', 'ann', '--session', 's1'];
  const second = await secondClient(args, false);
  expect((await second.call('write_file', { path: 'a/b.txt', content: 'kept\n' })).isError).toBeFalsy();
  await second.close();
  const first = await firstClient(args);
  expect(textOf(await first.call('read_file', { path: '/workspace/a/b.txt' }))).toContain('kept');
  await first.close();
  const other = await firstClient([...args.slice(0, -1), 's2']);
  expect((await other.call('read_file', { path: 'a/b.txt' })).isError).toBe(true);
  await other.close();
});
