// Format of items of the OpenAI Agents SDK (AgentInputItem of @openai/agents-core 0.20): the flat list of the Responses API
// with other field names, and with one type for all of the provider's tools.

import type { Codec } from '../codec.ts';
import { createCodec, hostedSlot, type Reading } from '../lens.ts';
import { detectBy, type Likeness } from '../likeness.ts';
import { type Native, nativeOf, textIn } from '../native.ts';
import { answerTo, callerLinks, type Dialect, FLAT_RULES, inputText, readItem, unknownItem } from './flat.ts';
import { RESPONSES, readResponsesItem, tidyFlat } from './responses.ts';

const AGENTS: Dialect = {
  callId: 'callId',
  callerId: 'callerId',
  exitCode: 'exitCode',
  functionResult: 'function_call_result',
  computerResult: 'computer_call_result',
  answered: (name) => ({ name, status: 'incomplete' }),
  programOutput: 'output',
  said: (text) => ({ type: 'output_text', text }),
};

function read(message: Native): Reading | null {
  if (message['type'] === 'hosted_tool_call') return hostedCall(message);
  const known = message['type'] === 'unknown' ? carried(message) : readItem(message, AGENTS);
  return known ?? unknownItem(message, AGENTS);
}

/** A Responses API item without a type in the SDK. The original, which is sent back, is in `providerData`. */
function carried(message: Native): Reading | null {
  const data = nativeOf(message['providerData']);
  const reading = typeof data?.['type'] === 'string' ? readResponsesItem(data) : null;
  return (
    reading && {
      role: reading.role,
      slots: reading.slots.map(({ items, places }) => ({
        items,
        places: places.map((place) => ({
          ...place,
          at: place.at.length === 0 ? [] : ['providerData', ...place.at],
        })),
      })),
    }
  );
}

/** Approvals of the provider's tools are hosted calls too: a request has its own id, and a response names it. */
const APPROVAL = 'mcp_approval_request';

/** A call of a provider tool, with its result. The original, which is sent back, is in `providerData`. */
function hostedCall(message: Native): Reading {
  const data = nativeOf(message['providerData']);
  const asks = textIn(message, 'name') === APPROVAL || data?.['type'] === APPROVAL;
  const own = asks ? (textIn(data, 'id') ?? textIn(message, 'id')) : null;
  const approval = textIn(data, 'approval_request_id') ?? own;
  const links = [...(approval === null ? [] : [`approval:${approval}`]), ...callerLinks(message, AGENTS)];
  return { role: 'assistant', slots: [hostedSlot([], message, links)] };
}

/** Results of calls the SDK passes through are passed through as well. */
const CARRIED: ReadonlySet<unknown> = new Set(['custom_tool_call_output', 'local_shell_call_output']);

/** Item types with a `callId`, which distinguishes them from the same name elsewhere. */
const CALLS =
  /^(?:(?:function|computer)_call(?:_result)?|(?:shell|apply_patch)_call(?:_output)?|program(?:_output)?)$/;
/** Types that another format has with the same names and fields. */
const SHARED = /^(?:tool_search_(?:call|output)|compaction|unknown)$/;
const SPEAKERS = /^(?:system|user|assistant)$/;
const PARTS = /^(?:(?:input|output)_text|refusal|input_(?:image|file)|audio|image)$/;

function isPart(part: unknown): boolean {
  const native = nativeOf(part);
  if (native?.['image_url'] !== undefined || native?.['file_data'] !== undefined) return false;
  return PARTS.test(textIn(part, 'type') ?? '');
}

/** Parts written this way only in this format. */
function isOwnPart(part: unknown): boolean {
  const native = nativeOf(part);
  const { type } = native ?? {};
  if (native?.['providerData'] !== undefined) return true;
  if (type === 'input_image') return native?.['image'] !== undefined;
  if (type === 'input_file') return native?.['file'] !== undefined;
  return type === 'audio' && native?.['audio'] !== undefined;
}

function likeness(message: unknown): Likeness {
  const native = nativeOf(message);
  if (!native || 'parts' in native || 'tool_calls' in native) return 'no';
  const type = textIn(native, 'type') ?? '';
  if (native['role'] !== undefined) {
    if (!SPEAKERS.test(textIn(native, 'role') ?? '') || (native['type'] ?? 'message') !== 'message')
      return 'no';
    const content = native['content'];
    const own = nativeOf(native['providerData']) !== null;
    if (typeof content === 'string') return own ? 'is' : 'may';
    if (!Array.isArray(content) || !content.every(isPart)) return 'no';
    return own || content.some(isOwnPart) ? 'is' : 'may';
  }
  const field = CALLS.test(type) ? 'callId' : type === 'hosted_tool_call' ? 'name' : null;
  if (field !== null) return native[field] !== undefined && native['call_id'] === undefined ? 'is' : 'no';
  if (type === 'reasoning')
    return Array.isArray(native['content']) && native['summary'] === undefined ? 'is' : 'no';
  return SHARED.test(type) ? 'may' : 'no';
}

/** Codec for the OpenAI Agents SDK. */
export const openAiAgents: Codec = createCodec({
  name: 'openai-agents',
  rules: FLAT_RULES,
  detect: detectBy(likeness),
  read,
  list: 'content',
  part: inputText,
  notice: (text, role) =>
    role === 'user'
      ? { type: 'message', role, content: text }
      : { type: 'message', role, status: 'completed', content: [AGENTS.said(text)] },
  answer: (call, text) =>
    CARRIED.has(call.form?.result)
      ? { type: 'unknown', providerData: answerTo(call, text, RESPONSES) }
      : answerTo(call, text, AGENTS),
  tidy: tidyFlat,
});
