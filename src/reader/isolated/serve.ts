// The child's side: reads one file after another for a reader in another process, with the same code as inline reads.

import { isDeepStrictEqual } from 'node:util';
import type { ConversionCache } from '../../cache/index.ts';
import {
  type Budget,
  type ErrorCode,
  type Format,
  forgetContents,
  type OutlineLine,
  type Processor,
  ReaderError,
  type SeenPicture,
  type Whole,
} from '../../contract/index.ts';
import { type Channel, ChildEnded, isOutOfMemory, type Tasks } from '../../isolation/index.ts';
import { createRedactor } from '../../redact/index.ts';
import { createTokenCounter } from '../../tokens/index.ts';
import { budgetIn, createBudget } from '../budget.ts';
import type { Converted, Converter } from '../converter.ts';
import type { Engine } from '../engine.ts';
import { asReaderError } from '../failure.ts';
import { createRegistry, type Registry } from '../registry.ts';
import { type Session, startHere } from '../session.ts';
import { Line } from './line.ts';
import type { Answer, Command, Look, News, Reply, StartCommand, State } from './messages.ts';
import { packed } from './part.ts';
import { openedFrom } from './sent-file.ts';

/** Maximum outline lines per answer, so that the reader can stop early and bound its memory. */
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
  let user: string | undefined;
  for (;;) {
    const { command, body } = await line.command();
    if (command.kind === 'start') {
      if (command.user !== user) forgetContents();
      user = command.user;
      await serveFile(registry, line, command, body);
    } else if (command.kind === 'prepare') await prepare(registry.processors, command.processors);
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
    if (!task) throw new TypeError(`Unknown task ${name}.`);
    const { output, body: bytes } = await task(input, body);
    await line.answer({ kind: 'output', output }, bytes);
  } catch (error) {
    await line.answer(failed(error));
  }
}

async function prepare(processors: readonly Processor[], names: readonly string[]): Promise<void> {
  createTokenCounter().count('');
  // The read that needs a processor reports if it cannot be loaded.
  for (const processor of processors)
    if (names.includes(processor.name)) await processor.prepare?.().catch(() => undefined);
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
    password: undefined,
    redactor:
      start.redactKey === undefined ? undefined : createRedactor(Buffer.from(start.redactKey, 'base64')),
    ...remoteSight(line, start),
  };
  const { signal } = new AbortController();
  const opened = await openedFrom(line, start, body);
  try {
    const session = await startHere(engine, opened, start.request, signal, start.searched);
    await line.answer(await started(session));
    await serveConverter(engine, line, session.converter);
  } catch (error) {
    await line.answer(failed(error));
  } finally {
    await opened.close();
  }
}

async function serveConverter(engine: Engine, line: Line, converter: Converter): Promise<void> {
  let news = reporter(converter);
  let answers: AsyncIterator<Given> | undefined;
  for (;;) {
    const { command } = await line.command();
    try {
      switch (command.kind) {
        case 'parts':
        case 'outline':
        case 'brief outline': {
          const budget = command.room
            ? budgetIn(engine.counter, command.room)
            : createBudget(engine, Number.POSITIVE_INFINITY);
          answers =
            command.kind === 'parts'
              ? parts(converter, budget)
              : lines(converter, budget, command.kind === 'brief outline');
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
      news = reporter(converter); // the last may not have been sent
      await line.answer(failed(error));
    }
  }
}

/** One answer to `next`, and its body. */
interface Given {
  readonly answer: Extract<Answer, { kind: 'part' | 'lines' }>;
  readonly body?: Uint8Array;
}

async function* parts(converter: Converter, budget: Budget): AsyncGenerator<Given> {
  for await (const one of converter.parts(budget)) {
    const { part, body } = packed(one);
    yield { answer: { kind: 'part', part }, body };
  }
}

async function* lines(converter: Converter, budget: Budget, brief: boolean): AsyncGenerator<Given> {
  let batch: OutlineLine[] = [];
  let characters = 0;
  for await (const line of converter.lines(budget, brief)) {
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
  news: () => { readonly state?: News },
): Promise<void> {
  const result = await answers?.next();
  if (!result || result.done === true) return line.answer({ kind: 'done', ...news() });
  const { answer, body } = result.value;
  return line.answer({ ...answer, ...news() }, body);
}

/** What looks at pictures works in the reader's process. */
function remoteSight(line: Line, { ocr, describer }: StartCommand): Pick<Engine, 'ocr' | 'describer'> {
  const ask = async (kind: Look['kind'], picture: SeenPicture): Promise<Reply> => {
    const { data, mimeType, width, height } = picture;
    const { reply } = await line.ask({ kind, mimeType, width, height }, data);
    const { failure } = reply;
    // The reader sends the code of a `ReaderError`.
    if (failure) throw new ReaderError(failure.code as ErrorCode, failure.message, failure.hint);
    return reply;
  };
  return {
    ocr:
      ocr === undefined
        ? undefined
        : { name: ocr, recognize: async (picture) => (await ask('recognize', picture)).lines ?? [] },
    describer:
      describer === undefined
        ? undefined
        : {
            name: describer,
            describe: async (picture) => (await ask('describe', picture)).description ?? '',
          },
  };
}

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

async function started({ detected, entered, converter }: Session): Promise<Answer> {
  const { source } = entered;
  return {
    kind: 'started',
    detected: detected.processor.name,
    mimeType: detected.mimeType,
    file: { name: source.name, size: source.size, identity: await source.identity() },
    entered: {
      name: entered.name,
      bytes: entered.bytes,
      ...(entered.modified && { modified: entered.modified.getTime() }),
      ...(entered.fragment !== undefined && { fragment: entered.fragment }),
    },
    state: stateOf(converter.converted()),
  };
}

function stateOf({ processor, interrupted: _never, ...rest }: Converted): State {
  return { ...rest, processor: processor.name };
}

const isSame = (one: Whole, other: Whole | undefined): boolean =>
  one === other || (one.unit === other?.unit && one.of === other.of && one.name === other.name);

/** What changed since it was last asked: the state of thousands of tables is not sent again with each of them. */
function reporter(converter: Converter): () => { readonly state?: News } {
  let sent: State | undefined;
  return () => {
    const state = stateOf(converter.converted());
    const before = sent;
    sent = state;
    const { wholes, ...rest } = state;
    if (!before) return { state: { ...rest, wholes: { from: 0, wholes } } };
    const news: News = {
      ...(rest.processor !== before.processor && { processor: rest.processor }),
      ...(rest.facts !== before.facts && { facts: rest.facts }),
      ...(rest.encoding && rest.encoding !== before.encoding && { encoding: rest.encoding }),
      ...(rest.textSize !== undefined && rest.textSize !== before.textSize && { textSize: rest.textSize }),
      ...(!isDeepStrictEqual(rest.warnings, before.warnings) && { warnings: rest.warnings }),
    };
    const from = wholes.findIndex((whole, index) => !isSame(whole, before.wholes[index]));
    const kept = from < 0 ? wholes.length : from;
    if (from < 0 && before.wholes.length === kept)
      return Object.keys(news).length === 0 ? {} : { state: news };
    return { state: { ...news, wholes: { from: kept, wholes: wholes.slice(kept) } } };
  };
}

function failed(error: unknown): Extract<Answer, { kind: 'failed' }> {
  const { code, message, hint } = isOutOfMemory(error)
    ? new ChildEnded('OUT_OF_MEMORY').asReaderError()
    : asReaderError(error);
  return { kind: 'failed', code, message, hint };
}
