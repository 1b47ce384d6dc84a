// Codec for input items of OpenAI's Responses API: a flat list of messages, reasoning, calls, their outputs, and items
// of tools the provider runs itself.

import type { Codec } from '../codec.ts';
import { detectBy, type Likeness } from '../likeness.ts';
import { type Item, item, type OpenCall } from '../message.ts';
import { joined, listOf, type Native, nativeOf, textIn, weightOf } from '../native.ts';
import { answerTo } from './calls.ts';
import { assistant, codecOf, type Draft, type Parsed, whole } from './codec.ts';
import { type Dialect, FLAT_RULES } from './dialect.ts';
import { hosted, pictureResult } from './hosted.ts';
import { parseItem, unknownItem } from './item.ts';
import { mediaOf } from './part.ts';

const DIALECT: Dialect = {
  callId: 'call_id',
  callerId: 'caller_id',
  exitCode: 'exit_code',
  functionResult: 'function_call_output',
  computerResult: 'computer_call_output',
  answered: () => ({}),
  programOutput: 'result',
  said: (text) => ({ type: 'output_text', text, annotations: [] }),
};

/** Parses an item of the list. The Agents SDK passes items it does not know through in this form. */
export function parseResponsesItem(message: Native): Parsed {
  return parseItem(message, DIALECT) ?? parseHosted(message) ?? unknownItem(message, DIALECT);
}

/** An error result for an unanswered call. */
export function answerToResponses(call: OpenCall, text: string): Native {
  return answerTo(call, text, DIALECT);
}

/** Items of tools the provider runs; the item's id is the id of the call. */
function parseHosted(message: Native): Parsed | null {
  const id = textIn(message, 'id');
  switch (message['type']) {
    case 'mcp_call':
      return mcpCall(message, id);
    case 'mcp_list_tools':
      return assistant(whole(item('opaque', { weight: weightOf(message) })));
    case 'mcp_approval_request':
      return assistant(whole(item('opaque', { links: approvalLinks(id), weight: weightOf(message) })));
    case 'mcp_approval_response': {
      const links = approvalLinks(textIn(message, 'approval_request_id'));
      return { role: 'tool', segments: [whole(item('opaque', { links, weight: weightOf(message) }))] };
    }
    case 'web_search_call':
      return assistant(...hosted(message, id, { toolName: 'web_search_call', args: 'action', result: [] }));
    case 'file_search_call':
      return fileSearch(message, id);
    case 'code_interpreter_call':
      return codeInterpreter(message, id);
    case 'image_generation_call': {
      const result = pictureResult(id, message['result']);
      return assistant(...hosted(message, id, { toolName: 'image_generation_call', args: 'prompt', result }));
    }
    default:
      return null;
  }
}

function approvalLinks(id: string | null): readonly string[] {
  return id === null ? [] : [`approval:${id}`];
}

function mcpCall(message: Native, callId: string | null): Parsed {
  const error = message['error'] ?? null;
  const failed = error !== null;
  const text = textIn(message, 'output') ?? (typeof error === 'string' ? error : '');
  const links = approvalLinks(textIn(message, 'approval_request_id'));
  const toolName = textIn(message, 'name');
  const facts = { callId, toolName, text, isError: failed, providerExecuted: true, links };
  const answered = failed || typeof message['output'] === 'string';
  return assistant(
    ...hosted(message, callId, {
      toolName,
      args: 'arguments',
      links,
      result: answered ? [item('result', facts)] : [],
      writeResult: (draft, change) => {
        const field = typeof message['output'] === 'string' ? 'output' : 'error';
        draft[field] = change(0)?.removed ? null : (change(0)?.text ?? text);
      },
    }),
  );
}

function fileSearch(message: Native, callId: string | null): Parsed {
  const found = listOf(message['results']);
  const text = joined(found.map((result) => textIn(result, 'text')));
  const toolName = 'file_search_call';
  return assistant(
    ...hosted(message, callId, {
      toolName,
      args: 'queries',
      result: found.length > 0 ? [item('result', { callId, toolName, text, providerExecuted: true })] : [],
      writeResult: (draft, change) => {
        const removed = change(0)?.removed;
        draft['results'] = removed ? null : [{ ...nativeOf(found[0]), text: change(0)?.text ?? text }];
      },
    }),
  );
}

