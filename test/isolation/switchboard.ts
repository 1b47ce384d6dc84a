// Where mock documents call from their process (`call SOCKET`), so that a test acts at that moment and on that process.

import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A process that waits in its document. */
export interface Call {
  readonly pid: number;
  /** Lets it continue. */
  answer(): void;
  /** Resolves when the process has ended. */
  readonly gone: Promise<void>;
}

export interface Switchboard {
  /** The step that calls here. */
  readonly step: string;
  readonly first: Promise<Call>;
  close(): Promise<void>;
}

export async function switchboard(onCall: (call: Call) => void = () => undefined): Promise<Switchboard> {
  const folder = mkdtempSync(join(tmpdir(), 'calls-'));
  const path = join(folder, 'socket');
  const open = new Set<Socket>();
  let called: (call: Call) => void = () => undefined;
  const first = new Promise<Call>((resolve) => {
    called = resolve;
  });
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket);
    const gone = new Promise<void>((resolve) => {
      socket.on('end', resolve).on('close', resolve);
    });
    socket.on('close', () => open.delete(socket)).on('error', () => undefined);
    socket.once('data', (bytes) => {
      const call = { pid: Number(bytes.toString()), answer: () => socket.end(), gone };
      called(call);
      onCall(call);
    });
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return {
    step: `call ${path}`,
    first,
    close: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true });
    },
  };
}
