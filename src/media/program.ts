// Runs a program of the host: without a shell, with an almost empty environment, in a process group that is killed at a
// deadline, on abort, and once it has written enough.

import { spawn } from 'node:child_process';
import { type Bytes, ReaderError, throwIfAborted } from '../contract/index.ts';

export interface ProgramRun {
  /** For its standard input. Default: none. */
  readonly input?: Uint8Array;
  /** The program is ended once it has written this much; the rest is dropped. */
  readonly most: Bytes;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  /** The error if it cannot be started. */
  readonly missing: { readonly message: string; readonly hint: string };
  /** What to do about a program that takes too long. */
  readonly late: string;
  readonly environment?: Readonly<Record<string, string>>;
}

export interface ProgramOutcome {
  readonly output: Buffer;
  /** The start of its standard error. */
  readonly complaint: string;
  /** Null for a program that was killed. */
  readonly exitCode: number | null;
}

/** Maximum characters kept of standard error. */
const MAX_COMPLAINT = 2000;

/** What the program wrote before it ended. @throws {ReaderError} MISSING_DEPENDENCY, ABORTED, TIMED_OUT */
export async function runProgram(
  program: string,
  words: readonly string[],
  run: ProgramRun,
): Promise<ProgramOutcome> {
  const { signal, deadlineMs } = run;
  throwIfAborted(signal);
  const { late, ...outcome } = await outcomeOf(program, words, run);
  throwIfAborted(signal);
  if (late)
    throw new ReaderError(
      'TIMED_OUT',
      `\`${program}\` took more than ${deadlineMs / 1000} seconds.`,
      run.late,
    );
  return outcome;
}

function outcomeOf(
  program: string,
  words: readonly string[],
  { input, most, deadlineMs, signal, missing, environment }: ProgramRun,
): Promise<ProgramOutcome & { readonly late: boolean }> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...words], {
      stdio: [input ? 'pipe' : 'ignore', 'pipe', 'pipe'],
      detached: true, // its own process group, so that a wrapper's children end with it
      env: { PATH: process.env['PATH'], LC_ALL: 'C', ...environment },
    });
    const pieces: Buffer[] = [];
    let length = 0;
    let complaint = '';
    let late = false;
    const end = (): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has already ended.
      }
    };
    const deadline = setTimeout(() => {
      late = true;
      end();
    }, deadlineMs);
    signal.addEventListener('abort', end, { once: true });
    const done = (): void => {
      clearTimeout(deadline);
      signal.removeEventListener('abort', end);
    };
    child.stdout?.on('data', (piece: Buffer) => {
      const kept = piece.subarray(0, Math.max(0, most - length));
      if (kept.length > 0) pieces.push(kept);
      length += kept.length;
      if (length >= most) end();
    });
    child.stderr?.on('data', (piece: Buffer) => {
      if (complaint.length < MAX_COMPLAINT) complaint += piece.toString('latin1');
    });
    // A program that ends early closes its input; how it ended is what counts.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
    child.on('error', (cause) => {
      done();
      reject(new ReaderError('MISSING_DEPENDENCY', missing.message, missing.hint, cause));
    });
    child.on('close', (exitCode) => {
      done();
      resolve({ output: Buffer.concat(pieces), complaint, exitCode, late });
    });
  });
}
