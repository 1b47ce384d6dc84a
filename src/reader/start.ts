// Decides where a session runs: in this process, or in a child process of the pool.

import { throwIfAborted } from '../contract/index.ts';
import type { Engine } from './engine.ts';
import { asReaderError } from './failure.ts';
import { LocalConverter } from './local-converter.ts';
import { checkRequest, type ReadRequest } from './request.ts';
import { redactedError } from './secrets.ts';
import { again, type Session, startHere } from './session.ts';
import type { Input } from './source/input.ts';
import { type Opened, openAddress } from './source/open.ts';

/**
 * Opens `input` for `work`, and always closes it. Repeats `work` in another process if the first is killed from
 * outside. A result that is ready after the caller has aborted is discarded.
 * @throws {ReaderError} errors of opening and detecting, ABORTED
 */
export async function withSession<T>(
  engine: Engine,
  input: Input,
  request: ReadRequest,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  checkRequest(request);
  const signal = request.signal ?? new AbortController().signal;
  const opened = await openAddress(input, engine.limits, signal, engine.files);
  const attempt = async (): Promise<T> => {
    const session = await startSession(engine, opened, request, signal);
    try {
      return await work(session);
    } finally {
      await session.converter.end();
    }
  };
  let result: T;
  try {
    const retry = engine.pool && (await import('../isolation/index.ts')).withRetry;
    result = await (retry ? retry(attempt) : attempt());
  } finally {
    await opened.close();
  }
  throwIfAborted(signal);
  return result;
}

/**
 * What `work` yields and returns for a session over the whole file that `opening` opens, which is closed at its end.
 * @throws {ReaderError}
 */
export async function* withWhole<T, Result>(
  engine: Engine,
  opening: (signal: AbortSignal) => Promise<Opened>,
  request: ReadRequest,
  work: (session: Session) => AsyncGenerator<T, Result>,
  searched = false,
): AsyncGenerator<T, Result> {
  checkRequest(request);
  const signal = request.signal ?? new AbortController().signal;
  const opened = await opening(signal);
  try {
    const session = await startSession(engine, opened, { ...request, all: true }, signal, searched);
    try {
      return yield* work(session);
    } finally {
      await session.converter.end();
    }
  } catch (error) {
    throw redactedError(asReaderError(error), engine);
  } finally {
    await opened.close();
  }
}

/** A session in this process, or in one of the pool's. `searched`: its text is to be searched. @throws {ReaderError} */
export async function startSession(
  engine: Engine,
  opened: Opened,
  request: ReadRequest,
  signal: AbortSignal,
  searched = false,
): Promise<Session> {
  const { pool } = engine;
  const password = request.password ?? engine.password;
  const unlocked = password === undefined ? request : { ...request, password };
  if (!pool) return startHere(engine, opened, unlocked, signal, searched);
  const { startRemote } = await import('./isolated/session.ts');
  return startRemote({ ...engine, pool }, opened, unlocked, signal, searched);
}

/**
 * The same file for another request. Releases the process of `session` first, since the pool may have no other. @throws
 * {ReaderError}
 */
export async function restartSession(
  engine: Engine,
  session: Session,
  request: ReadRequest,
): Promise<Session> {
  const { converter } = session;
  if (converter instanceof LocalConverter) return again(engine, converter.reading, request);
  await converter.end();
  return startSession(engine, session.opened, request, session.signal);
}
