// Items of OpenAI's two flat formats, in which calls, results and reasoning are separate list entries: those that both
// formats have, and the answers added for calls without a result.

import { LENIENT, type ProviderRules } from '../codec.ts';
import { type Entries, resultEdited, resultItems, speech } from '../content.ts';
import { type Place, type Reading, type Slot, slot, valueAt } from '../lens.ts';
import { type Item, item, type OpenCall, type Role, rolesOf, textKind } from '../message.ts';
import {
  argumentsOf,
  base64Of,
  bytesOf,
  joined,
  listOf,
  type Native,
  nativeOf,
  sealedWeight,
  textIn,
  weightOf,
} from '../native.ts';
import { jsonText } from '../value-text.ts';
import { blankSlot } from './chat.ts';
import { entriesWith } from './entries.ts';

/** How a flat format spells what both have. */
export interface Dialect {
  readonly callId: 'call_id' | 'callId';
  readonly callerId: 'caller_id' | 'callerId';
  readonly exitCode: 'exit_code' | 'exitCode';
  /** Type of the result of a function call, and of a computer call. */
  readonly functionResult: string;
  readonly computerResult: string;
  /** Fields of an answer to a function call besides its id and text. */
  readonly answered: (toolName: string) => Native;
  /** Field that holds the output of a program. */
  readonly programOutput: 'result' | 'output';
  /** An assistant text as a part. */
  readonly said: (text: string) => Native;
}

/** A result is a separate item anywhere after its call; reasoning must keep the item that follows it. */
export const FLAT_RULES: ProviderRules = { ...LENIENT, results: 'anywhere' };

/** A text for the model as a part; the same in both formats. */
export const inputText = (text: string): Native => ({ type: 'input_text', text });
const INPUT: Entries = entriesWith(inputText);

const ROLES = new Map<unknown, Role>([...rolesOf('system', 'user', 'assistant'), ['developer', 'system']]);

/** A message with one item, which can only be removed together with it. */
function whole(role: Role, only: Item): Reading {
  return { role, slots: [slot([], only)] };
}

/** A result with the text in `field`; `write` gives the value of the field for another text. */
function textSlot(field: string, own: Item, write: (text: string) => unknown = (text) => text): Slot {
  const place: Place = {
    at: [field],
    write: (value, change) => {
      const text = change(0)?.text ?? null;
      return text === null ? value : write(text);
    },
  };
  return { items: [own], places: [place] };
}

/** Reads messages and the item types that both formats share; null for anything else. */
export function readItem(message: Native, dialect: Dialect): Reading | null {
  const type = textIn(message, 'type') ?? 'message';
  const callId = textIn(message, dialect.callId);
  switch (type) {
    case 'message':
      return message['role'] === undefined ? reference(message) : said(message, dialect);
    case 'reasoning':
      return reasoning(message);
    case 'compaction':
      return whole('assistant', item('opaque', { sealed: true, boundary: true, weight: weightOf(message) }));
    case 'item_reference':
      return reference(message);
    case 'compaction_trigger':
    case 'additional_tools':
      // An instruction at this position; it belongs to no turn.
      return whole('system', item('opaque', { weight: weightOf(message) }));
    case 'program':
    case 'program_output': {
      // The provider runs it; it calls the caller's tools and receives their answers. Its fingerprint covers the code.
      const links = callId === null ? [] : [`program:${callId}`];
      const facts = { callId, toolName: 'program', providerExecuted: true, links };
      if (type === 'program')
        return whole(
          'assistant',
          item('call', { ...facts, text: textIn(message, 'code') ?? '', sealed: true }),
        );
      const field = dialect.programOutput;
      const result = item('result', { ...facts, text: textIn(message, field) ?? '' });
      return { role: 'assistant', slots: [textSlot(field, result)] };
    }
    case 'tool_search_call':
    case 'tool_search_output':
      return toolSearch(message);
    default: {
      const call = callOf(message, type, dialect);
      if (call) return { role: 'assistant', slots: [call] };
      const result = resultOf(message, type, dialect);
      return result && { role: 'tool', slots: [result] };
    }
  }
}

/** An item of unknown type. Types named like a call and its result, and items that name the same call, stay together. */
export function unknownItem(message: Native, dialect: Dialect): Reading | null {
  const { type } = message;
  if (ROLES.has(message['role']) || typeof type !== 'string') return null;
  const callId = textIn(message, dialect.callId) ?? textIn(message, 'call_id');
  const links = [...(callId === null ? [] : [`call:${callId}`]), ...callerLinks(message, dialect)];
  const role = /_(?:output|result|response)$/.test(type) ? 'tool' : 'assistant';
  return whole(role, item('opaque', { links, weight: weightOf(message) }));
}

