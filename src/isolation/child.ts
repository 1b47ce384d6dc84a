// One child process under limits of memory, CPU and time, and the channel to it. Decides nothing about what runs in it
// and which child works on what: that is `pool.ts`.

import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { Channel, ChannelClosed, type Message } from './channel.ts';
import { ChildEnded, endingOf, type Remains } from './ending.ts';

/** What a child may use. */
export interface ChildLimits {
  /** Data segment, in bytes: heap, buffers and what native code allocates. */
  readonly memoryBytes: number;
  /** Seconds of CPU over the whole life of the process, all its threads together. */
  readonly cpuSeconds: number;
}

/** What is run, and within what. */
export interface ChildProgram {
  /** The module that speaks over file descriptor 3. */
  readonly file: string;
  readonly limits: ChildLimits;
  /** Put before the command, such as `unshare --user --net`; empty for nothing. */
  readonly wrapper: readonly string[];
}

const MEGABYTE = 1024 * 1024;
/** Of the memory, what the JavaScript heap may take; measured beside a data segment of 2 GB (a third). */
const HEAP_SHARE = 0.35;
const MAX_COMPLAINT = 8 * 1024;
/** How long an ending process may take to close what it holds open. */
const LAST_WORDS_MS = 1000;
/** A page of memory, in which /proc counts. True of every system that Node.js runs on with a /proc. */
const PAGE_BYTES = 4096;

/** A running child. Whoever starts one ends it. */
export class Child {
  readonly #process: ChildProcess;
  readonly #channel: Channel;
  readonly #folder: string;
  #complaint = '';
  #killed: Remains['killed'];
  readonly #exit: Promise<ChildEnded>;
  #ended = false;

  private constructor(program: ChildProgram, folder: string) {
    this.#folder = folder;
    const { memoryBytes, cpuSeconds } = program.limits;
    // A limit that a system does not have is left out; the others still hold.
    const script = [
      'ulimit -c 0 2>/dev/null',
      `ulimit -d ${Math.floor(memoryBytes / 1024)} 2>/dev/null`,
      `ulimit -t ${cpuSeconds} 2>/dev/null`,
      'exec "$@"',
    ].join('; ');
    const command = [
      ...program.wrapper,
      process.execPath,
      `--max-old-space-size=${Math.floor((memoryBytes / MEGABYTE) * HEAP_SHARE)}`,
      '--stack-size=900',
      program.file,
    ];
    this.#process = spawn('/bin/sh', ['-c', script, 'sh', ...command], {
      // A process group of its own, so that whatever it starts is ended with it.
      detached: true,
      cwd: folder,
      env: { PATH: process.env['PATH'] ?? '', TMPDIR: folder, TZ: 'UTC', LANG: 'C.UTF-8' },
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    });
    this.#process.stderr?.on('data', (bytes: Buffer) => {
      this.#complaint = (this.#complaint + bytes.toString('latin1')).slice(-MAX_COMPLAINT);
    });
    // The fourth stream is the socket that `stdio` asks for above.
    this.#channel = new Channel(this.#process.stdio[3] as Duplex);
    this.#exit = new Promise((resolve) => {
      const ended = (exitCode: number | null, signal: NodeJS.Signals | null): void => {
        if (this.#ended) return;
        this.#ended = true;
        const remains = { killed: this.#killed, exitCode, signal, complaint: this.#complaint };
        const tell = (): void => resolve(new ChildEnded(endingOf(remains)));
        void this.#clear().then(tell, tell);
      };
      this.#process.on('error', () => ended(null, null));
      this.#process.on('close', ended);
      // Something it started may hold standard error open: what has come by then is enough.
      this.#process.on('exit', (exitCode, signal) => {
        setTimeout(() => ended(exitCode, signal), LAST_WORDS_MS).unref();
      });
    });
    this.idle(true);
  }

  static async start(program: ChildProgram): Promise<Child> {
    return new Child(program, await mkdtemp(join(tmpdir(), 'lectern-child-')));
  }

  send(head: object, body?: Uint8Array): Promise<void> {
    return this.#channel.send(head, body);
  }

  /**
   * The next message. A child that sends nothing for `withinMs` is killed.
   * @throws {ChildEnded}
   */
  async receive(withinMs: number): Promise<Message> {
    const timer = setTimeout(() => this.expire(), Math.max(0, withinMs));
    try {
      return await this.#channel.receive();
    } catch (error) {
      if (!(error instanceof ChannelClosed)) throw error;
      // The process has most likely ended. One that lives on without a channel is of no use.
      const lives = setTimeout(() => this.#kill('unwanted'), error.malformed ? 0 : LAST_WORDS_MS);
      const ended = await this.#exit;
      clearTimeout(lives);
      throw ended;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends it because its time is up. */
  expire(): void {
    this.#kill('expired');
  }

  /** Ends it and removes what it left behind. */
  async end(): Promise<void> {
    this.#kill('unwanted');
    await this.#exit;
  }

  get alive(): boolean {
    return !this.#ended && this.#channel.quiet;
  }

  /** An idle child does not keep the process that started it alive. */
  idle(idle: boolean): void {
    for (const held of [this.#process, this.#process.stderr, this.#process.stdio[3]])
      if (held instanceof Socket || held === this.#process) {
        if (idle) held.unref();
        else held.ref();
      }
  }

  /** Memory in use and CPU seconds spent so far; undefined where the system does not tell. */
  usage(): { readonly bytes: number; readonly cpuSeconds: number } | undefined {
    try {
      const { pid } = this.#process;
      const [, resident = ''] = readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ');
      // After the name in parentheses, which may hold spaces: fields 14 and 15 of proc(5), in hundredths of a second.
      const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? [];
      return {
        bytes: Number(resident) * PAGE_BYTES,
        cpuSeconds: (Number(fields[11]) + Number(fields[12])) / 100,
      };
    } catch {
      return undefined; // no /proc, or the process has just ended
    }
  }

  #kill(why: NonNullable<Remains['killed']>): void {
    const { pid } = this.#process;
    if (pid === undefined || this.#ended) return;
    this.#killed ??= why;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // The group is gone already.
    }
  }

  async #clear(): Promise<void> {
    this.#channel.close();
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 3 });
  }
}
