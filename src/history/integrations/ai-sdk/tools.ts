// Wraps AI SDK tools so that long results go to files as they arrive, before they are in any message.

import { ReaderError } from '../../../contract/index.ts';
import type { ArrivingResult, Compactor } from '../../compactor.ts';
import { fields } from './call.ts';

type Arriving = Pick<Compactor, 'onToolResult'>;
type Method = (...args: unknown[]) => unknown;

function methodOf(tool: object, name: string): Method | null {
  const method = fields(tool)[name];
  // It is called with the caller's own arguments.
  return typeof method === 'function' ? (method as Method) : null;
}

function isAsyncIterable(value: unknown): boolean {
  return (
    (typeof value === 'object' || typeof value === 'function') &&
    value !== null &&
    Symbol.asyncIterator in value
  );
}

/**
 * A value as the SDK sends it to the model: a string unchanged, anything else as JSON; null if there is nothing to
 * send.
 */
function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value;
  try {
    return JSON.stringify(value) ?? null;
  } catch {
    return null;
  }
}

/** The text that replaces this one; null if it stays. */
async function shortened(
  compactor: Arriving,
  result: Omit<ArrivingResult, 'text'>,
  value: unknown,
  signal?: AbortSignal,
): Promise<string | null> {
  const text = textOf(value);
  if (text === null) return null;
  const arrived = await compactor.onToolResult({ ...result, text }, { ...(signal && { signal }) });
  return arrived.tier === null ? null : arrived.text;
}

/** An output for the model (`ToolResultOutput`) with long texts shortened; the same object if there are none. */
async function shortenedOutput(compactor: Arriving, toolName: string, output: unknown): Promise<unknown> {
  const { type, value } = fields(output);
  if (type === 'content' && Array.isArray(value)) {
    const parts: unknown[] = [];
    for (const part of value) {
      const { type: kind, text } = fields(part);
      const short = kind === 'text' ? await shortened(compactor, { toolName }, text) : null;
      parts.push(short === null ? part : { ...fields(part), text: short });
    }
    return parts.every((part, index) => part === value[index]) ? output : { ...fields(output), value: parts };
  }
  if (type !== 'text' && type !== 'json' && type !== 'error-text' && type !== 'error-json') return output;
  const isError = type.startsWith('error');
  const short = await shortened(compactor, { toolName, isError }, value);
  return short === null ? output : { ...fields(output), type: isError ? 'error-text' : 'text', value: short };
}

/** Version 5 calls `toModelOutput` with only the tool's output and does not await a promise. */
function mayWait(ask: unknown): boolean {
  const { toolCallId, output } = fields(ask);
  return toolCallId !== undefined && output !== undefined;
}

function wrapped(name: string, tool: object, compactor: Arriving): object {
  const execute = methodOf(tool, 'execute');
  if (!execute) return tool;
  const toModelOutput = methodOf(tool, 'toModelOutput');
  const replaced = toModelOutput
    ? {
        toModelOutput: (...args: unknown[]): unknown => {
          const output = toModelOutput.apply(tool, args);
          return mayWait(args[0])
            ? Promise.resolve(output).then((modelOutput) => shortenedOutput(compactor, name, modelOutput))
            : output;
        },
      }
    : {
        execute: (...args: unknown[]): unknown => {
          const result = execute.apply(tool, args);
          if (isAsyncIterable(result)) return result;
          const { abortSignal } = fields(args[1]);
          const signal = abortSignal instanceof AbortSignal ? abortSignal : undefined;
          return Promise.resolve(result).then(async (value) => {
            return (await shortened(compactor, { toolName: name }, value, signal)) ?? value;
          });
        },
      };
  const descriptors = Object.getOwnPropertyDescriptors({ ...replaced });
  return Object.create(Object.getPrototypeOf(tool), {
    ...Object.getOwnPropertyDescriptors(tool),
    ...descriptors,
  });
}

/**
 * Returns the same tools with long results moved to the storage: the transcript gets a preview with a pointer if a
 * result exceeds the compactor's policy. If a tool has `toModelOutput`, its own result stays unchanged for the
 * application and only the model's output is shortened, except in version 5 of the SDK, where `toModelOutput` must be
 * synchronous. Unchanged are tools without `execute`, tools that stream results, and results that the compactor leaves
 * whole: those of readers, and all if its storage fails.
 * @throws {ReaderError} BAD_INPUT without tools or a compactor
 */
export function offloadingTools<T extends object>(tools: T, compactor: Arriving): T {
  if (typeof tools !== 'object' || tools === null)
    throw new ReaderError(
      'BAD_INPUT',
      '`offloadingTools` needs tools.',
      'Pass the tools object, then the compactor.',
    );
  if (methodOf(compactor, 'onToolResult') === null)
    throw new ReaderError(
      'BAD_INPUT',
      '`offloadingTools` needs a compactor.',
      "Call `offloadingTools(tools, createCompactor({ format: 'ai-sdk', storage }))`.",
    );
  const entries = Object.entries(tools).map(([name, tool]: [string, unknown]) => [
    name,
    typeof tool === 'object' && tool !== null ? wrapped(name, tool, compactor) : tool,
  ]);
  // Every tool keeps its name, prototype and fields, except the wrapped one.
  return Object.fromEntries(entries) as T;
}
