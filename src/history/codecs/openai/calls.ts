// Calls of the caller's tools in OpenAI's two flat formats, their results, and the answers added for calls without one.
// Tools the provider runs itself are in `hosted.ts`.

import { type Item, item, type OpenCall } from '../message.ts';
import { argumentsOf, joined, listOf, type Native, nativeOf, textIn, weightOf } from '../native.ts';
import { jsonText } from '../value-text.ts';
import { type Draft, type Segment, whole } from './codec.ts';
import { type Dialect, inputTextPart } from './dialect.ts';
import { editedResult, resultItems } from './part.ts';

/** A call type: the field of its arguments, and the type of its results, as in `CallForm`. */
interface Kind {
  readonly args: string;
  readonly result: string | null;
}

/**
 * Call types other than functions. A computer call can only be answered with a screenshot, and its safety checks must
 * be acknowledged by the user, so no answer is made up for it.
 */
const KINDS: ReadonlyMap<string, Kind> = new Map([
  ['custom_tool_call', { args: 'input', result: 'custom_tool_call_output' }],
  ['computer_call', { args: 'actions', result: null }],
  ['local_shell_call', { args: 'action', result: 'local_shell_call_output' }],
  ['shell_call', { args: 'action', result: 'shell_call_output' }],
  ['apply_patch_call', { args: 'operation', result: 'apply_patch_call_output' }],
]);

/** Calls made by a program stay with the program. */
export function callerLinks(message: Native, dialect: Dialect): readonly string[] {
  const caller = callerOf(message, dialect);
  return caller === null ? [] : [`program:${caller}`];
}

function callerOf(message: Native, dialect: Dialect): string | null {
  return textIn(message['caller'], dialect.callerId);
}

/** Reads a field; Agents SDK items may have it in `providerData` instead. */
function fieldOf(message: Native, name: string): unknown {
  return message[name] ?? nativeOf(message['providerData'])?.[name];
}

/** A call of a function, custom tool, computer, shell or patch tool; null for an item of another type. */
export function callIn(message: Native, type: string, dialect: Dialect): Segment | null {
  const caller = callerOf(message, dialect);
  const links = callerLinks(message, dialect);
  const callId = textIn(message, dialect.callId);
  if (type === 'function_call') {
    const form = caller === null ? null : { result: dialect.functionResult, caller };
    return callSegment(message, 'arguments', { callId, toolName: textIn(message, 'name'), form, links });
  }
  const kind = KINDS.get(type);
  if (!kind) return null;
  const custom = type === 'custom_tool_call';
  return callSegment(message, type === 'computer_call' && message['action'] ? 'action' : kind.args, {
    callId,
    toolName: custom ? textIn(message, 'name') : type,
    form: { result: kind.result, caller },
    // Commands for a container run at the provider.
    providerExecuted: textIn(fieldOf(message, 'environment'), 'type') === 'container_reference',
    links,
  });
}

/** Arguments are JSON text, an object, or any text for a custom tool. */
function callSegment(message: Native, field: string, facts: Partial<Item>): Segment {
  const value = message[field];
  const args = field === 'input' ? null : argumentsOf(value);
  return {
    items: [item('call', { ...facts, text: jsonText(value ?? undefined), args })],
    write: (draft, change) => {
      const instead = change(0)?.args ?? null;
      if (change(0)?.removed) return false;
      if (instead && message['type'] === 'function_call') draft[field] = JSON.stringify(instead);
      else if (instead && args) draft[field] = instead;
      return true;
    },
  };
}

/** A program the provider runs, which calls the caller's tools and receives their answers. */
export function programIn(message: Native, dialect: Dialect): Segment {
  const callId = textIn(message, dialect.callId);
  return whole(
    item('call', {
      callId,
      toolName: 'program',
      text: textIn(message, 'code') ?? '',
      // Its fingerprint covers the code.
      sealed: true,
      providerExecuted: true,
      links: callId === null ? [] : [`program:${callId}`],
    }),
  );
}