function codeInterpreter(message: Native, callId: string | null): Parsed {
  const outputs = listOf(message['outputs']);
  const text = joined(outputs.map((output) => textIn(output, 'logs')));
  const toolName = 'code_interpreter_call';
  const pictures: Item[] = [];
  for (const output of outputs) {
    const url = textIn(output, 'url');
    const media = url === null ? null : mediaOf({ type: 'image_url', image_url: url });
    if (media) pictures.push(item('media', { callId, media, providerExecuted: true }));
  }
  const result =
    outputs.length > 0
      ? [item('result', { callId, toolName, text, providerExecuted: true }), ...pictures]
      : [];
  return assistant(
    ...hosted(message, callId, {
      toolName,
      args: 'code',
      result,
      writeResult: (draft, change) => writeOutputs(draft, outputs, change),
    }),
  );
}

const logsOf = (logs: string): Native => ({ type: 'logs', logs });

function writeOutputs(
  draft: Draft,
  outputs: readonly unknown[],
  change: Parameters<Parsed['segments'][number]['write']>[1],
): void {
  if (change(0)?.removed) {
    draft['outputs'] = null;
    return;
  }
  const text = change(0)?.text ?? null;
  const left: unknown[] = text === null ? [] : [logsOf(text)];
  let pictures = 0;
  for (const output of outputs) {
    if (textIn(output, 'url') !== null) {
      pictures += 1;
      const what = change(pictures);
      const media = what?.media ?? null;
      if (!what) left.push(output);
      else if (!what.removed && media !== null) left.push(logsOf(media));
    } else if (text === null || textIn(output, 'logs') === null) left.push(output);
  }
  draft['outputs'] = left;
}

/** Item types, each with a field that distinguishes it from the same name elsewhere; empty if none does. */
const TYPES: ReadonlyMap<unknown, string> = new Map([
  ['function_call', 'call_id'],
  ['function_call_output', 'call_id'],
  ['custom_tool_call', 'call_id'],
  ['custom_tool_call_output', 'call_id'],
  ['computer_call', 'call_id'],
  ['computer_call_output', 'call_id'],
  ['local_shell_call', 'call_id'],
  ['local_shell_call_output', 'id'],
  ['shell_call', 'call_id'],
  ['shell_call_output', 'call_id'],
  ['apply_patch_call', 'call_id'],
  ['apply_patch_call_output', 'call_id'],
  ['program', 'call_id'],
  ['program_output', 'call_id'],
  ['reasoning', 'summary'],
  ['mcp_call', 'id'],
  ['mcp_list_tools', 'id'],
  ['mcp_approval_request', 'id'],
  ['mcp_approval_response', 'approval_request_id'],
  ['web_search_call', 'id'],
  ['file_search_call', 'id'],
  ['code_interpreter_call', 'id'],
  ['image_generation_call', 'id'],
  ['tool_search_call', 'type'],
  ['tool_search_output', 'type'],
  ['additional_tools', 'tools'],
  ['compaction', 'encrypted_content'],
  ['compaction_trigger', 'type'],
  ['item_reference', 'id'],
]);

const SPEAKERS: ReadonlySet<unknown> = new Set(['system', 'developer', 'user', 'assistant']);
const PARTS: ReadonlySet<unknown> = new Set([
  'input_text',
  'output_text',
  'refusal',
  'input_image',
  'input_file',
  'input_audio',
]);

function likeness(message: unknown): Likeness {
  const native = nativeOf(message);
  if (!native || 'callId' in native || 'parts' in native || 'tool_calls' in native) return 'no';
  const type = native['type'] ?? null;
  if (native['role'] !== undefined && type !== 'additional_tools') {
    if (!SPEAKERS.has(native['role']) || (type !== null && type !== 'message')) return 'no';
    const content = native['content'];
    if (typeof content === 'string') return type === 'message' ? 'is' : 'may';
    if (!Array.isArray(content) || !content.every((part: unknown) => PARTS.has(nativeOf(part)?.['type'])))
      return 'no';
    return content.length > 0 ? 'is' : 'may';
  }
  const field = TYPES.get(type);
  if (field !== undefined) return native[field] !== undefined ? 'is' : 'no';
  // A newer item type, or an item given only by its id.
  return typeof type === 'string' || typeof native['id'] === 'string' ? 'may' : 'no';
}

/** Codec for input items of the Responses API. */
export const openAiResponses: Codec = codecOf({
  name: 'openai-responses',
  rules: FLAT_RULES,
  detect: detectBy(likeness),
  parse: parseResponsesItem,
  notice: (text, role) => ({ role, content: text }),
  answer: (calls, text) => calls.map((call) => answerToResponses(call, text)),
});
