// Items of OpenAI's two flat formats, where a call, its result and a piece of reasoning are each an entry of the list: how
// each type is read and changed. The formats differ in how they write names, which a dialect says.

import type { OpenCall, Role } from '../message.ts';
import { type Item, item } from '../message.ts';
import {
  argumentsOf,
  guarded,
  joined,
  jsonValue,
  listOf,
  type Native,
  nativeOf,
  textIn,
  weightOf,
} from './native.ts';
import { type ChangeAt, type Draft, type Parsed, type Segment, unread, whole } from './openai-codec.ts';
import {
  appendedSpeech,
  editedResult,
  editedSpeech,
  mediaOf,
  resultItems,
  speechItems,
  type TextPart,
} from './openai-part.ts';

/** How a flat format writes what both have. */
export interface Dialect {
  readonly callId: 'call_id' | 'callId';
  readonly callerId: 'caller_id' | 'callerId';
  readonly exitCode: 'exit_code' | 'exitCode';
  /** Type of the result of a function call, and of a computer call. */
  readonly functionResult: string;
  readonly computerResult: string;
  /** Where a screenshot lies in its output. */
  readonly screenshot: 'image_url' | 'data';
  /** Where the output of a program lies. */
  readonly programOutput: 'result' | 'output';
  /** A text the assistant says, as a part. */
  readonly said: TextPart;
}

/** A text told to a model, as a part: both formats write it the same. */
export const toldPart: TextPart = (text) => ({ type: 'input_text', text });

const ROLES: ReadonlyMap<unknown, Role> = new Map([
  ['system', 'system'],
  ['developer', 'system'],
  ['user', 'user'],
  ['assistant', 'assistant'],
]);

/** Plain characters in one of base64. */
const PER_BASE64 = 3 / 4;

/** Characters an encrypted text may stand for: they are read, and paid for, as what they were. */
function sealedWeight(encrypted: unknown): number {
  return typeof encrypted === 'string' ? Math.ceil(encrypted.length * PER_BASE64) : 0;
}

/** Reads the types of items both formats have, and messages; what is neither is opaque. */
export function parseItem(message: Native, dialect: Dialect): Parsed | null {
  const type = textIn(message, 'type') ?? 'message';
  switch (type) {
    case 'message':
      return message['role'] === undefined ? reference(message) : speech(message, dialect);
    case 'reasoning':
      return reasoning(message);
    case 'compaction': {
      const weight = weightOf(message, ['encrypted_content']) + sealedWeight(message['encrypted_content']);
      return assistant(whole(item('opaque', { sealed: true, boundary: true, weight })));
    }
    case 'item_reference':
      return reference(message);
    case 'compaction_trigger':
    case 'additional_tools':
      // An instruction where it stands: it belongs to nobody's turn.
      return { role: 'system', segments: [whole(item('opaque', { weight: weightOf(message) }))] };
    case 'function_call':
      return assistant(call(message, dialect, textIn(message, 'name'), 'arguments'));
    case 'custom_tool_call':
      return assistant(call(message, dialect, textIn(message, 'name'), 'input'));
    case 'computer_call':
      return assistant(call(message, dialect, type, message['action'] ? 'action' : 'actions'));
    case 'local_shell_call':
    case 'shell_call':
      return assistant(call(message, dialect, type, 'action'));
    case 'apply_patch_call':
      return assistant(call(message, dialect, type, 'operation'));
    case 'program':
      return assistant(program(message, dialect));
    case 'program_output':
      return assistant(programOutput(message, dialect));
    case dialect.functionResult:
    case 'custom_tool_call_output':
      return tool(output(message, dialect));
    case dialect.computerResult:
      return tool(screenshot(message, dialect));
    case 'local_shell_call_output':
      return tool(output(message, dialect, textIn(message, dialect.callId) ?? textIn(message, 'id')));
    case 'shell_call_output':
      return tool(
        Array.isArray(message['output']) ? shellOutput(message, dialect) : output(message, dialect),
      );
    case 'apply_patch_call_output':
      return tool(output(message, dialect));
    case 'tool_search_call':
    case 'tool_search_output':
      return toolSearch(message);
    default:
      return null;
  }
}

/** A message of the assistant's side. */
export function assistant(...segments: readonly Segment[]): Parsed {
  return { role: 'assistant', segments };
}

function tool(...segments: readonly Segment[]): Parsed {
  return { role: 'tool', segments };
}

/**
 * An item of a type that is not known. A call and its result, by the look of their names, stay together; so do others that
 * name one call.
 */
