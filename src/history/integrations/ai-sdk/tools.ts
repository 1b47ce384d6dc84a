// Tools of the AI SDK whose long results go to files as they arrive, before they are in any message.

import { ReaderError } from '../../../contract/index.ts';
import type { ArrivingResult, Compactor } from '../../compactor.ts';
import { fields } from './call.ts';

type Arriving = Pick<Compactor, 'onToolResult'>;
type Method = (...args: unknown[]) => unknown;

function methodOf(tool: object, name: string): Method | null {
  const method = fields(tool)[name];
  // What can be called is called with what came.
  return typeof method === 'function' ? (method as Method) : null;
}

function isAsyncIterable(value: unknown): boolean {
  return (
    (typeof value === 'object' || typeof value === 'function') &&
    value !== null &&
    Symbol.asyncIterator in value
  );
}

/** As the SDK tells it to the model: a text as it is, anything else as JSON; null where there is none. */
function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value;
  try {
    return JSON.stringify(value) ?? null;
  } catch {
    return null;
  }
}

/** The text that goes into the message in the place of this one; null where it stays. */
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

/** An output for the model (`ToolResultOutput`) with its long texts shortened; the same object where none is long. */
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

/** Version 5 asks `toModelOutput` with a tool's output alone, and takes a promise for what the model is told. */
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
            ? Promise.resolve(output).then((told) => shortenedOutput(compactor, name, told))
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
 * The same tools; what one answers, when it is longer than the compactor's policy allows, goes to the storage, and a preview
 * with a pointer goes into the transcript. Where a tool has `toModelOutput`, its own result stays as it is, for the
 * application, and what the model gets is shortened, but in version 5 of the SDK, which waits for nothing there. Tools without
 * `execute` stay as they are, as do tools that give their results bit by bit, and results that the compactor leaves whole:
 * those of readers, and all where its storage fails.
 * @throws {ReaderError} BAD_INPUT without tools or a compactor
 */
export function offloadingTools<T extends object>(tools: T, compactor: Arriving): T {
  if (typeof tools !== 'object' || tools === null)
    throw new ReaderError(
      'BAD_INPUT',
      '`offloadingTools` was given no tools.',
      'Pass the object of tools, then the compactor.',
    );
  if (methodOf(compactor, 'onToolResult') === null)
    throw new ReaderError(
      'BAD_INPUT',
      '`offloadingTools` was given no compactor.',
      "Call `offloadingTools(tools, createCompactor({ format: 'ai-sdk', storage }))`.",
    );
  const entries = Object.entries(tools).map(([name, tool]: [string, unknown]) => [
    name,
    typeof tool === 'object' && tool !== null ? wrapped(name, tool, compactor) : tool,
  ]);
  // Every tool keeps its name, its prototype and all its fields but the one that is wrapped.
  return Object.fromEntries(entries) as T;
}
