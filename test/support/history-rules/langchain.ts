// What LangChain's `BaseMessage`s must be so that both Anthropic and OpenAI take what LangChain makes of them.

import { brief, filled, isShape, list, type Shape, shape } from './shape.ts';
import { type LoopMessage, loopFindings } from './tool-loop.ts';

/** Both at once: Anthropic's characters, OpenAI Chat's length. */
const ID = /^[a-zA-Z0-9_-]{1,40}$/;
const TYPES = new Set(['system', 'human', 'ai', 'tool', 'developer']);
const UNKNOWN_TO_ALL = (type: string): boolean => !KNOWN.has(type);
/** Content blocks of `@langchain/core` 1 (`messages/content`), of Anthropic and of OpenAI. */
const KNOWN = new Set([
  'text',
  'image_url',
  'image',
  'audio',
  'video',
  'file',
  'text-plain',
  'document',
  'input_audio',
  'thinking',
  'redacted_thinking',
  'reasoning',
  'tool_use',
  'tool_call',
  'server_tool_use',
  'server_tool_call',
  'server_tool_call_result',
  'web_search_tool_result',
  'refusal',
  'search_result',
  'non_standard',
]);

function typeOf(message: Shape): string {
  const { getType } = message;
  // A method of the message itself; it is called with it.
  return typeof getType === 'function' ? String((getType as () => unknown).call(message)) : 'no message';
}

const isSigned = (block: Shape): boolean =>
  block['type'] === 'thinking' || block['type'] === 'redacted_thinking';

function blockFindings(blocks: readonly Shape[]): string[] {
  return blocks.flatMap((block) => {
    const type = String(block['type']);
    if (UNKNOWN_TO_ALL(type)) return [`block ${brief(type)}`];
    if (type === 'text' && !(typeof block['text'] === 'string' && block['text'].trim()))
      return ['empty text'];
    if (type === 'thinking' && !filled(block['signature'])) return ['thinking without signature'];
    return [];
  });
}

/** Calls in `tool_calls`, which OpenAI gets, and in the content, which Anthropic gets, are the same calls. */
function twinFindings(blocks: readonly Shape[], calls: readonly Shape[]): string[] {
  const uses = blocks.filter((block) => block['type'] === 'tool_use');
  if (uses.length === 0) return [];
  const lines = (entries: readonly Shape[], args: string): string =>
    entries
      .map((entry) => `${String(entry['id'])} ${String(entry['name'])} ${JSON.stringify(entry[args])}`)
      .join('\n');
  return lines(uses, 'input') === lines(calls, 'args')
    ? []
    : ['calls in `tool_calls` and in the content differ'];
}

/**
 * Findings about a list of `BaseMessage`s; none when both providers would take it. Sources: the judges of Anthropic and
 * OpenAI Chat beside this one; `@langchain/anthropic`, `@langchain/openai` 1 (converters: "System messages are only
 * permitted as the first passed message."; `tool_use` blocks of the content go to Anthropic, `tool_calls` to OpenAI); results
 * right after their calls: langchain-ai/langchain 34282, 38352.
 */
export function judge(messages: readonly unknown[]): string[] {
  const findings: string[] = [];
  if (messages.length === 0) findings.push('no message');
  const seen = new Set<string>();
  let open = new Set<string>();
  let asked = new Set<string>();
  const loop: LoopMessage[] = [];
  const types = messages.map((message) => typeOf(shape(message)));
  if (types.find((type) => type !== 'system') !== 'human') findings.push('does not begin with the user');
  if (types.at(-1) === 'ai') findings.push('end: ends with the assistant');
  messages.forEach((native, at) => {
    const message = shape(native);
    const type = types[at] ?? '';
    const add = (text: string): number => findings.push(`message ${at}: ${text}`);
    if (!TYPES.has(type)) add(`type ${brief(type)}`);
    if (type === 'system' && at > 0) add('a system message behind others');
    const { content } = message;
    const blocks = typeof content === 'string' ? [] : list(content).map(shape);
    if (typeof content !== 'string' && !Array.isArray(content)) add('content of a wrong type');
    blockFindings(blocks).forEach(add);
    if (type === 'tool') {
      const id = message['tool_call_id'];
      if (typeof id !== 'string' || !asked.has(id))
        add(`result of ${brief(id)} without its call right before`);
      else if (!open.delete(id)) add(`second result of ${brief(id)}`);
    } else {
      if (open.size > 0) add(`comes before the results of ${[...open].map(brief).join(', ')}`);
      open = new Set();
      asked = new Set();
    }
    const calls = type === 'ai' ? list(message['tool_calls']).map(shape) : [];
    for (const { id, name, args } of calls) {
      if (typeof id !== 'string' || !ID.test(id)) add(`id ${brief(id)}`);
      if (!filled(name) || !isShape(args)) add('a call without name or arguments');
      if (seen.has(String(id))) add(`second call ${brief(id)}`);
      seen.add(String(id));
      asked.add(String(id));
      open.add(String(id));
    }
    if (type === 'ai') twinFindings(blocks, calls).forEach(add);
    const says = typeof content === 'string' ? content.trim() !== '' : blocks.length > 0;
    if (type !== 'tool' && type !== 'system' && !says && calls.length === 0) add('nothing in it');
    const last = blocks.at(-1);
    if (type === 'ai' && last && isSigned(last) && calls.length === 0) add('ends with thinking');
    loop.push({
      side: type === 'ai' ? 'assistant' : type === 'tool' ? 'results' : type === 'human' ? 'user' : 'system',
      thinks: blocks.some(isSigned),
      thinksFirst: blocks[0] !== undefined && isSigned(blocks[0]),
    });
  });
  if (open.size > 0) findings.push(`end: no results of ${[...open].map(brief).join(', ')}`);
  return [...findings, ...loopFindings(loop)];
}