export function unknownItem(message: Native, dialect: Dialect): Parsed {
  if (ROLES.has(message['role']) || typeof message['type'] !== 'string') return unread(message);
  const callId = textIn(message, dialect.callId) ?? textIn(message, 'call_id');
  const links = [...(callId === null ? [] : [`call:${callId}`]), ...callerLinks(message, dialect)];
  const only = whole(item('opaque', { links, weight: weightOf(message) }));
  return /_(?:output|result|response)$/.test(message['type']) ? tool(only) : assistant(only);
}

function speech(message: Native, dialect: Dialect): Parsed | null {
  const role = ROLES.get(message['role']);
  if (role === undefined || role === 'tool') return null;
  const content = message['content'];
  const part = role === 'assistant' ? dialect.said : toldPart;
  const items = speechItems(role === 'assistant' ? 'text' : role, content);
  if (!items) return null;
  const write = (draft: Draft, change: ChangeAt): boolean => {
    draft['content'] = editedSpeech(content, change, part) ?? '';
    return true;
  };
  const append = (draft: Draft, texts: readonly string[]): void => {
    draft['content'] = appendedSpeech(draft['content'], texts, part);
  };
  return { role, segments: [{ items, write }], ...(role === 'user' ? { append } : {}) };
}

/** A search for tools, or the tools it loaded; where they have no id they lie side by side. */
function toolSearch(message: Native): Parsed {
  const id = textIn(message, 'call_id') ?? textIn(message, 'callId');
  const links = id === null ? [] : [`call:${id}`];
  const only = whole(item('opaque', { links, weight: weightOf(message) }));
  const answered = message['type'] === 'tool_search_output' && message['execution'] === 'client';
  return answered ? tool(only) : assistant(only);
}

/** An item named by its id alone. */
function reference(message: Native): Parsed | null {
  const id = textIn(message, 'id');
  return id === null ? null : assistant(whole(item('opaque', { links: [`item:${id}`], weight: id.length })));
}

function reasoning(message: Native): Parsed {
  const parts = [message['summary'], message['content'], message['rawContent']].flatMap(listOf);
  const text = joined(parts.map((part) => textIn(part, 'text')));
  const data = nativeOf(message['providerData']);
  const encrypted =
    message['encrypted_content'] ?? data?.['encrypted_content'] ?? data?.['encryptedContent'] ?? null;
  const sealed = encrypted !== null || typeof message['id'] === 'string';
  return assistant(whole(item('reasoning', { text, sealed, weight: sealedWeight(encrypted) })));
}

/** Calls a program makes stay with the program. */
function callerLinks(message: Native, dialect: Dialect): readonly string[] {
  const caller = textIn(message['caller'], dialect.callerId);
  return caller === null ? [] : [`program:${caller}`];
}

/** A call whose arguments lie in `field`: an object, JSON text of one, or, of a custom tool, any text. */
function call(message: Native, dialect: Dialect, toolName: string | null, field: string): Segment {
  const value = message[field];
  const facts = {
    callId: textIn(message, dialect.callId),
    toolName,
    text: typeof value === 'string' ? value : jsonText(value),
    args: field === 'input' ? null : argumentsOf(value),
    links: callerLinks(message, dialect),
  };
  return {
    items: [item('call', facts)],
    write: (draft, change) => {
      const args = change(0)?.args ?? null;
      if (change(0)?.removed) return false;
      if (args && field === 'arguments') draft[field] = JSON.stringify(args);
      else if (args && facts.args) draft[field] = args;
      return true;
    },
  };
}

/** `value` as JSON text; empty where it has none. */
export function jsonText(value: unknown): string {
  return value === undefined || value === null ? '' : guarded(() => JSON.stringify(jsonValue(value)), '');
}

function program(message: Native, dialect: Dialect): Segment {
  const callId = textIn(message, dialect.callId);
  return whole(
    item('call', {
      callId,
      toolName: 'program',
      text: textIn(message, 'code') ?? '',
      // Its fingerprint is of the code.
      sealed: true,
      providerExecuted: true,
      links: callId === null ? [] : [`program:${callId}`],
    }),
  );
}

function programOutput(message: Native, dialect: Dialect): Segment {
  const callId = textIn(message, dialect.callId);
  const text = textIn(message, dialect.programOutput) ?? '';
  const links = callId === null ? [] : [`program:${callId}`];
  const facts = { callId, toolName: 'program', text, providerExecuted: true, links };
  return {
    items: [item('result', facts)],
    write: (draft, change) => {
      draft[dialect.programOutput] = change(0)?.text ?? text;
      return !change(0)?.removed;
    },
  };
}

function output(
  message: Native,
  dialect: Dialect,
  callId: string | null = textIn(message, dialect.callId),
): Segment {
  const value = message['output'];
  const facts = {
    callId,
    toolName: textIn(message, 'name'),
    isError: message['status'] === 'failed',
    links: callerLinks(message, dialect),
  };
  return {
    items: resultItems(facts, value),
    write: (draft, change) => {
      if (change(0)?.removed) return false;
      draft['output'] = editedResult(value, change, toldPart);
      return true;
    },
  };
}

