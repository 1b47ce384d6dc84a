// Reads a request body chunk by chunk, with backpressure on the client. Stopping early keeps the connection open, so that
// a response can still be sent.

import type { IncomingMessage } from 'node:http';

export interface Incoming {
  /** The next chunk; undefined at the end of the body. @throws the error that ended the connection */
  next(): Promise<Uint8Array | undefined>;
  /** Bytes received so far, including buffered ones. */
  readonly received: number;
  /** True while the client is paused because the buffer is full. */
  readonly full: boolean;
  /** Makes the pending and every later `next` throw. */
  fail(error: Error): void;
  /** Discards the rest of the body. */
  stop(): void;
}

/** Buffered bytes at which the client is paused. */
const MAX_WAITING_BYTES = 256 * 1024;

export function incomingOf(message: IncomingMessage): Incoming {
  const waiting: Buffer[] = [];
  let waitingBytes = 0;
  let received = 0;
  let failure: Error | undefined;
  let wake: (() => void) | undefined;
  const woken = (): void => {
    wake?.();
    wake = undefined;
  };
  const fail = (error: Error): void => {
    failure ??= error;
    woken();
  };
  const onData = (piece: Buffer): void => {
    waiting.push(piece);
    waitingBytes += piece.length;
    received += piece.length;
    if (waitingBytes >= MAX_WAITING_BYTES) message.pause();
    woken();
  };
  const onClose = (): void => {
    if (!message.complete) fail(new Error('The connection closed.'));
    woken();
  };
  message.on('data', onData).on('end', woken).on('error', fail).on('close', onClose);
  if (message.destroyed) onClose();
  return {
    next: async () => {
      for (;;) {
        if (failure) throw failure;
        const piece = waiting.shift();
        if (piece) {
          waitingBytes -= piece.length;
          if (waitingBytes < MAX_WAITING_BYTES) message.resume();
          return piece;
        }
        if (message.readableEnded) return undefined;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    get received() {
      return received;
    },
    get full() {
      return waitingBytes >= MAX_WAITING_BYTES;
    },
    fail,
    stop: () => {
      waiting.length = 0;
      message.off('data', onData).off('end', woken).off('close', onClose);
      message.resume();
    },
  };
}
