// Starts the threads that run pdf.js, and keeps one that has read a document for the next one: starting a thread, loading
// pdf.js and compiling it anew take as long as reading ten pages.

import { Worker } from 'node:worker_threads';
import { loadProgram, START } from './program.ts';

/** Heap limit of the thread; documents of thousands of pages need a tenth. */
const HEAP_MEGABYTES = 512;
/** Of it, for new objects: a page makes many that soon go. Half of it takes an eighth more time, 30 MB less. */
const YOUNG_MEGABYTES = 96;
/** How long a thread waits for the next document. */
const IDLE_MS = 2000;
/** A thread whose heap has more bytes left after a document is not kept. */
const MOST_KEPT_BYTES = 96 * 2 ** 20;

let idle: { readonly worker: Worker; forget(): void } | undefined;

/** A thread without a document, for the caller alone. */
export interface TakenWorker {
  readonly worker: Worker;
  readonly isLoaded: boolean;
}

/** A thread without a document; `mayBeUsed`: it may have had one. The caller must listen to it at once. */
export async function takeWorker(mayBeUsed: boolean): Promise<TakenWorker> {
  if (mayBeUsed && idle) {
    const { worker } = idle;
    idle.forget();
    worker.ref();
    return { worker, isLoaded: true };
  }
  const program = await loadProgram();
  const worker = new Worker(START, {
    eval: true,
    workerData: { home: import.meta.url, ...program },
    transferList: program.code?.buffer instanceof ArrayBuffer ? [program.code.buffer] : [],
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MEGABYTES, maxYoungGenerationSizeMb: YOUNG_MEGABYTES },
    // pdf.js output must not reach the host's streams.
    stdout: true,
    stderr: true,
    env: {},
    execArgv: [],
  });
  return { worker, isLoaded: false };
}

/** Takes over a thread whose document is closed. It does not keep the process alive. */
export function keepWorker(worker: Worker, used: number): void {
  if (idle || used > MOST_KEPT_BYTES) {
    void worker.terminate();
    return;
  }
  const timer = setTimeout(() => {
    forget();
    void worker.terminate();
  }, IDLE_MS);
  const forget = (): void => {
    idle = undefined;
    clearTimeout(timer);
    worker.off('error', forget);
    worker.off('exit', forget);
  };
  idle = { worker, forget };
  timer.unref();
  worker.unref();
  worker.on('error', forget);
  worker.on('exit', forget);
}
