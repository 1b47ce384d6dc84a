// One child process with limits on memory, CPU and time, and the channel to it. `pool.ts` decides what runs in it.

import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { type Duplex, PassThrough } from 'node:stream';
import { ReaderError } from '../contract/index.ts';
import { Channel, ChannelClosed, type Message } from './channel.ts';
import { ChildEnded, endingOf, type Remains } from './ending.ts';
import { type OwnedFolder, ownedFolder } from './owned-folder.ts';

/** Resource limits of a child. */
export interface ChildLimits {
  /** Data segment, in bytes: heap, buffers and native allocations. */
  readonly memoryBytes: number;
  /** CPU seconds over the whole life of the process, for all its threads together. */
  readonly cpuSeconds: number;
}

/** The program to run, and its limits. */
export interface ChildProgram {
  /** The module to run, which communicates over file descriptor 3. */
  readonly file: string;
  readonly limits: ChildLimits;
}

const MEGABYTE = 1024 * 1024;
/** Share of the memory available to the JavaScript heap; a third of a 2 GB data segment was measured to work. */
const HEAP_SHARE = 0.35;
const MAX_COMPLAINT = 8 * 1024;
/** How long an exiting process may take to close its open streams. */
const LAST_WORDS_MS = 1000;
/** Each check makes two small reads from /proc. */
const WATCH_MS = 200;
/** Page size used by /proc; the same on every system with a /proc that Node.js supports. */
const PAGE_BYTES = 4096;

/** Prefix of the children's private folders. */
export const FOLDER_PREFIX = 'lectern-child-';

/** A running child. Whoever starts one must end it. */
export class Child {
  readonly #process: ChildProcess;
  readonly #channel: Channel;
  readonly #folder: OwnedFolder;
  readonly #limits: ChildLimits;
  #complaint = '';
  /** Polls `usage` while the child works, because it cannot be read after the child exits. */
  #watch: NodeJS.Timeout | undefined;
  #used: Remains['used'];
  #killed: Remains['killed'];
  readonly #exit: Promise<ChildEnded | ReaderError>;
  #ended = false;

