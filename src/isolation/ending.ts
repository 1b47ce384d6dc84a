// How a child process ended that did not end by itself, told from what is left of it.

import { type ErrorCode, ReaderError } from '../contract/index.ts';

/** What a reader reports of a child that is gone. */
export type Ending = Extract<ErrorCode, 'TIMED_OUT' | 'OUT_OF_MEMORY' | 'CRASHED'>;

/** What is known of a process that has ended. */
export interface Remains {
  /** Why this process killed it; undefined when it did not. */
  readonly killed: 'expired' | 'unwanted' | undefined;
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The last of what it wrote to standard error. */
  readonly complaint: string;
}

/** V8's own words when a heap is full, and those of Node.js and libc when bytes cannot be had. */
const MEMORY =
  /heap out of memory|heap limit|Array buffer allocation failed|Cannot allocate memory|bad_alloc|out of memory/i;

/** True for an error that says memory ran out, thrown where the process survived it. */
export function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && MEMORY.test(error.message);
}

/** @returns TIMED_OUT also for a process that used up its CPU time, which the kernel ends with SIGXCPU or SIGKILL */
export function endingOf({ killed, exitCode, signal, complaint }: Remains): Ending {
  if (killed !== undefined) return killed === 'expired' ? 'TIMED_OUT' : 'CRASHED';
  if (MEMORY.test(complaint)) return 'OUT_OF_MEMORY';
  if (signal === 'SIGXCPU' || exitCode === 128 + 24) return 'TIMED_OUT';
  // Nobody here sent it, so the kernel did: it was short of memory.
  if (signal === 'SIGKILL' || exitCode === 128 + 9) return 'OUT_OF_MEMORY';
  return 'CRASHED';
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
    return new ReaderError(ending, MESSAGES[ending], HINTS[ending], this);
  }
}

const MESSAGES: Readonly<Record<Ending, string>> = {
  TIMED_OUT: 'Reading the file took longer than allowed (limit `maxReadMilliseconds`).',
  OUT_OF_MEMORY: 'Reading the file needed more memory than allowed (limit `maxProcessBytes`).',
  CRASHED: 'The process that read the file crashed.',
};

const HINTS: Readonly<Record<Ending, string>> = {
  TIMED_OUT: 'Ask for a smaller part of the file.',
  OUT_OF_MEMORY: 'Ask for a smaller part of the file.',
  CRASHED: 'Repair the file with the program that wrote it, or read another file.',
};
