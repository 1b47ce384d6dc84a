// The official client against a real server process. That of the first SDK is tested in test/integrations.

import { expect, onTestFinished, test } from 'vitest';
import { checkClient, folder } from './client-checks.ts';
import { secondClient, temporaryFolder, textOf } from './session.ts';

checkClient({
  name: 'the client of the second SDK, with a handshake',
  connect: (args) => secondClient(args, false),
  pages: 1,
});
checkClient({
  name: 'the client of the second SDK, without one',
  connect: (args) => secondClient(args, true),
  pages: 1,
});

test('a server that is read-only has no tool that writes', async () => {
  const session = await secondClient(['--root', folder.path, '--read-only'], false);
  const tools = await session.tools();
  expect(tools.map(({ name }) => name)).not.toContain('write_file');
  expect(tools.every(({ annotations }) => annotations?.['readOnlyHint'] === true)).toBe(true);
  expect(session.instructions).not.toContain('save_result');
  await expect(session.call('write_file', { path: 'a', content: 'x' })).rejects.toThrow('Unknown tool');
  await session.close();
});

test('a stored workspace is served by its user and session, and keeps what is written', async () => {
  const data = temporaryFolder();
  onTestFinished(() => data.remove());
  const args = ['--data-dir', data.path, '--user', 'ann', '--session', 's1'];
  const first = await secondClient(args, false);
  expect((await first.call('write_file', { path: 'a/b.txt', content: 'kept\n' })).isError).toBeFalsy();
  await first.close();
  const again = await secondClient(args, true);
  expect(textOf(await again.call('read_file', { path: '/workspace/a/b.txt' }))).toContain('kept');
  await again.close();
  const other = await secondClient([...args.slice(0, -1), 's2'], true);
  expect((await other.call('read_file', { path: 'a/b.txt' })).isError).toBe(true);
  await other.close();
});