export function programOutput(message: Native, dialect: Dialect): Segment {
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

/** A result of one of the caller's tools; null for an item of another type. */
export function resultIn(message: Native, type: string, dialect: Dialect): Segment | null {
  switch (type) {
    case dialect.functionResult:
    case 'custom_tool_call_output':
    case 'apply_patch_call_output':
      return output(message, dialect, textIn(message, dialect.callId));
    case 'local_shell_call_output':
      return output(message, dialect, textIn(message, dialect.callId) ?? textIn(message, 'id'));
    case 'shell_call_output':
      return Array.isArray(message['output'])
        ? shellOutput(message, dialect)
        : output(message, dialect, textIn(message, dialect.callId));
    case dialect.computerResult:
      return screenshot(message, dialect);
    default:
      return null;
  }
}

function output(message: Native, dialect: Dialect, callId: string | null): Segment {
  const value = message['output'];
  const facts = {
    callId,
    toolName: textIn(message, 'name'),
    isError: message['status'] === 'failed' || message['status'] === 'incomplete',
    // For other outputs, the status says that they are complete, not how the call ended.
    isDone: message['type'] === 'apply_patch_call_output' && message['status'] === 'completed',
    links: callerLinks(message, dialect),
  };
  return {
    items: resultItems(facts, value),
    write: (draft, change) => {
      if (change(0)?.removed) return false;
      draft['output'] = editedResult(value, change, inputTextPart);
      return true;
    },
  };
}

/** A screenshot cannot be replaced with text: it stays, or is removed with its group. */
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

/**
 * A search for tools, or the tools it loaded. Without ids, as for most of the provider's own searches, they are
 * adjacent.
 */
export function toolSearch(message: Native): { readonly byTool: boolean; readonly segment: Segment } {
  const id = fieldOf(message, 'call_id') ?? fieldOf(message, 'callId');
  const callId = typeof id === 'string' ? id : null;
  const isClient = fieldOf(message, 'execution') === 'client';
  const answers = message['type'] === 'tool_search_output';
  const byTool = isClient && answers;
  const weight = weightOf(message);
  if (callId === null) return { byTool, segment: whole(item('opaque', { weight })) };
  const facts = { callId, toolName: 'tool_search_call', providerExecuted: !isClient };
  // Definitions of tools that may have been called since, so they stay unchanged.
  if (answers) return { byTool, segment: whole(item('result', { ...facts, sealed: true, weight })) };
  const form = isClient ? { result: 'tool_search_output', caller: null } : null;
  return { byTool, segment: callSegment(message, 'arguments', { ...facts, form }) };
}

/**
 * An error result for an unanswered call, of the type it requires. For a call that only its tool can answer, a function
 * result.
 */
export function answerTo({ callId, toolName, form }: OpenCall, text: string, dialect: Dialect): Draft {
  const caller = form?.caller ?? null;
  const by = caller === null ? {} : { caller: { type: 'program', [dialect.callerId]: caller } };
  const named = { [dialect.callId]: callId };
  switch (form?.result) {
    case 'custom_tool_call_output':
      return { type: form.result, ...named, output: text, ...by };
    case 'shell_call_output': {
      const outcome = { type: 'exit', [dialect.exitCode]: 1 };
      return { type: form.result, ...named, output: [{ stdout: '', stderr: text, outcome }], ...by };
    }
    case 'local_shell_call_output':
      return { type: form.result, id: callId, output: text };
    case 'apply_patch_call_output':
      return { type: form.result, ...named, status: 'failed', output: text, ...by };
    case 'tool_search_output':
      // It has no text field: report an incomplete search that loaded no tools.
      return { type: form.result, ...named, execution: 'client', status: 'incomplete', tools: [] };
    default:
      return { type: dialect.functionResult, ...named, output: text, ...dialect.answered(toolName), ...by };
  }
}
