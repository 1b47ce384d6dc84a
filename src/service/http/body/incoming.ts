// The pieces of a request's body as they arrive, on demand: the client is slowed down to the speed of the reader. A reader
// that stops early leaves the connection open, so that an answer can still be sent.

import type { IncomingMessage } from 'node:http';

export interface Incoming {
  /** The next piece; undefined at the end of the body. @throws what the connection ended with */
  next(): Promise<Uint8Array | undefined>;
  /** Bytes so far, those waiting included. */
  readonly received: number;
  /** True while the client waits because pieces have not been taken. */
  readonly full: boolean;
  /** Ends a `next` that waits, and every later one. */
  fail(error: Error): void;
  /** What still comes is dropped. */
  stop(): void;
}

/** Pieces that wait before the client is made to. */
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
