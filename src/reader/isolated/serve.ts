// The child's end: reads one file after another for a reader in another process, with the same code that reads inline.
// It opens a file by its path only where that is the very file the reader holds open, and else asks for the bytes.

import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { ConversionCache } from '../../cache/index.ts';
import {
  type Budget,
  type Format,
  type OutlineLine,
  type Processor,
  ReaderError,
  type Source,
} from '../../contract/index.ts';
import { type Channel, ChildEnded, isOutOfMemory, type Message, type Tasks } from '../../isolation/index.ts';
import { createTokenCounter } from '../../tokens/index.ts';
import { createBudget } from '../budget.ts';
import { asReaderError } from '../failure.ts';
import { extensionOf, type Opened } from '../open.ts';
import { createRegistry, type Registry } from '../registry.ts';
import { type Engine, linesOf, partsOf, type Session, startHere } from '../session.ts';
import { FileSource, type Label, RemoteSource, SentSource } from '../source.ts';
import type { Answer, Command, Question, Reply, StartCommand, State } from './messages.ts';
import { packed } from './part.ts';

/** Lines of an outline that one answer holds, so that the reader can stop early and bound what it holds. */
const BATCH_LINES = 1000;
const BATCH_CHARACTERS = 256 * 1024;

/** Serves `channel` until its other end closes it, which ends the process. */
export async function serveReads(
  formats: readonly Format[],
  channel: Channel,
  tasks: Tasks = {},
): Promise<never> {
  const line = new Line(channel);
  const registry = createRegistry(formats);
  for (;;) {
    const { command, body } = await line.command();
    if (command.kind === 'start') await serveFile(registry, line, command, body);
    else if (command.kind === 'prepare') await prepare(registry.processors, command.processors);
    else if (command.kind === 'task') await serveTask(tasks, line, command, body);
    else await line.answer({ kind: 'ended' });
  }
}

async function serveTask(
  tasks: Tasks,
  line: Line,
  { name, input }: Extract<Command, { kind: 'task' }>,
  body: Uint8Array,
): Promise<void> {
  try {
    const task = Object.hasOwn(tasks, name) ? tasks[name] : undefined;
    if (!task) throw new TypeError(`There is no task ${name}.`);
    const { output, body: bytes } = await task(input, body);
    await line.answer({ kind: 'output', output }, bytes);
  } catch (error) {
    await line.answer(failed(error));
  }
}

async function prepare(processors: readonly Processor[], names: readonly string[]): Promise<void> {
  createTokenCounter().count('');
  // What cannot be loaded is reported by the read that needs it.
  for (const processor of processors)
    if (names.includes(processor.name)) await processor.prepare?.().catch(() => undefined);
}

/** The channel, with replies told from commands, so that questions can be asked while a command is worked on. */
class Line {
  readonly #channel: Channel;
  readonly #asked = new Map<number, (reply: Message) => void>();
  readonly #commands: Message[] = [];
  #waiting: ((command: Message) => void) | undefined;
  #questions = 0;

  constructor(channel: Channel) {
    this.#channel = channel;
    void this.#listen();
  }

  async command(): Promise<{ readonly command: Command; readonly body: Uint8Array }> {
    const message =
      this.#commands.shift() ??
      (await new Promise<Message>((resolve) => {
        this.#waiting = resolve;
      }));
    // The reader's own words, which are commands where they are not replies.
    return { command: message.head as unknown as Command, body: message.body };
  }

  answer(answer: Answer, body?: Uint8Array): Promise<void> {
    return this.#channel.send(answer, body);
  }

  async ask(
    question: Question,
    body?: Uint8Array,
  ): Promise<{ readonly reply: Reply; readonly body: Uint8Array }> {
    const id = this.#questions;
    this.#questions += 1;
    const replied = new Promise<Message>((resolve) => this.#asked.set(id, resolve));
    await this.#channel.send({ ...question, id }, body);
    const message = await replied;
    return { reply: message.head as unknown as Reply, body: message.body };
  }

  async #listen(): Promise<void> {
    try {
      for (;;) {
        const message = await this.#channel.receive();
        const { kind, id } = message.head;
        if (kind === 'reply' && typeof id === 'number') {
          this.#asked.get(id)?.(message);
          this.#asked.delete(id);
        } else if (this.#waiting) {
          this.#waiting(message);
          this.#waiting = undefined;
        } else this.#commands.push(message);
      }
    } catch {
      // The reader is gone, and with it the reason for this process.
      process.exit(0);
    }
  }
}

async function serveFile(
  registry: Registry,
  line: Line,
  start: StartCommand,
  body: Uint8Array,
): Promise<void> {
  const engine: Engine = {
    registry,
    limits: start.limits,
    counter: createTokenCounter(start.tokenizer),
    cache: start.cached ? remoteCache(line) : undefined,
    files: undefined,
    pool: undefined,
    user: '',
  };
  const { signal } = new AbortController();
  const opened = await openedFrom(line, start, body);
  try {
    const session = await startHere(engine, opened, start.request, signal, start.onlyKept);
    await line.answer(await started(session));
    await serveSession(engine, line, session);
  } catch (error) {
    await line.answer(failed(error));
  } finally {
    await opened.close();
  }
}

