// Parses one line or body as a JSON-RPC 2.0 message of MCP, or reports what is wrong with it.

import { isUtf8 } from 'node:buffer';
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  ProtocolErrorCode,
  type RequestId,
} from '@modelcontextprotocol/server';
import { plural } from '../contract/index.ts';

/** Maximum line length. The SDK's HTTP transport accepts 4 MiB; a file written as a whole may be longer. */
export const MAX_MESSAGE_BYTES: number = 8 * 2 ** 20;

/** Maximum nesting in one message, so that recursive code never runs out of stack. */
const MAX_MESSAGE_DEPTH = 200;

/** What is wrong with a line, as a JSON-RPC error. */
export interface Problem {
  /** Id of the request it may have been. */
  readonly id: RequestId | undefined;
  readonly code: number;
  readonly message: string;
}

/** The message in a line; `undefined` means one over `MAX_MESSAGE_BYTES`. */
export function readMessage(line: Buffer | undefined): { message: JSONRPCMessage } | { problem: Problem } {
  if (line === undefined)
    return invalid(`The message is longer than ${plural(MAX_MESSAGE_BYTES, 'byte')}. Send less at once.`);
  if (!isUtf8(line)) return unreadable('The message is not UTF-8.');
  if (depthOf(line) > MAX_MESSAGE_DEPTH)
    return unreadable(`The message nests more than ${plural(MAX_MESSAGE_DEPTH, 'level')} deep.`);
  let value: unknown;
  try {
    value = JSON.parse(line.toString('utf8').replace(/^\uFEFF/, ''));
  } catch {
    return unreadable('The message is not JSON.');
  }
  return checked(value);
}

function checked(value: unknown): { message: JSONRPCMessage } | { problem: Problem } {
  if (isJSONRPCRequest(value) || isJSONRPCNotification(value) || isJSONRPCResponse(value))
    return { message: value };
  if (Array.isArray(value))
    return invalid('The message is a batch, which MCP does not support. Send one message at a time.');
  if (typeof value !== 'object' || value === null) return invalid('The message is not an object.');
  const id = idOf(value);
  const params: unknown = Reflect.get(value, 'params');
  if (Reflect.get(value, 'jsonrpc') !== '2.0') return invalid('`jsonrpc` is not `2.0`.', id);
  if (typeof Reflect.get(value, 'method') !== 'string') return invalid('The message has no `method`.', id);
  if ('id' in value && id === undefined) return invalid('`id` is neither a string nor an integer.');
  if (params !== undefined && (typeof params !== 'object' || params === null || Array.isArray(params)))
    return problem(ProtocolErrorCode.InvalidParams, '`params` is not an object.', id);
  return invalid('The message is neither a request nor a notification nor a response.', id);
}

function idOf(value: object): RequestId | undefined {
  const id: unknown = Reflect.get(value, 'id');
  return typeof id === 'string' || (typeof id === 'number' && Number.isSafeInteger(id)) ? id : undefined;
}

function problem(code: number, message: string, id?: RequestId): { problem: Problem } {
  return { problem: { id, code, message } };
}

const unreadable = (message: string): { problem: Problem } => problem(ProtocolErrorCode.ParseError, message);

const invalid = (message: string, id?: RequestId): { problem: Problem } =>
  problem(ProtocolErrorCode.InvalidRequest, message, id);

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Deepest nesting of brackets outside strings. */
function depthOf(line: Buffer): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let i = 0; i < line.length; i += 1) {
    const byte = line[i];
    if (inString) {
      if (byte === BACKSLASH) i += 1;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === 0x5b || byte === 0x7b) {
      depth += 1;
      deepest = Math.max(deepest, depth);
    } else if (byte === 0x5d || byte === 0x7d) depth -= 1;
  }
  return deepest;
}
