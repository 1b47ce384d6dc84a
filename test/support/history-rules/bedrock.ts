// What the Converse API of Amazon Bedrock takes as `messages`, as its reference and its own refusals describe it.

import { brief, filled, isShape, list, type Shape, shape } from './shape.ts';
import { type LoopMessage, loopFindings } from './tool-loop.ts';

/** `ToolUseBlock.toolUseId` and `name` of the API reference. */
const ID = /^[a-zA-Z0-9_-]{1,64}$/;
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
/** Members of `ContentBlock` and of `ToolResultContentBlock` in @aws-sdk/client-bedrock-runtime 3.1164. */
const USER = new Set([
  ...['text', 'image', 'document', 'video', 'audio', 'toolResult'],
  ...['guardContent', 'cachePoint', 'searchResult'],
]);
const ASSISTANT = new Set(['text', 'toolUse', 'reasoningContent', 'citationsContent', 'cachePoint', 'image']);
const IN_RESULT = new Set(['text', 'json', 'image', 'document', 'video', 'searchResult']);

const isBlank = (text: unknown): boolean => typeof text === 'string' && text.trim() === '';

function mediaFindings(block: Shape): string[] {
  return ['image', 'document', 'video', 'audio'].flatMap((type) => {
    if (block[type] === undefined) return [];
    const { format, name, source } = shape(block[type]);
    const named = type !== 'document' || filled(name);
    return filled(format) && named && isShape(source) ? [] : [`${type} without format, name or source`];
  });
}

function resultFindings(result: Shape): string[] {
  const { content, status } = result;
  const blocks = list(content).map(shape);
  const findings = blocks.flatMap(mediaFindings);
  if (blocks.length === 0) findings.push('a result without content');
  if (blocks.some((block) => Object.keys(block).some((name) => !IN_RESULT.has(name))))
    findings.push('block of a result of unknown type');
  if (blocks.some(({ text }) => isBlank(text))) findings.push('blank text in a result');
  if (status !== undefined && status !== 'success' && status !== 'error') findings.push('status of a result');
  return findings;
}

/**
 * Findings about a list of `Message`; none when the API would take it. Sources: the API reference of Converse (`Message`,
 * `ContentBlock`: "If you include a ContentBlock with a document field in the array, you must also include a ContentBlock
 * with a text field"; `ToolUseBlock`, `ToolResultBlock`), the user guide on tool use, and refusals as trackers quote them:
 * - "A conversation must start with a user message", "A conversation must alternate between user and assistant roles", "The
 *   last turn in a conversation must be a user message";
 * - "Expected toolResult blocks at messages.N.content for the following Ids", "The number of toolResult blocks at
 *   messages.N.content exceeds the number of toolUse blocks of previous turn", "contain duplicate Ids";
 * - "The text field in the ContentBlock object at messages.N.content.M is blank", "The content field in the Message object at
 *   messages.N is empty".
 * Anthropic's own rules hold for its models behind it: results first, signed reasoning at the start of a tool loop.
 */
export function judge(messages: readonly unknown[]): string[] {
  const findings: string[] = [];
  if (messages.length === 0) findings.push('no message');
  const all = messages.map(shape);
  if (all[0] && all[0]['role'] !== 'user') findings.push('message 0: does not begin with the user');
  if (all.at(-1)?.['role'] === 'assistant') findings.push('end: ends with the assistant');
  let open: string[] = [];
  const loop: LoopMessage[] = [];
  all.forEach((message, at) => {
    const add = (text: string): number => findings.push(`message ${at}: ${text}`);
    const { role, content } = message;
    const blocks = list(content).map(shape);
    if (role !== 'user' && role !== 'assistant') add(`role ${brief(role)}`);
    if (at > 0 && all[at - 1]?.['role'] === role) add('follows one of its own side');
    if (blocks.length === 0) add('content is empty');
    const asked = open;
    const answered = new Set<string>();
    open = [];
    let others = false;
    for (const block of blocks) {
      const [type = '', ...more] = Object.keys(block);
      if (more.length > 0 || !(role === 'user' ? USER : ASSISTANT).has(type)) add(`block ${brief(type)}`);
      if (isBlank(block['text'])) add('blank text');
      mediaFindings(block).forEach(add);
      const call = shape(block['toolUse']);
      if (type === 'toolUse') {
        const id = String(call['toolUseId']);
        if (!ID.test(id)) add(`id ${brief(id)}`);
        if (!NAME.test(String(call['name']))) add(`tool ${brief(call['name'])}`);
        if (!isShape(call['input'])) add('input is no object');
        if (open.includes(id)) add(`two calls ${brief(id)}`);
        open.push(id);
      }
      if (type === 'toolResult') {
        const result = shape(block['toolResult']);
        const id = String(result['toolUseId']);
        if (others) add(`result of ${brief(id)} behind other content`);
        if (!asked.includes(id)) add(`result of ${brief(id)} without its call in the message before`);
        else if (answered.has(id)) add(`second result of ${brief(id)}`);
        answered.add(id);
        resultFindings(result).forEach(add);
      } else others = true;
    }
    for (const id of asked) if (!answered.has(id)) add(`lacks the result of ${brief(id)}`);
    if (blocks.some(({ document }) => document) && !blocks.some(({ text }) => filled(text)))
      add('a document without a text');
    const thinks = blocks.map((block) => block['reasoningContent'] !== undefined);
    if (thinks.at(-1)) add('ends with reasoning');
    loop.push({
      side: role === 'assistant' ? 'assistant' : answered.size > 0 ? 'results' : 'user',
      thinks: thinks.includes(true),
      thinksFirst: thinks[0] === true,
    });
  });
  if (open.length > 0) findings.push(`end: no results of ${open.map(brief).join(', ')}`);
  return [...findings, ...loopFindings(loop)];
}
