// Codec for items of the OpenAI Agents SDK (AgentInputItem of @openai/agents-core 0.20): the flat list of the Responses
// API with other field names, and with one type for all of the provider's tools.

import type { Codec } from '../codec.ts';
import { detectBy, type Likeness } from '../likeness.ts';
import { item, type OpenCall } from '../message.ts';
import { type Native, nativeOf, textIn, weightOf } from '../native.ts';
import { answerTo, callerLinks } from './calls.ts';
import { assistant, codecOf, type Draft, isSame, type Parsed } from './codec.ts';
import { type Dialect, FLAT_RULES } from './dialect.ts';
import { hosted, pictureResult } from './hosted.ts';
import { parseItem, unknownItem } from './item.ts';
import { answerToResponses, parseResponsesItem } from './responses.ts';

const DIALECT: Dialect = {
  callId: 'callId',
  callerId: 'callerId',
  exitCode: 'exitCode',
  functionResult: 'function_call_result',
  computerResult: 'computer_call_result',
  answered: (name) => ({ name, status: 'incomplete' }),
  programOutput: 'output',
  said: (text) => ({ type: 'output_text', text }),
};

function parse(message: Native): Parsed {
  if (message['type'] === 'hosted_tool_call') return hostedCall(message);
  if (message['type'] === 'unknown') return carried(message) ?? unknownItem(message, DIALECT);
  return parseItem(message, DIALECT) ?? unknownItem(message, DIALECT);
}

/** A Responses API item without a type in the SDK. The original, which is sent back, is in `providerData`. */
function carried(message: Native): Parsed | null {
  const data = nativeOf(message['providerData']);
  if (typeof data?.['type'] !== 'string') return null;
  const { role, segments } = parseResponsesItem(data);
  return {
    role,
    segments: segments.map(({ items, write }) => ({
      items,
      write: (draft, change) => {
        const inside: Draft = { ...data };
        const stays = write(inside, change);
        if (!isSame(inside, data)) draft['providerData'] = inside;
        return stays;
      },
    })),
  };
}

/** Results of calls the SDK passes through are passed through as well. */
const CARRIED: ReadonlySet<unknown> = new Set(['custom_tool_call_output', 'local_shell_call_output']);

function answer(call: OpenCall, text: string): Native {
  return CARRIED.has(call.form?.result)
    ? { type: 'unknown', providerData: answerToResponses(call, text) }
    : answerTo(call, text, DIALECT);
}

/** Approvals of the provider's tools are hosted calls too: a request has its own id, and a response names it. */
const APPROVAL = 'mcp_approval_request';

/** A call of a provider tool, with its result. The original, which is sent back, is in `providerData`. */
function hostedCall(message: Native): Parsed {
  const callId = textIn(message, 'id');
  const toolName = textIn(message, 'name');
  const output = textIn(message, 'output');
  const picture = toolName !== null && /^image_generation/.test(toolName) ? output : null;
  const data = nativeOf(message['providerData']);
  const asks = toolName === APPROVAL || data?.['type'] === APPROVAL;
  const approval = textIn(data, 'approval_request_id') ?? (asks ? (textIn(data, 'id') ?? callId) : null);
  const links = [...(approval === null ? [] : [`approval:${approval}`]), ...callerLinks(message, DIALECT)];
  const failed = message['status'] === 'failed';
  const asked = {
    toolName,
    args: 'arguments',
    links,
    weight: data ? weightOf(data) : 0,
  };
  if (picture !== null) {
    return assistant(...hosted(message, callId, { ...asked, result: pictureResult(callId, picture) }));
  }
  const facts = { callId, toolName, isError: failed, providerExecuted: true, links };
  return assistant(
    ...hosted(message, callId, {
      ...asked,
      result: output === null ? [] : [item('result', { ...facts, text: output })],
      writeResult: (draft, change) => {
        if (change(0)?.removed) delete draft['output'];
        else draft['output'] = change(0)?.text ?? output;
      },
    }),
  );
}

/** Item types, each with a field that distinguishes it from the same type name elsewhere. */
const TYPES: ReadonlyMap<unknown, string> = new Map([
  ['function_call', 'callId'],
  ['function_call_result', 'callId'],
  ['computer_call', 'callId'],
  ['computer_call_result', 'callId'],
  ['shell_call', 'callId'],
  ['shell_call_output', 'callId'],
  ['apply_patch_call', 'callId'],
  ['apply_patch_call_output', 'callId'],
  ['program', 'callId'],
  ['program_output', 'callId'],
  ['hosted_tool_call', 'name'],
]);

/** Types that another format has with the same names and fields. */
const SHARED: ReadonlySet<unknown> = new Set([
  'tool_search_call',
  'tool_search_output',
  'compaction',
  'unknown',
]);
const SPEAKERS: ReadonlySet<unknown> = new Set(['system', 'user', 'assistant']);
const PARTS: ReadonlySet<unknown> = new Set([
  'input_text',
  'output_text',
  'refusal',
  'input_image',
  'input_file',
  'audio',
  'image',
]);

function isPart(part: unknown): boolean {
  const native = nativeOf(part);
  return (
    PARTS.has(native?.['type']) && native?.['image_url'] === undefined && native?.['file_data'] === undefined
  );
}

/** Parts written this way only in this format. */
function isOwnPart(part: unknown): boolean {
  const native = nativeOf(part);
  if (native?.['providerData'] !== undefined) return true;
  if (native?.['type'] === 'input_image') return native['image'] !== undefined;
  if (native?.['type'] === 'input_file') return native['file'] !== undefined;
  return native?.['type'] === 'audio' && native['audio'] !== undefined;
}

function likeness(message: unknown): Likeness {
  const native = nativeOf(message);
  if (!native || 'parts' in native || 'tool_calls' in native) return 'no';
  const type = native['type'] ?? null;
  if (native['role'] !== undefined) {
    if (!SPEAKERS.has(native['role']) || (type !== null && type !== 'message')) return 'no';
    const content = native['content'];
    const own = nativeOf(native['providerData']) !== null;
    if (typeof content === 'string') return own ? 'is' : 'may';
    if (!Array.isArray(content) || !content.every(isPart)) return 'no';
    return own || content.some(isOwnPart) ? 'is' : 'may';
  }
  const field = TYPES.get(type);
  if (field !== undefined)
    return native[field] !== undefined && native['call_id'] === undefined ? 'is' : 'no';
  if (type === 'reasoning') {
    if (!Array.isArray(native['content']) || native['summary'] !== undefined) return 'no';
    return 'is';
  }
  return SHARED.has(type) ? 'may' : 'no';
}

/** Codec for the OpenAI Agents SDK. */
export const openAiAgents: Codec = codecOf({
  name: 'openai-agents',
  rules: FLAT_RULES,
  detect: detectBy(likeness),
  parse,
  notice: (text, role) =>
    role === 'user'
      ? { type: 'message', role, content: text }
      : { type: 'message', role, status: 'completed', content: [DIALECT.said(text)] },
  answer: (calls, text) => calls.map((call) => answer(call, text)),
});
