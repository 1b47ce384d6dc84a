// Reads a conversation from a file: a JSON array, a request body, or JSON Lines. Independent of message formats.

import { constants } from 'node:fs';
import { open as openFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { plural, quoted, systemError } from '../contract/index.ts';
import { type Bytes, createReader, ReaderError } from '../index.ts';
import type { Terminal } from './terminal.ts';

/** Messages, with what is needed to write the result in the same form. */
export interface Conversation {
  readonly messages: readonly unknown[];
  readonly form: 'array' | 'body' | 'lines';
  /** The request body around the messages, if any. */
  readonly body: Readonly<Record<string, unknown>> | null;
  /** The field of the body that holds the messages. */
  readonly field: string;
  /**
   * JSON Lines only: the original line of each message, so that unchanged messages stay identical byte for byte. Omits
   * lines that JSON.stringify would reproduce, which are most, to save memory.
   */
  readonly lines: ReadonlyMap<unknown, string>;
}

/** Fields of request bodies that hold messages, in order of precedence. */
const FIELDS = ['messages', 'input', 'contents'] as const;
/** Compacting needs about ten times the size of the conversation in memory. */
const MOST_BYTES: Bytes = 256 * 1024 * 1024;
const PIECE_BYTES = 1024 * 1024;
/** Characters per write. */
export const WRITTEN_CHARACTERS: number = 256 * 1024;
const FORMS = 'Give a JSON array of messages, a request body such as `{ "messages": [...] }`, or JSON Lines.';

/**
 * The conversation in `file`, or on standard input if `file` is `-`.
 * @throws {ReaderError} BAD_INPUT (no JSON, no messages), FILE_NOT_FOUND, NOT_A_FILE, ACCESS_DENIED, LIMIT_EXCEEDED, ABORTED
 */
export async function readConversation(file: string, terminal: Terminal): Promise<Conversation> {
  const name = file === '-' ? 'standard input' : basename(file);
  const bytes = withoutMark(
    file === '-'
      ? await bytesOf(terminal.stdin, name, terminal.signal)
      : await bytesIn(file, name, terminal.signal),
  );
  const first = nextLine(bytes, 0);
  if (first === null) throw new ReaderError('BAD_INPUT', `${quoted(name)} is empty.`, FORMS);
  // A bracket starts an array. A first line that is a complete value is JSON Lines or a body.
  const value = bytes[first.from] === 0x5b ? undefined : parsed(textOf(bytes, first, name));
  const conversation =
    value === undefined || (nextLine(bytes, first.to) === null && fieldOf(value) !== null)
      ? await fromValue(bytes, name)
      : await fromLines(bytes, name, terminal.signal);
  if (conversation.messages.length > 0) return conversation;
  throw new ReaderError('BAD_INPUT', `${quoted(name)} contains an empty list of messages.`, FORMS);
}

async function bytesIn(file: string, name: string, signal: AbortSignal): Promise<Buffer> {
  let handle: Awaited<ReturnType<typeof openFile>>;
  try {
    // Opens a pipe without waiting for its other end, to reject it.
    handle = await openFile(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    throw systemError(error, name, 'open');
  }
  try {
    const stats = await handle.stat();
    if (!stats.isFile())
      throw new ReaderError(
        'NOT_A_FILE',
        `${quoted(name)} is ${stats.isDirectory() ? 'a directory' : 'not a regular file'}; expected a conversation.`,
        'Give a file, or `-` to read standard input.',
      );
    refuseLarger(stats.size, name);
    const bytes = Buffer.allocUnsafe(stats.size);
    let filled = 0;
    while (filled < bytes.length) {
      refuseCancelled(signal);
      const length = Math.min(PIECE_BYTES, bytes.length - filled);
      const { bytesRead } = await handle.read(bytes, filled, length, filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return bytes.subarray(0, filled);
  } catch (error) {
    throw systemError(error, name, 'open');
  } finally {
    await handle.close();
  }
}

async function bytesOf(stream: NodeJS.ReadableStream, name: string, signal: AbortSignal): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    refuseCancelled(signal);
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    size += bytes.length;
    refuseLarger(size, name);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks, size);
}

function withoutMark(bytes: Buffer): Buffer {
  const marked = bytes.length >= 3 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return marked ? bytes.subarray(3) : bytes;
}

/** A non-blank line without its line break. */
interface Line {
  readonly from: number;
  readonly to: number;
}

const isBlank = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;

function nextLine(bytes: Buffer, at: number): Line | null {
  let from = at;
  while (from < bytes.length && isBlank(bytes[from])) from += 1;
  if (from === bytes.length) return null;
  const end = bytes.indexOf(0x0a, from);
  let to = end < 0 ? bytes.length : end;
  while (isBlank(bytes[to - 1])) to -= 1;
  return { from, to };
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function textOf(bytes: Buffer, { from, to }: Line, name: string): string {
  try {
    return UTF8.decode(bytes.subarray(from, to));
  } catch (error) {
    throw new ReaderError('BAD_INPUT', `${quoted(name)} is not UTF-8.`, 'Save it as UTF-8.', error);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // never a JSON value
  }
}

async function fromValue(bytes: Buffer, name: string): Promise<Conversation> {
  const value = parsed(textOf(bytes, { from: 0, to: bytes.length }, name));
  if (value === undefined) throw beginsAsJson(bytes) ? await notJson(bytes, name, null) : noJson(name);
  if (Array.isArray(value) && value.length > 0 && value.every((one) => fieldOf(one) !== null))
    throw severalIn(value.length, name);
  if (Array.isArray(value))
    return { messages: value, form: 'array', body: null, field: 'messages', lines: new Map() };
  const field = fieldOf(value);
  if (field === null) throw noList(value, name);
  // `fieldOf` has found a list in it.
  const body = value as Record<string, unknown>;
  const messages = body[field] as readonly unknown[];
  return { messages, form: 'body', body, field, lines: new Map() };
}

async function fromLines(bytes: Buffer, name: string, signal: AbortSignal): Promise<Conversation> {
  const lines = new Map<unknown, string>();
  const messages: unknown[] = [];
  for (let line = nextLine(bytes, 0); line !== null; line = nextLine(bytes, line.to)) {
    const text = textOf(bytes, line, name);
    const message = parsed(text);
    if (message === undefined) throw beginsAsJson(bytes) ? await notJson(bytes, name, line) : noJson(name);
    if (typeof message === 'object' && !isWrittenSo(message, text)) lines.set(message, text);
    messages.push(message);
    if (messages.length % 1000 === 0) refuseCancelled(signal);
  }
  const [only] = messages;
  if (messages.length === 1 && !isMessage(only)) throw noList(only, name);
  return { messages, form: 'lines', body: null, field: 'messages', lines };
}

function isWrittenSo(message: unknown, text: string): boolean {
  try {
    return JSON.stringify(message) === text;
  } catch {
    return false; // nested too deeply to write
  }
}

const isMessage = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && ('role' in value || 'type' in value);

/** The field of a request body that holds messages; null for anything else. */
function fieldOf(value: unknown): string | null {
  if (typeof value !== 'object' || value === null) return null;
  if ('role' in value) return null;
  return FIELDS.find((field) => Array.isArray(Reflect.get(value, field))) ?? null;
}

function noList(value: unknown, name: string): ReaderError {
  const keys = typeof value === 'object' && value !== null ? Object.keys(value) : null;
  const found =
    keys === null
      ? `a ${value === null ? 'null' : typeof value}`
      : keys.length === 0
        ? 'an object without keys'
        : `an object with ${plural(keys.length, 'key')}, such as ${keys.slice(0, 3).map(quoted).join(', ')}`;
  return new ReaderError(
    'BAD_INPUT',
    `${quoted(name)} contains ${found}; expected a list of messages.`,
    FORMS,
  );
}

function severalIn(count: number, name: string): ReaderError {
  return new ReaderError(
    'BAD_INPUT',
    `${quoted(name)} contains an array of ${plural(count, 'conversation')}; expected one conversation.`,
    "Pass one of them, for example `jq '.[0]' FILE | lectern compact -`.",
  );
}

/** True if the text starts like an array or an object. */
function beginsAsJson(bytes: Buffer): boolean {
  const byte = bytes[nextLine(bytes, 0)?.from ?? 0];
  return byte === 0x5b || byte === 0x7b;
}

function noJson(name: string): ReaderError {
  return new ReaderError('BAD_INPUT', `${quoted(name)} is not JSON; expected a conversation in JSON.`, FORMS);
}

/** An error with the position of the syntax error. `line`: the line of JSON Lines that was parsed. */
async function notJson(bytes: Buffer, name: string, line: Line | null): Promise<ReaderError> {
  const wrong = line === null ? bytes : bytes.subarray(line.from, line.to);
  const inspection = await createReader({ cache: false, environment: {} }).inspect({
    name: 'conversation.json',
    bytes: wrong,
  });
  const said = inspection.success
    ? inspection.warnings.find(({ code }) => code === 'INVALID_SYNTAX')?.message
    : undefined;
  const fault = /^.*?: (?<what>.*) at line (?<line>\d+), column (?<column>\d+)/s.exec(said ?? '')?.groups;
  const row = line === null ? Number(fault?.['line'] ?? 1) : lineNumber(bytes, line.from);
  const place = fault ? `line ${row}, column ${fault['column']}: ${fault['what']}` : `line ${row}`;
  return new ReaderError(
    'BAD_INPUT',
    `${quoted(name)} is not valid JSON at ${place}.`,
    'Correct the syntax there.',
  );
}

function lineNumber(bytes: Buffer, at: number): number {
  let number = 1;
  for (let end = bytes.indexOf(0x0a); end >= 0 && end < at; end = bytes.indexOf(0x0a, end + 1)) number += 1;
  return number;
}

function refuseLarger(size: Bytes, name: string): void {
  if (size <= MOST_BYTES) return;
  throw new ReaderError(
    'LIMIT_EXCEEDED',
    `${quoted(name)} is larger than ${MOST_BYTES / 2 ** 20} MiB.`,
    'Split it, and compact the parts separately.',
  );
}

function refuseCancelled(signal: AbortSignal): void {
  if (!signal.aborted) return;
  throw new ReaderError('ABORTED', 'The compaction was cancelled.', 'Call again.', signal.reason);
}
