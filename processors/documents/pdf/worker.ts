// The thread that runs pdf.js and the layout, one request at a time. It may hang, run out of memory or crash; the host
// (`thread.ts`) handles that.

import { parentPort, workerData } from 'node:worker_threads';
import type { Answers, CompiledPages, FromThread, Need, Request, ToThread } from './messages.ts';
import { loadPdf, openPdf, type Pdf } from './open.ts';
import { pictureOf } from './picture.ts';
import { Session } from './session.ts';

const port = parentPort;
if (!port) throw new Error('This module runs in a worker thread.');

const say = (message: FromThread, transfer: readonly ArrayBuffer[] = []): void => {
  port.postMessage(message, [...transfer]);
};

/** What the host is to give, with those that wait for it. */
const needs = new Map<string, { resolve(bytes: Uint8Array): void; reject(error: Error): void }[]>();
const keyOf = (need: Need): string => JSON.stringify(need);

function given(need: Need): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const waiting = needs.get(keyOf(need));
    if (waiting) waiting.push({ resolve, reject });
    else {
      needs.set(keyOf(need), [{ resolve, reject }]);
      say({ kind: 'need', need });
    }
  });
}

let pdf: Pdf | undefined;
let session: Session | undefined;

/** What `START` in `program.ts` leaves: the pages that the compiled code is for, and how to get it if it is kept. */
const compilation: { pages: number; readonly compiled?: () => Uint8Array } = workerData;
let pagesRead = 0;

/** The compiled code, if it is to be kept and much more has been read than it was made for. */
function compiled(): CompiledPages | undefined {
  if (!compilation.compiled || pagesRead <= 2 * compilation.pages) return undefined;
  compilation.pages = pagesRead;
  return { code: compilation.compiled(), pages: pagesRead };
}

async function answer(request: Request): Promise<Answers[keyof Answers]> {
  if (request.kind === 'open') {
    await loadPdf(request.mode).finally(() => say({ kind: 'loaded' }));
    const { mode, password, size } = request;
    pdf = await openPdf(
      request.bytes ?? { size, read: (from, to) => given({ from, to }) },
      (path) => given({ path }),
      { mode, ...(password && { password }) },
    );
    session = new Session(pdf, request.spoilt, (page) => say({ kind: 'stage', page }));
    return request.mode === 'layout'
      ? session.opened(request.shy)
      : { pages: pdf.document.numPages, facts: {}, warnings: [] };
  }
  if (!pdf || !session) throw new Error('Nothing is open.');
  if (request.kind === 'page') {
    pagesRead += 1;
    return session.page(request.number, request.plain);
  }
  if (request.kind === 'recognized') return session.recognized(request.number, request.recognized);
  if (request.kind === 'outline') return session.outline();
  say({ kind: 'stage', page: request.number });
  return pictureOf(pdf, request.number, request.shape);
}

/** Leaves nothing of the document, so that the next one starts as in a new thread. */
async function close(): Promise<void> {
  const closing = pdf;
  pdf = undefined;
  session = undefined;
  needs.clear();
  await closing?.close();
  const made = compiled();
  say({ kind: 'closed', used: process.memoryUsage().heapUsed, ...(made && { compiled: made }) });
}

port.on('message', (message: ToThread) => {
  if (message.kind === 'close') {
    void close();
    return;
  }
  if (message.kind === 'given') {
    const { need, bytes } = message;
    const waiting = needs.get(keyOf(need)) ?? [];
    needs.delete(keyOf(need));
    for (const { resolve, reject } of waiting)
      if (bytes) resolve(bytes);
      else reject(new Error('no such file'));
    return;
  }
  answer(message.request).then(
    (value) => say({ kind: 'answer', value }),
    (error: unknown) => {
      const { name, message: text } = error instanceof Error ? error : new Error(String(error));
      say({ kind: 'failure', name, message: text.slice(0, 300) });
    },
  );
});

// What a thread prints keeps the process of its host from ending.
Object.assign(console, { log() {}, info() {}, warn() {}, error() {} });

say({ kind: 'loaded' });

// An unhandled rejection inside pdf.js must not end the thread.
process.on('unhandledRejection', () => undefined);
