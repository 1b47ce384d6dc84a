// What the Anthropic Messages API takes as `messages`, as its documentation and its own refusals describe it.

import { brief, filled, isShape, list, type Shape, shape } from './shape.ts';
import { type LoopMessage, loopFindings } from './tool-loop.ts';

/** "String should match pattern '^[a-zA-Z0-9_-]+$'": of `tool_use.id` and `tool_use_id`. */
const ID = /^[a-zA-Z0-9_-]+$/;
const NAME = /^[a-zA-Z0-9_-]{1,128}$/;
/** Block types of `ContentBlockParam`, `BetaContentBlockParam` in `@anthropic-ai/sdk` 1.12. */
const USER = new Set(['text', 'image', 'document', 'search_result', 'tool_result', 'container_upload']);
const ASSISTANT = new Set([
  'text',
  'thinking',
  'redacted_thinking',
  'tool_use',
  'server_tool_use',
  'compaction',
]);
const SERVER_RESULT = /^[a-z_]+_tool_result$/;
const IN_RESULT = new Set(['text', 'image', 'document', 'search_result', 'tool_reference']);
/** "A maximum of 4 blocks with cache_control may be provided." */
const CACHE_MARKS = 4;

function isSigned(block: unknown): boolean {
  const { type } = shape(block);
  return type === 'thinking' || type === 'redacted_thinking';
}

/** Blocks of a message; a text is one. */
function blocksOf(message: Shape): readonly unknown[] {
  const { content } = message;
  return typeof content === 'string' ? [{ type: 'text', text: content }] : list(content);
}

function resultFindings(block: Shape): string[] {
  const findings: string[] = [];
  const { content, is_error: isError } = block;
  const parts = list(content).map(shape);
  if (content !== undefined && typeof content !== 'string' && !Array.isArray(content))
    findings.push('result content');
  if (parts.some((part) => !IN_RESULT.has(String(part['type']))))
    findings.push('part of a result of unknown type');
  if (parts.some((part) => part['type'] === 'text' && !filled(part['text'])))
    findings.push('empty text in a result');
  if (isError === true && !filled(content) && parts.length === 0)
    findings.push('error result without content');
  if (isError === true && parts.some((part) => part['type'] !== 'text'))
    findings.push('error result with media');
  return findings;
}

/**
 * Findings about a list of `MessageParam`; none when the API would take it. Sources: platform.claude.com/docs:
 * api/messages ("consecutive user or assistant turns will be combined", first message from the user), tool use
 * ("Handle tool calls": results in the very next message, before any text of it), extended thinking (signed blocks go back
 * unchanged); and refusals as quoted in trackers:
 * - "`tool_use` ids were found without `tool_result` blocks immediately after", "unexpected `tool_use_id` found in
 *   `tool_result` blocks", "each tool_use must have a single result", "`tool_use` ids must be unique";
 * - "text content blocks must be non-empty", "must contain non-whitespace text", "all messages must have non-empty content
 *   except for the optional final assistant message", "content cannot be empty if `is_error` is true", "all content must be
 *   type "text" if `is_error` is true";
 * - "The final block in an assistant message cannot be `thinking`";
 * - "This model does not support assistant message prefill. The conversation must end with a user message." (4.6 and on).
 */
export function judge(messages: readonly unknown[]): string[] {
  const findings: string[] = [];
  if (messages.length === 0) findings.push('no message');
  const all = messages.map(shape);
  if (all[0] && all[0]['role'] !== 'user') findings.push('message 0: does not begin with the user');
  if (all.at(-1)?.['role'] === 'assistant') findings.push('end: ends with the assistant');
  const seen = new Set<string>();
  let open = new Set<string>();
  let marks = 0;
  const loop: LoopMessage[] = [];
  all.forEach((message, at) => {
    const add = (text: string): number => findings.push(`message ${at}: ${text}`);
    const { role, content } = message;
    const blocks = blocksOf(message).map(shape);
    if (role !== 'user' && role !== 'assistant') add(`role ${brief(role)}`);
    if (typeof content !== 'string' && !Array.isArray(content)) add('content is neither text nor blocks');
    if (blocks.length === 0) add('content is empty');
    const asked = open;
    const answered = new Set<string>();
    const server = new Set<string>();
    open = new Set();
    let others = false;
    for (const block of blocks) {
      const type = String(block['type']);
      const serverResult = role === 'assistant' && SERVER_RESULT.test(type) && type !== 'tool_result';
      if (!((role === 'user' ? USER : ASSISTANT).has(type) || serverResult)) add(`block ${brief(type)}`);
      if (block['cache_control']) marks += 1;
      if (type === 'text' && !(typeof block['text'] === 'string' && block['text'].trim())) add('empty text');
      if (type === 'tool_result') {
        const id = block['tool_use_id'];
        if (others) add(`result of ${brief(id)} behind other content`);
        if (typeof id !== 'string' || !asked.has(id))
          add(`result of ${brief(id)} without its call in the message before`);
        else if (answered.has(id)) add(`second result of ${brief(id)}`);
        if (typeof id === 'string') answered.add(id);
        resultFindings(block).forEach(add);
      } else others = true;
      if (type === 'tool_use' || type === 'server_tool_use') {
        const { id, name, input } = block;
        if (typeof id !== 'string' || !ID.test(id)) add(`id ${brief(id)}`);
        if (typeof name !== 'string' || !NAME.test(name)) add(`tool ${brief(name)}`);
        if (!isShape(input)) add('input is no object');
        if (seen.has(String(id))) add(`second call ${brief(id)}`);
        seen.add(String(id));
        (type === 'tool_use' ? open : server).add(String(id));
      }
      if (serverResult && !server.delete(String(block['tool_use_id'])))
        add(`${type} without its call before it`);
      if (type === 'thinking' && !(typeof block['thinking'] === 'string' && filled(block['signature'])))
        add('thinking without signature');
      if (type === 'redacted_thinking' && !filled(block['data'])) add('redacted thinking without data');
      if ((type === 'image' || type === 'document') && !isShape(block['source']))
        add(`${type} without source`);
    }
    for (const id of asked) if (!answered.has(id)) add(`lacks the result of ${brief(id)}`);
    for (const id of server) add(`server call ${brief(id)} without its result`);
    if (role === 'assistant' && isSigned(blocks.at(-1))) add('ends with thinking');
    const results = blocks.some((block) => block['type'] === 'tool_result');
    loop.push({
      side: role === 'assistant' ? 'assistant' : results ? 'results' : 'user',
      thinks: blocks.some(isSigned),
      thinksFirst: isSigned(blocks[0]),
    });
  });
  if (open.size > 0) findings.push(`end: no results of ${[...open].map(brief).join(', ')}`);
  if (marks > CACHE_MARKS) findings.push(`${marks} cache marks`);
  return [...findings, ...loopFindings(loop)];
}