function said({ role: named, content }: Native, dialect: Dialect): Reading | null {
  const role = ROLES.get(named);
  if (role === undefined) return null;
  if (Array.isArray(content) && content.length === 0) return { role, slots: [blankSlot(role)] };
  const entries = role === 'assistant' ? entriesWith(dialect.said) : INPUT;
  const slots = speech(textKind(role), content, ['content'], entries);
  return slots && { role, slots };
}

/** An item given only by its id. */
function reference(message: Native): Reading | null {
  const id = textIn(message, 'id');
  return id === null
    ? null
    : whole('assistant', item('opaque', { links: [`item:${id}`], weight: id.length }));
}

function reasoning(message: Native): Reading {
  const parts = [message['summary'], message['content'], message['rawContent']].flatMap(listOf);
  const text = joined(parts.map((part) => textIn(part, 'text')));
  const encrypted = fieldOf(message, 'encrypted_content') ?? fieldOf(message, 'encryptedContent') ?? null;
  const sealed = encrypted !== null || typeof message['id'] === 'string';
  return whole('assistant', item('reasoning', { text, sealed, weight: sealedWeight(encrypted) }));
}

/** Reads a field; Agents SDK items may have it in `providerData` instead. */
function fieldOf(message: Native, name: string): unknown {
  return message[name] ?? nativeOf(message['providerData'])?.[name];
}

/** Calls made by a program stay with the program. */
export function callerLinks(message: Native, dialect: Dialect): readonly string[] {
  const caller = textIn(message['caller'], dialect.callerId);
  return caller === null ? [] : [`program:${caller}`];
}

/**
 * Call types, each with the field of its arguments and the type of its results, as in `CallForm`. A computer call can only
 * be answered with a screenshot, and its safety checks must be acknowledged by the user, so no answer is made up for it.
 */
const CALLS: ReadonlyMap<string, readonly [args: string, result: string | null]> = new Map<
  string,
  readonly [string, string | null]
>([
  ['function_call', ['arguments', null]],
  ['custom_tool_call', ['input', 'custom_tool_call_output']],
  ['computer_call', ['actions', null]],
  ['local_shell_call', ['action', 'local_shell_call_output']],
  ['shell_call', ['action', 'shell_call_output']],
  ['apply_patch_call', ['operation', 'apply_patch_call_output']],
]);

function callOf(message: Native, type: string, dialect: Dialect): Slot | null {
  const [args, result] = CALLS.get(type) ?? [];
  if (args === undefined || result === undefined) return null;
  const caller = textIn(message['caller'], dialect.callerId);
  const isFunction = type === 'function_call';
  const isNamed = isFunction || type === 'custom_tool_call';
  return callSlot(message, args === 'actions' && message['action'] ? 'action' : args, {
    callId: textIn(message, dialect.callId),
    toolName: isNamed ? textIn(message, 'name') : type,
    form: isFunction
      ? caller === null
        ? null
        : { result: dialect.functionResult, caller }
      : { result, caller },
    // Commands for a container run at the provider.
    providerExecuted: !isNamed && textIn(fieldOf(message, 'environment'), 'type') === 'container_reference',
    links: callerLinks(message, dialect),
  });
}

/** A call whose arguments are JSON text, an object, or any text. */
function callSlot(message: Native, field: string, facts: Partial<Item>): Slot {
  const value = message[field];
  const args = /^(?:input|code)$/.test(field) ? null : argumentsOf(value);
  const own = item('call', { ...facts, text: jsonText(value ?? undefined), args });
  return slot([field], own, args || field === 'arguments' ? { args: [] } : {});
}

/** A result of one of the caller's tools; null for an item of another type. */
function resultOf(message: Native, type: string, dialect: Dialect): Slot | null {
  const callId = textIn(message, dialect.callId);
  const output = message['output'];
  const links = callerLinks(message, dialect);
  switch (type) {
    case dialect.computerResult: {
      // A screenshot cannot be replaced with text: it stays, or is removed with its group.
      const facts = { callId, toolName: 'computer_call', sealed: true };
      return { items: resultItems(facts, [output], INPUT), places: [{ at: [] }] };
    }
    case dialect.functionResult:
    case 'custom_tool_call_output':
    case 'apply_patch_call_output':
    case 'local_shell_call_output':
    case 'shell_call_output': {
      if (type === 'shell_call_output' && Array.isArray(output)) break;
      const { status } = message;
      const facts = {
        callId: type === 'local_shell_call_output' ? (callId ?? textIn(message, 'id')) : callId,
        toolName: textIn(message, 'name'),
        isError: status === 'failed' || status === 'incomplete',
        // For other outputs, the status says that they are complete, not how the call ended.
        isDone: type === 'apply_patch_call_output' && status === 'completed',
        links,
      };
      return outputSlot(facts, output);
    }
    default:
      return null;
  }
  const runs = listOf(output);
  const failed = runs.find((run) => {
    const exit = valueAt(run, ['outcome', dialect.exitCode]);
    return valueAt(run, ['outcome', 'type']) === 'timeout' || (typeof exit === 'number' && exit !== 0);
  });
  const text = joined(runs.flatMap((run) => [textIn(run, 'stdout'), textIn(run, 'stderr')]));
  const facts = { callId, toolName: 'shell_call', isError: failed !== undefined, links, text };
  const ended = { outcome: { type: 'exit', [dialect.exitCode]: 0 }, ...nativeOf(failed ?? runs[0]) };
  return textSlot('output', item('result', facts), (stdout) => [{ ...ended, stdout, stderr: '' }]);
}

