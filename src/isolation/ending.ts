// Determines how a child process died, from the evidence it left.

import { type ErrorCode, ReaderError } from '../contract/index.ts';

/** How a child ended. KILLED: from outside, by the kernel when the system ran out of memory, or by an operator. */
export type Ending = Extract<ErrorCode, 'TIMED_OUT' | 'OUT_OF_MEMORY' | 'CRASHED'> | 'KILLED';

/** Evidence about an ended process. */
export interface Remains {
  /** Why this process killed it; undefined if it did not. */
  readonly killed: 'expired' | 'unwanted' | undefined;
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The end of its standard error. */
  readonly complaint: string;
  /** Peak usage as a share of its limits; undefined where the system does not provide it. */
  readonly used: { readonly memory: number; readonly cpu: number } | undefined;
}

/** Signals that no limit and nothing inside a child sends. */
const FROM_OUTSIDE: ReadonlySet<NodeJS.Signals | null> = new Set(['SIGTERM', 'SIGINT', 'SIGHUP']);
/** A process seen with this share of its memory may have reached the limit before it was killed. */
const NEAR_MEMORY = 0.5;
/** CPU time never decreases, so the last reading is close. */
const NEAR_CPU = 0.75;

/** Messages of V8 when the heap is full, and of Node.js and libc when an allocation fails. */
const MEMORY =
  /heap out of memory|heap limit|Array buffer allocation failed|Cannot allocate memory|bad_alloc|out of memory/i;

/** True for an out-of-memory error that the process survived. */
export function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && MEMORY.test(error.message);
}

/** @returns TIMED_OUT also for a process that used up its CPU time, which the kernel kills with SIGXCPU or SIGKILL */
export function endingOf({ killed, exitCode, signal, complaint, used }: Remains): Ending {
  if (killed !== undefined) return killed === 'expired' ? 'TIMED_OUT' : 'CRASHED';
  if (MEMORY.test(complaint)) return 'OUT_OF_MEMORY';
  if (signal === 'SIGXCPU' || exitCode === 128 + 24) return 'TIMED_OUT';
  if (FROM_OUTSIDE.has(signal)) return 'KILLED';
  if (signal !== 'SIGKILL') return 'CRASHED';
  // Not sent by this process, nor by a memory limit, which makes allocations fail instead.
  if (used && used.cpu >= NEAR_CPU) return 'TIMED_OUT';
  return used && used.memory < NEAR_MEMORY ? 'KILLED' : 'OUT_OF_MEMORY';
}

/** The child ended before it answered. */
export class ChildEnded extends Error {
  override readonly name = 'ChildEnded';
  readonly ending: Ending;

  constructor(ending: Ending) {
    super(`The child process ended: ${ending}.`);
    this.ending = ending;
  }

  /** The error for callers. */
  asReaderError(): ReaderError {
    const { ending } = this;
    const code = ending === 'KILLED' ? 'CRASHED' : ending;
    return new ReaderError(code, MESSAGES[ending], HINTS[ending], this);
  }
}

/**
 * Runs `work`, and runs it once more if its child was killed from outside. Only for work that has no effects before it
 * fails.
 */
export async function withRetry<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const ended = error instanceof ReaderError ? error.cause : undefined;
    if (!(ended instanceof ChildEnded) || ended.ending !== 'KILLED') throw error;
    return work();
  }
}

const MESSAGES: Readonly<Record<Ending, string>> = {
  TIMED_OUT: 'Reading the file took longer than allowed (limit `maxReadMilliseconds`).',
  OUT_OF_MEMORY: 'Reading the file needed more memory than allowed (limit `maxProcessBytes`).',
  CRASHED: 'The process that read the file crashed.',
  KILLED: 'The process that read the file was killed from outside; the file is not the cause.',
};

const HINTS: Readonly<Record<Ending, string>> = {
  TIMED_OUT: 'Ask for a smaller part of the file.',
  OUT_OF_MEMORY: 'Ask for a smaller part of the file.',
  CRASHED: 'Repair the file with the program that wrote it, or read another file.',
  KILLED: 'Free memory on the machine or lower `maxProcesses`, then try again.',
};
