// How a child process ended that did not end by itself, told from what is left of it.

import { type ErrorCode, ReaderError } from '../contract/index.ts';

/** How a child ended. KILLED: from outside, by the kernel for want of memory elsewhere or by an operator. */
export type Ending = Extract<ErrorCode, 'TIMED_OUT' | 'OUT_OF_MEMORY' | 'CRASHED'> | 'KILLED';

/** What is known of a process that has ended. */
export interface Remains {
  /** Why this process killed it; undefined when it did not. */
  readonly killed: 'expired' | 'unwanted' | undefined;
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The last of what it wrote to standard error. */
  readonly complaint: string;
  /** The most it was seen to use of its limits, as shares; undefined where the system does not tell. */
  readonly used: { readonly memory: number; readonly cpu: number } | undefined;
}

/** Signals that nothing in a child and no limit sends. */
const FROM_OUTSIDE: ReadonlySet<NodeJS.Signals | null> = new Set(['SIGTERM', 'SIGINT', 'SIGHUP']);
/** A process seen with this much of its memory may have needed the rest by the time the kernel ended it. */
const NEAR_MEMORY = 0.5;
/** CPU time is only spent, so what was seen last is close. */
const NEAR_CPU = 0.75;

/** V8's own words when a heap is full, and those of Node.js and libc when bytes cannot be had. */
const MEMORY =
  /heap out of memory|heap limit|Array buffer allocation failed|Cannot allocate memory|bad_alloc|out of memory/i;

/** True for an error that says memory ran out, thrown where the process survived it. */
export function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && MEMORY.test(error.message);
}

/** @returns TIMED_OUT also for a process that used up its CPU time, which the kernel ends with SIGXCPU or SIGKILL */
export function endingOf({ killed, exitCode, signal, complaint, used }: Remains): Ending {
  if (killed !== undefined) return killed === 'expired' ? 'TIMED_OUT' : 'CRASHED';
  if (MEMORY.test(complaint)) return 'OUT_OF_MEMORY';
  if (signal === 'SIGXCPU' || exitCode === 128 + 24) return 'TIMED_OUT';
  if (FROM_OUTSIDE.has(signal)) return 'KILLED';
  if (signal !== 'SIGKILL') return 'CRASHED';
  // Nobody here sent it. No limit of memory does either: it makes an allocation fail.
  if (used && used.cpu >= NEAR_CPU) return 'TIMED_OUT';
  return used && used.memory < NEAR_MEMORY ? 'KILLED' : 'OUT_OF_MEMORY';
}

/** The child is gone before it answered. */
export class ChildEnded extends Error {
  override readonly name = 'ChildEnded';
  readonly ending: Ending;

  constructor(ending: Ending) {
    super(`The child process ended: ${ending}.`);
    this.ending = ending;
  }

  /** As callers see it. */
  asReaderError(): ReaderError {
    const { ending } = this;
    const code = ending === 'KILLED' ? 'CRASHED' : ending;
    return new ReaderError(code, MESSAGES[ending], HINTS[ending], this);
  }
}

/**
 * Does `work`, and does it again when its child was killed from outside: the next one may live. For work that has handed
 * nothing on before it fails.
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
  KILLED: 'The process that read the file was ended from outside; the file is not the cause.',
};

const HINTS: Readonly<Record<Ending, string>> = {
  TIMED_OUT: 'Ask for a smaller part of the file.',
  OUT_OF_MEMORY: 'Ask for a smaller part of the file.',
  CRASHED: 'Repair the file with the program that wrote it, or read another file.',
  KILLED: 'Free memory on the machine or lower `maxProcesses`, then try again.',
};