  private constructor(
    program: ChildProgram,
    wrapper: readonly string[],
    folder: OwnedFolder,
    files: readonly FileHandle[],
  ) {
    this.#folder = folder;
    this.#limits = program.limits;
    const { memoryBytes, cpuSeconds } = program.limits;
    const node = [
      process.execPath,
      `--max-old-space-size=${Math.floor((memoryBytes / MEGABYTE) * HEAP_SHARE)}`,
      '--stack-size=900',
      program.file,
    ];
    // Limits a system does not support are skipped; the others still apply.
    const script = [
      'ulimit -c 0 2>/dev/null',
      `ulimit -d ${Math.floor(memoryBytes / 1024)} 2>/dev/null`,
      `ulimit -t ${cpuSeconds} 2>/dev/null`,
      'exec "$@"',
    ].join('; ');
    const [command = '', ...given] =
      process.platform === 'win32' ? node : ['/bin/sh', '-c', script, 'sh', ...wrapper, ...node];
    this.#process = spawn(command, given, {
      // Its own process group, so that everything it starts is killed with it.
      detached: true,
      cwd: folder.path,
      env: { PATH: process.env['PATH'] ?? '', TMPDIR: folder.path, TZ: 'UTC', LANG: 'C.UTF-8' },
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', ...files.map(inherited)],
    });
    this.#process.stderr?.on('data', (bytes: Buffer) => {
      this.#complaint = (this.#complaint + bytes.toString('latin1')).slice(-MAX_COMPLAINT);
    });
    // The fourth stream is the socket requested in `stdio` above. If the process cannot be started there are no
    // streams.
    const socket = this.#process.stdio?.[3] as Duplex | undefined;
    this.#channel = new Channel(socket ?? new PassThrough());
    if (!socket) this.#channel.close();
    this.#exit = new Promise((resolve) => {
      const ended = (exitCode: number | null, signal: NodeJS.Signals | null, failure?: Error): void => {
        if (this.#ended) return;
        this.#ended = true;
        clearInterval(this.#watch);
        const remains = {
          killed: this.#killed,
          exitCode,
          signal,
          complaint: this.#complaint,
          used: this.#used,
        };
        const why = failure ? notStarted(failure) : new ChildEnded(endingOf(remains));
        const tell = (): void => resolve(why);
        void this.#clear().then(tell, tell);
      };
      this.#process.on('error', (failure) => ended(null, null, failure));
      this.#process.on('close', ended);
      // A grandchild may keep standard error open: do not wait for more.
      this.#process.on('exit', (exitCode, signal) => {
        setTimeout(() => ended(exitCode, signal), LAST_WORDS_MS).unref();
      });
    });
    this.idle(true);
  }

  /**
   * `files`: open files the child inherits, from descriptor 4 on.
   * @throws {ReaderError} BUSY when its temporary directory cannot be created for lack of resources
   */
  static async start(
    program: ChildProgram,
    wrapper: readonly string[],
    files: readonly FileHandle[] = [],
  ): Promise<Child> {
    const folder = await ownedFolder(tmpdir(), FOLDER_PREFIX).catch((error: unknown) => {
      throw notStarted(error);
    });
    return new Child(program, wrapper, folder, files);
  }

  /** Kills a child that does not accept the message `withinMs`. Drops messages to one that is gone. */
  async send(head: object, withinMs: number, body?: Uint8Array): Promise<void> {
    const timer = setTimeout(() => this.expire(), Math.max(0, withinMs));
    try {
      await this.#channel.send(head, body);
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * The next message. Kills a child that sends nothing for `withinMs`.
   * @throws {ChildEnded}
   * @throws {ReaderError} BUSY when it could not be started
   */
  async receive(withinMs: number): Promise<Message> {
    if (withinMs <= 0) {
      // Anything that arrived by now is too late.
      this.expire();
      throw await this.#exit;
    }
    const timer = setTimeout(() => this.expire(), withinMs);
    try {
      return await this.#channel.receive();
    } catch (error) {
      if (!(error instanceof ChannelClosed)) throw error;
      // The process has probably ended. One that lives on without a channel is useless.
      const lives = setTimeout(() => this.#kill('unwanted'), error.malformed ? 0 : LAST_WORDS_MS);
      const ended = await this.#exit;
      clearTimeout(lives);
      throw ended;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Kills it because its time is up. */
  expire(): void {
    this.#kill('expired');
  }

  /** Ends it and removes its leftovers. */
  async end(): Promise<void> {
    this.idle(false);
    this.#kill('unwanted');
    await this.#exit;
  }

  get alive(): boolean {
    // A killed child may take a moment to end.
    return !this.#ended && this.#killed === undefined && this.#channel.quiet;
  }

  /** An idle child is not monitored, and does not keep the parent process alive. */
  idle(idle: boolean): void {
    clearInterval(this.#watch);
    this.#used = undefined;
    if (!idle && !this.#ended) {
      this.#observe();
      this.#watch = setInterval(() => this.#observe(), WATCH_MS).unref();
    }
    for (const held of [this.#process, this.#process.stderr, this.#process.stdio?.[3]])
      if (held instanceof Socket || held === this.#process) {
        if (idle) held.unref();
        else held.ref();
      }
  }

  /** Memory in use and CPU seconds so far; undefined where the system does not provide them. */
  usage(): { readonly bytes: number; readonly cpuSeconds: number } | undefined {
    try {
      const { pid } = this.#process;
      const [, resident = ''] = readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ');
      // Fields after the name in parentheses, which may contain spaces: 14 and 15 of proc(5), in hundredths of a
      // second.
      const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? [];
      return {
        bytes: Number(resident) * PAGE_BYTES,
        cpuSeconds: (Number(fields[11]) + Number(fields[12])) / 100,
      };
    } catch {
      return undefined; // no /proc, or the process has just ended
    }
  }

  #observe(): void {
    const usage = this.usage();
    if (!usage) return;
    const { memoryBytes, cpuSeconds } = this.#limits;
    this.#used = {
      // A zombie process reports no memory.
      memory: Math.max(this.#used?.memory ?? 0, usage.bytes / memoryBytes),
      cpu: usage.cpuSeconds / cpuSeconds,
    };
  }

  #kill(why: NonNullable<Remains['killed']>): void {
    const { pid } = this.#process;
    if (pid === undefined || this.#ended) return;
    this.#killed ??= why;
    try {
      if (process.platform === 'win32') this.#process.kill('SIGKILL');
      else process.kill(-pid, 'SIGKILL');
    } catch {
      // The group is already gone.
    }
  }

  async #clear(): Promise<void> {
    this.#channel.close();
    await this.#folder.remove();
  }
}

/** The number of a file, for a process that is started in the same turn. */
// biome-ignore lint/plugin: a process inherits numbers only
function inherited({ fd }: FileHandle): number {
  if (fd < 0) throw new Error('A file was closed before the child that inherits it was started.');
  return fd;
}

/** `errno` values of temporary shortages. */
const SHORTAGES = new Set(['EAGAIN', 'ENOMEM', 'EMFILE', 'ENFILE', 'ENOSPC', 'EDQUOT']);

function notStarted(error: unknown): ReaderError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  return SHORTAGES.has(code)
    ? new ReaderError(
        'BUSY',
        `The system cannot start another process to read files (\`${code}\`).`,
        'Try again in a few seconds.',
        error,
      )
    : new ReaderError(
        'MISSING_DEPENDENCY',
        `The process that reads files could not be started (\`${code}\`).`,
        'Make sure that `/bin/sh` and the temporary directory can be used, or read without isolation.',
        error,
      );
}