async function serveSession(engine: Engine, line: Line, session: Session): Promise<void> {
  const news = reporter(session);
  let answers: AsyncIterator<Given> | undefined;
  for (;;) {
    const { command } = await line.command();
    try {
      switch (command.kind) {
        case 'parts':
        case 'outline': {
          const budget = createBudget(engine, command.tokens ?? Number.POSITIVE_INFINITY);
          answers =
            command.kind === 'parts' ? parts(engine, session, budget) : lines(engine, session, budget);
          await next(line, answers, news);
          break;
        }
        case 'next':
          await next(line, answers, news);
          break;
        case 'stop':
          await answers?.return?.();
          answers = undefined;
          await line.answer({ kind: 'done', ...news() });
          break;
        default:
          await line.answer({ kind: 'ended' });
          return;
      }
    } catch (error) {
      answers = undefined;
      await line.answer({ ...failed(error), ...news() });
    }
  }
}

/** One answer to `next`, and the bytes that go with it. */
interface Given {
  readonly answer: Extract<Answer, { kind: 'part' | 'lines' }>;
  readonly body?: Uint8Array;
}

async function* parts(engine: Engine, session: Session, budget: Budget): AsyncGenerator<Given> {
  for await (const one of partsOf(engine, session, budget)) {
    const { part, body } = packed(one);
    yield { answer: { kind: 'part', part }, body };
  }
}

async function* lines(engine: Engine, session: Session, budget: Budget): AsyncGenerator<Given> {
  let batch: OutlineLine[] = [];
  let characters = 0;
  for await (const line of linesOf(engine, session, budget)) {
    batch.push(line);
    characters += line.text.length;
    if (batch.length < BATCH_LINES && characters < BATCH_CHARACTERS) continue;
    yield { answer: { kind: 'lines', lines: batch } };
    batch = [];
    characters = 0;
  }
  if (batch.length > 0) yield { answer: { kind: 'lines', lines: batch } };
}

async function next(
  line: Line,
  answers: AsyncIterator<Given> | undefined,
  news: () => { readonly state?: State },
): Promise<void> {
  const result = await answers?.next();
  if (!result || result.done === true) return line.answer({ kind: 'done', ...news() });
  const { answer, body } = result.value;
  return line.answer({ ...answer, ...news() }, body);
}

async function openedFrom(line: Line, { file, limits }: StartCommand, body: Uint8Array): Promise<Opened> {
  const label = {
    name: file.name,
    extension: extensionOf(file.name),
    // Cleaned by the reader when it opened the file.
    mimeType: file.mimeType as Source['mimeType'],
    maxBytesInMemory: limits.maxBytesInMemory,
  };
  const far = {
    read: async (position: number, length: number) => {
      const { reply, body: bytes } = await line.ask({ kind: 'read', position, length });
      if (!reply.found) throw gone();
      return bytes;
    },
    identity: async () => {
      const { reply } = await line.ask({ kind: 'identity' });
      if (reply.identity === undefined) throw gone();
      return reply.identity;
    },
  };
  const same = await openSame(label, file);
  const sent = body.length === file.size ? new SentSource(label, body, far.identity) : undefined;
  return {
    source: sent ?? same?.source ?? new RemoteSource(label, file.size, far),
    modified: file.modified === undefined ? undefined : new Date(file.modified),
    ...(file.entry !== undefined && { entry: file.entry }),
    changed: () => Promise.resolve(false),
    close: async () => {
      await same?.close();
    },
  };
}

/** The file that the reader holds open, opened once more; undefined where its path leads to another by now. */
async function openSame(
  label: Label,
  { held }: StartCommand['file'],
): Promise<{ readonly source: Source; close(): Promise<void> } | undefined> {
  if (!held) return undefined;
  let handle: FileHandle | undefined;
  try {
    // O_NONBLOCK: a pipe put in its place since would hang.
    handle = await open(held.path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    const source = new FileSource(label, handle, await handle.stat({ bigint: true }));
    if ((await source.identity()) === held.identity)
      return { source, close: () => handle?.close() ?? NOTHING };
  } catch {
    // Moved, or not readable from the namespace of this process: the reader is asked for the bytes.
  }
  await handle?.close();
  return undefined;
}

const NOTHING = Promise.resolve();

/** The reader fails by itself with what went wrong, and hears nothing more of this. */
const gone = (): ReaderError =>
  new ReaderError('ABORTED', 'The file can no longer be read.', 'Call again to read the file.');

function remoteCache(line: Line): ConversionCache {
  return {
    get: async (key) => {
      const { reply, body } = await line.ask({ kind: 'get', key });
      return reply.found ? body : undefined;
    },
    put: async (key, bytes) => {
      await line.ask({ kind: 'put', key }, bytes);
    },
  };
}

async function started(session: Session): Promise<Answer> {
  const { detected, entered, source } = session;
  return {
    kind: 'started',
    detected: detected.processor.name,
    mimeType: detected.mimeType,
    file: { name: source.name, size: source.size, identity: await source.identity() },
    entered: {
      name: entered.name,
      bytes: entered.bytes,
      ...(entered.modified && { modified: entered.modified.getTime() }),
      facts: entered.facts,
    },
    state: stateOf(session),
  };
}

function stateOf(session: Session): State {
  const { processor, warnings, wholes, facts, encoding, textSize } = session;
  return {
    processor: processor.name,
    warnings,
    wholes: [...wholes.values()],
    facts,
    ...(encoding && { encoding }),
    ...(textSize !== undefined && { textSize }),
  };
}

/** The state where it has changed since it was last told. */
function reporter(session: Session): () => { readonly state?: State } {
  let told = '';
  return () => {
    const state = stateOf(session);
    const now = JSON.stringify(state);
    if (now === told) return {};
    told = now;
    return { state };
  };
}

function failed(error: unknown): Extract<Answer, { kind: 'failed' }> {
  const { code, message, hint } = isOutOfMemory(error)
    ? new ChildEnded('OUT_OF_MEMORY').asReaderError()
    : asReaderError(error);
  return { kind: 'failed', code, message, hint };
}
