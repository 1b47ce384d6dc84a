// The pool of child processes in which readers read: the isolation room's pool, running the file-reading program.

import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { checkOptions, type IsolationLimits, type OptionNames, ReaderError } from '../../contract/index.ts';
import type { Lease, LeaseOptions, Pool, PoolOptions, PoolStatus } from '../../isolation/index.ts';
import { resolveIsolationLimits } from '../../limits/index.ts';
import type { Command } from './messages.ts';

/** Options of a pool. All are optional. */
export interface ReadPoolOptions {
  /** Override the defaults and the environment. */
  readonly limits?: Partial<IsolationLimits>;
  /** Environment variables for limits. Default: those of the process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

const OPTIONS: OptionNames<ReadPoolOptions> = { limits: true, environment: true };

/** Below this, large but harmless documents run out of memory. */
const MIN_PROCESS_BYTES = 512 * 1024 * 1024;
/** CPU time over the life of a child, as a multiple of one read's; a child is replaced at half of it. */
const READS_OF_CPU = 40;

/**
/**
 * Child processes for any number of readers: pass it to `createReader` as `isolation`. Starts none before the first
 * read.
 * @throws {ReaderError} BAD_INPUT; MISSING_DEPENDENCY in a bundle, which has no program to start
 */
export function createReadPool(options: ReadPoolOptions = {}): Pool {
  checkOptions('createReadPool', options, OPTIONS);
  const limits = resolveIsolationLimits(options.limits, options.environment ?? process.env);
  const { maxReadMilliseconds, maxProcessBytes, maxProcesses, maxQueuedReads } = limits;
  if (maxProcessBytes < MIN_PROCESS_BYTES)
    throw new ReaderError(
      'BAD_INPUT',
      `\`maxProcessBytes\` is ${maxProcessBytes}; expected at least ${MIN_PROCESS_BYTES}.`,
      `Set \`maxProcessBytes\` (LECTERN_MAX_PROCESS_BYTES) to ${MIN_PROCESS_BYTES} or more.`,
    );
  return new LazyPool({
    program: {
      file: programFile(),
      limits: {
        memoryBytes: maxProcessBytes,
        cpuSeconds: Math.max(60, Math.ceil((READS_OF_CPU * maxReadMilliseconds) / 1000)),
      },
    },
    size: maxProcesses || availableParallelism(),
    maxQueued: maxQueuedReads,
    maxMilliseconds: maxReadMilliseconds,
    prepare: (processors): Command => ({ kind: 'prepare', processors }),
  });
}

/** @throws {ReaderError} MISSING_DEPENDENCY in a bundle that does not keep lectern external */
function programFile(): string {
  try {
    return createRequire(import.meta.url).resolve('#isolated');
  } catch (cause) {
    throw new ReaderError(
      'MISSING_DEPENDENCY',
      'Child processes run a program of the installed package, which a bundle does not contain.',
      'Mark lectern as external in the bundler, and install it where the bundle runs.',
      cause,
    );
  }
}

/** Loads the pool with the first lease; most programs never need one. */
class LazyPool implements Pool {
  readonly #options: PoolOptions;
  #loading: Promise<Pool> | undefined;
  #loaded: Pool | undefined;
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  get status(): PoolStatus {
    return this.#loaded?.status ?? { ...NOTHING_YET, size: this.#options.size };
  }

  async lease(options: LeaseOptions): Promise<Lease> {
    return (await this.#pool()).lease(options);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await (await this.#loading)?.close();
  }

  async #pool(): Promise<Pool> {
    this.#loading ??= (async () => {
      const { createPool } = await import('../../isolation/index.ts');
      this.#loaded = createPool(this.#options);
      // If the pool was closed in the meantime, it refuses the lease itself.
      if (this.#closed) await this.#loaded.close();
      return this.#loaded;
    })();
    return this.#loading;
  }
}

const NOTHING_YET: Omit<PoolStatus, 'size'> = {
  idle: 0,
  busy: 0,
  queued: 0,
  started: 0,
  ended: { TIMED_OUT: 0, OUT_OF_MEMORY: 0, CRASHED: 0, KILLED: 0 },
  network: 'unknown',
};
