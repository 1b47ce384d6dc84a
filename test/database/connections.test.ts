import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../src/service/database.ts';

/** A message of PostgreSQL: its type, then the length of the rest, which counts itself. */
function message(type: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
}

const AUTHENTICATED = message('R', Buffer.alloc(4));
const READY = message('Z', Buffer.from('I'));
const SHUTTING_DOWN = message(
  'E',
  Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0'),
);

// An event that no one listened to would end the process.
test('a server that stops in the moment it accepts a connection is reported', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(Buffer.concat([AUTHENTICATED, READY, SHUTTING_DOWN])));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
  });
  const { port } = server.address() as AddressInfo; // it listens on a port
  await expect(
    openDatabase('', { url: `postgres://ada@127.0.0.1:${port}/files`, busyTimeoutMs: 200 }),
  ).rejects.toMatchObject({ code: 'BUSY', message: 'The database of the service cannot be reached.' });
});
