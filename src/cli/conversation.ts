// A conversation as a file has it: a JSON array, a request body, or JSON Lines; read whole, and written in the same form.
// Knows nothing of message formats.

import { constants } from 'node:fs';
import { open as openFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { plural, quoted, systemError } from '../contract/index.ts';
import { type Bytes, createReader, ReaderError } from '../index.ts';
import type { Terminal } from './terminal.ts';

/** Messages, and what is needed to write others in the form they came in. */
export interface Conversation {
  readonly messages: readonly unknown[];
  readonly form: 'array' | 'body' | 'lines';
  /** The request body around them; null where there is none. */
  readonly body: Readonly<Record<string, unknown>> | null;
  /** The field of the body that holds them. */
  readonly field: string;
  /**
   * Of JSON Lines: the line each message was, so that one that is not touched stays the same to the byte; but for those that
   * JSON.stringify writes so, which are most: the file need not stay in memory beside its messages.
   */
  readonly lines: ReadonlyMap<unknown, string>;
}

/** Fields of request bodies that hold messages, in the order they are looked for. */
const FIELDS = ['messages', 'input', 'contents'] as const;
/** All of a conversation lies in memory while it is compacted, about ten times over. */
const MOST_BYTES: Bytes = 256 * 1024 * 1024;
const PIECE_BYTES = 1024 * 1024;
/** Characters written at once. */
export const WRITTEN_CHARACTERS: number = 256 * 1024;
const FORMS = 'Give a JSON array of messages, a request body such as `{ "messages": [...] }`, or JSON Lines.';

/**
 * The conversation in `file`, or of standard input where it is `-`.
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
  if (first === null)
    throw new ReaderError('BAD_INPUT', `${quoted(name)} is empty: there are no messages in it.`, FORMS);
  // What begins with a bracket is an array; a first line that is a value of its own is the first of many, or a body.
  const value = bytes[first.from] === 0x5b ? undefined : parsed(textOf(bytes, first, name));
  const conversation =
    value === undefined || (nextLine(bytes, first.to) === null && fieldOf(value) !== null)
      ? await fromValue(bytes, name)
      : await fromLines(bytes, name, terminal.signal);
  if (conversation.messages.length > 0) return conversation;
  throw new ReaderError('BAD_INPUT', `${quoted(name)} holds a list without messages.`, FORMS);
}

async function bytesIn(file: string, name: string, signal: AbortSignal): Promise<Buffer> {
  let handle: Awaited<ReturnType<typeof openFile>>;
  try {
    // A pipe is opened without waiting for its other end, then refused.
    handle = await openFile(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    throw systemError(error, name, 'open');
  }
  try {
    const stats = await handle.stat();
    if (!stats.isFile())
      throw new ReaderError(
        'NOT_A_FILE',
        `${quoted(name)} is ${stats.isDirectory() ? 'a directory' : 'no regular file'}; expected a conversation.`,
        'Name a file, or write `-` and give the conversation to standard input.',
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

/** A line that is not blank, from its first character to the break that ends it. */
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
    throw new ReaderError(
      'BAD_INPUT',
      `${quoted(name)} is not UTF-8.`,
      'Save it as UTF-8, as JSON is.',
      error,
    );
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // no JSON value is this
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
    return false; // too many levels to be written at all
  }
}

const isMessage = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && ('role' in value || 'type' in value);

/** The field of a request body that holds messages; null for what is no body. */
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
  return new ReaderError('BAD_INPUT', `${quoted(name)} holds no list of messages but ${found}.`, FORMS);
}

function severalIn(count: number, name: string): ReaderError {
  return new ReaderError(
    'BAD_INPUT',
    `${quoted(name)} holds an array of ${plural(count, 'conversation')}; expected one conversation.`,
    "Pass one of them, such as with `jq '.[0]' FILE | lectern compact -`.",
  );
}

/** Whether it begins as an array or an object does: what does not is a text or a table. */
function beginsAsJson(bytes: Buffer): boolean {
  const byte = bytes[nextLine(bytes, 0)?.from ?? 0];
  return byte === 0x5b || byte === 0x7b;
}

function noJson(name: string): ReaderError {
  return new ReaderError('BAD_INPUT', `${quoted(name)} is no JSON; expected a conversation in JSON.`, FORMS);
}

/** Tells where it is wrong; `line` where it is to be JSON by itself. */
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
  return new ReaderError('BAD_INPUT', `${quoted(name)} is not JSON at ${place}.`, 'Put that place right.');
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
    'Compact earlier parts of it on their own.',
  );
}

function refuseCancelled(signal: AbortSignal): void {
  if (!signal.aborted) return;
  throw new ReaderError('ABORTED', 'The compaction was cancelled.', 'Call again.', signal.reason);
}