/** An output: a text, a list of parts, or a single part. */
function outputSlot(facts: Partial<Item>, output: unknown): Slot {
  const single = nativeOf(output);
  const write: Place['write'] = (_, change) => {
    if (!single) return resultEdited(output, change, INPUT);
    const text = change(0)?.text ?? null;
    const media = change(1);
    const isMedia = 'media' in (INPUT.read(single) ?? {});
    if (isMedia && !media && text !== null) return [inputText(text), listedPart(single)];
    if (media) return joined([text, media.removed ? null : media.media]);
    return text === null ? output : isMedia ? joined([text]) : INPUT.part(text, [single]);
  };
  const items = resultItems(facts, single ? [single] : output, INPUT);
  return { items, places: [{ at: ['output'], write }] };
}

/** The Agents SDK uses other field names for images and files in a list than for a single one. */
function listedPart(part: Native): unknown {
  const type = part['type'];
  if (type !== 'image' && type !== 'file') return part;
  const { type: _type, [type]: where, ...rest } = part;
  const filename = textIn(where, 'filename');
  return {
    type: `input_${type}`,
    [type]: listedSource(where, type),
    ...(filename === null ? {} : { filename }),
    ...rest,
  };
}

function listedSource(where: unknown, type: 'image' | 'file'): unknown {
  const native = nativeOf(where);
  if (!native) return where;
  const bytes = bytesOf(native['data']);
  const base64 = bytes ? base64Of(bytes) : textIn(native, 'data');
  if (base64 !== null)
    return `data:${textIn(native, 'mediaType') ?? 'application/octet-stream'};base64,${base64}`;
  const id = native['fileId'] ?? native['id'];
  if (id !== undefined) return { id };
  const { url } = native;
  // For an image, a URL is a plain string; for a file, an object.
  return url === undefined ? where : type === 'image' ? url : { url };
}

/**
 * A search for tools, or the tools it loaded. Without ids, as for most of the provider's own searches, they are adjacent.
 */
function toolSearch(message: Native): Reading {
  const id = fieldOf(message, 'call_id') ?? fieldOf(message, 'callId');
  const isClient = fieldOf(message, 'execution') === 'client';
  const answers = message['type'] === 'tool_search_output';
  const role = isClient && answers ? 'tool' : 'assistant';
  const weight = weightOf(message);
  if (typeof id !== 'string') return whole(role, item('opaque', { weight }));
  const facts = { callId: id, toolName: 'tool_search_call', providerExecuted: !isClient };
  // Definitions of tools that may have been called since, so they stay unchanged.
  if (answers) return whole(role, item('result', { ...facts, sealed: true, weight }));
  const form = isClient ? { result: 'tool_search_output', caller: null } : null;
  return { role, slots: [callSlot(message, 'arguments', { ...facts, form })] };
}

/**
 * An error result for an unanswered call, of the type it requires. For a call that only its tool can answer, a function
 * result.
 */
export function answerTo({ callId, toolName, form }: OpenCall, text: string, dialect: Dialect): Native {
  const caller = form?.caller ?? null;
  const by = caller === null ? {} : { caller: { type: 'program', [dialect.callerId]: caller } };
  const type = form?.result;
  const own = { type, [dialect.callId]: callId };
  switch (type) {
    case 'custom_tool_call_output':
      return { ...own, output: text, ...by };
    case 'shell_call_output': {
      const outcome = { type: 'exit', [dialect.exitCode]: 1 };
      return { ...own, output: [{ stdout: '', stderr: text, outcome }], ...by };
    }
    case 'local_shell_call_output':
      return { type, id: callId, output: text };
    case 'apply_patch_call_output':
      return { ...own, status: 'failed', output: text, ...by };
    case 'tool_search_output':
      // It has no text field: report an incomplete search that loaded no tools.
      return { ...own, execution: 'client', status: 'incomplete', tools: [] };
    default:
      return { ...own, type: dialect.functionResult, output: text, ...dialect.answered(toolName), ...by };
  }
}