/** A screenshot has nowhere to put a text: it stays, or goes with its group. */
function screenshot(message: Native, dialect: Dialect): Segment {
  const callId = textIn(message, dialect.callId);
  const shot = nativeOf(message['output']);
  const items = resultItems({ callId, toolName: 'computer_call', sealed: true }, shot);
  return { items, write: (_draft, change) => !items.some((_, index) => change(index)?.removed) };
}

function shellOutput(message: Native, dialect: Dialect): Segment {
  const runs = listOf(message['output']);
  const text = joined(runs.flatMap((run) => [textIn(run, 'stdout'), textIn(run, 'stderr')]));
  const failed = runs.find((run) => {
    const outcome = nativeOf(nativeOf(run)?.['outcome']);
    const exit = outcome?.[dialect.exitCode];
    return outcome?.['type'] === 'timeout' || (typeof exit === 'number' && exit !== 0);
  });
  const facts = {
    callId: textIn(message, dialect.callId),
    toolName: 'shell_call',
    isError: failed !== undefined,
    links: callerLinks(message, dialect),
  };
  return {
    items: [item('result', { ...facts, text })],
    write: (draft, change) => {
      if (change(0)?.removed) return false;
      const outcome = { type: 'exit', [dialect.exitCode]: 0 };
      draft['output'] = [
        { outcome, ...nativeOf(failed ?? runs[0]), stdout: change(0)?.text ?? text, stderr: '' },
      ];
      return true;
    },
  };
}

/** One provider-run tool in one item: a call and, once it has one, its result. */
export interface Hosted {
  readonly toolName: string | null;
  /** The field of the arguments: JSON text in `arguments`, code in `code`, else a value. */
  readonly args: string;
  readonly links?: readonly string[];
  /** Characters besides the arguments and the result. */
  readonly weight?: number;
  readonly result: readonly Item[];
  /** Absent for a result that is as it is: the item goes with it. */
  readonly writeResult?: (draft: Draft, change: ChangeAt) => void;
}

/** The segments of a provider-run tool: with the call goes the item. */
export function hosted(message: Native, callId: string | null, told: Hosted): readonly Segment[] {
  const value = message[told.args];
  const facts: Partial<Item> = {
    callId,
    toolName: told.toolName,
    text: typeof value === 'string' ? value : jsonText(value),
    args: told.args === 'code' ? null : argumentsOf(value),
    providerExecuted: true,
    links: told.links ?? [],
    weight: told.weight ?? 0,
  };
  const called: Segment = {
    items: [item('call', facts)],
    write: (draft, change) => {
      const args = change(0)?.args ?? null;
      if (args && told.args === 'arguments') draft[told.args] = JSON.stringify(args);
      else if (args && facts.args) draft[told.args] = args;
      return !change(0)?.removed;
    },
  };
  if (told.result.length === 0) return [called];
  const answered: Segment = {
    items: told.result,
    write: (draft, change) => {
      told.writeResult?.(draft, change);
      return told.writeResult !== undefined || !told.result.some((_, index) => change(index)?.removed);
    },
  };
  return [called, answered];
}

/** A picture the provider made: it goes back as it is. */
export function pictureResult(callId: string | null, base64: unknown): readonly Item[] {
  const media = typeof base64 === 'string' ? mediaOf({ type: 'image', image: base64 }) : null;
  if (!media) return [];
  const facts = { callId, providerExecuted: true, sealed: true } as const;
  return [
    item('result', { ...facts, toolName: 'image_generation_call' }),
    item('media', { ...facts, media }),
  ];
}

/** The smallest PNG, one clear pixel: the answer to a computer call that never came must be a picture. */
const NO_PICTURE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

/** An error result for a call that never got one, in the type its tool wants. */
export function answerTo({ callId, toolName }: OpenCall, text: string, dialect: Dialect): Draft {
  const named = { [dialect.callId]: callId };
  switch (toolName) {
    case 'shell_call': {
      const outcome = { type: 'exit', [dialect.exitCode]: 1 };
      return { type: 'shell_call_output', ...named, output: [{ stdout: '', stderr: text, outcome }] };
    }
    case 'local_shell_call':
      return { type: 'local_shell_call_output', id: callId, output: text };
    case 'apply_patch_call':
      return { type: 'apply_patch_call_output', ...named, status: 'failed', output: text };
    case 'computer_call': {
      const picture = { type: 'computer_screenshot', [dialect.screenshot]: NO_PICTURE };
      return { type: dialect.computerResult, ...named, output: picture };
    }
    default:
      return { type: dialect.functionResult, ...named, output: text };
  }
}
