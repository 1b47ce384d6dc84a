// What the AI SDK takes as `ModelMessage`s (v5 to v7), and a model of it as a prompt, so that neither the SDK nor a provider
// behind it refuses them.

import { brief, filled, isShape, list, type Shape, shape } from './shape.ts';
import { type LoopMessage, loopFindings } from './tool-loop.ts';

/** Parts by role: `modelMessageSchema` of `ai` 5 and 6 (`custom`, `reasoning-file` of 7), `LanguageModelV2/V3Prompt`. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  user: ['text', 'image', 'file'],
  assistant: [
    'text',
    'file',
    'custom',
    'reasoning',
    'reasoning-file',
    'tool-call',
    'tool-result',
    'tool-approval-request',
  ],
  tool: ['tool-result', 'tool-approval-response'],
};
const OUTPUTS = new Set(['text', 'json', 'execution-denied', 'error-text', 'error-json', 'content']);

/** Signed or encrypted by a provider, under any provider's name. */
function isSigned(part: Shape): boolean {
  if (part['type'] !== 'reasoning') return false;
  const options = shape(part['providerOptions'] ?? part['providerMetadata']);
  return Object.values(options).some((of) => {
    const { signature, redactedData, reasoningEncryptedContent, thoughtSignature } = shape(of);
    return [signature, redactedData, reasoningEncryptedContent, thoughtSignature].some(filled);
  });
}

/**
 * Findings about a list of messages; none when they pass. Sources: `standardizePrompt` and `convertToLanguageModelPrompt` of
 * `ai` 6.0.326 (schemas; `AI_MissingToolResultsError` for calls without results before the next user or system message or the
 * end; calls answered by an approval are left to the SDK; empty text parts are taken out), the Anthropic converter of
 * `@ai-sdk/anthropic` 3 (system messages only at the front), and what every provider behind them demands of pairs:
 * a result has its call before it, once. A message of nothing but reasoning: vercel/ai 13430.
 */
export function judge(messages: readonly unknown[]): string[] {
  const findings: string[] = [];
  if (messages.length === 0) findings.push('no message');
  let open = new Set<string>();
  let asked = new Set<string>();
  const hosted = new Set<string>();
  const approvals = new Map<string, string>();
  const excused = new Set<string>();
  const unanswered = (): string[] => [...open].filter((id) => !excused.has(id)).map(brief);
  const loop: LoopMessage[] = [];
  const all = messages.map(shape);
  const first = all.find((message) => message['role'] !== 'system');
  if (first && first['role'] !== 'user') findings.push('does not begin with the user');
  if (all.at(-1)?.['role'] === 'assistant') findings.push('end: ends with the assistant');
  let begun = false;
  all.forEach((message, at) => {
    const add = (text: string): number => findings.push(`message ${at}: ${text}`);
    const role = String(message['role']);
    const { content } = message;
    if (role === 'system') {
      if (typeof content !== 'string') add('a system message without text');
      if (begun) add('a system message behind others');
      if (unanswered().length > 0) add(`comes before the results of ${unanswered().join(', ')}`);
      loop.push({ side: 'system', thinks: false, thinksFirst: false });
      return;
    }
    begun = true;
    const allowed = PARTS[role];
    if (!allowed) {
      add(`role ${brief(role)}`);
      return;
    }
    if (typeof content === 'string' ? role === 'tool' : !Array.isArray(content))
      add('content of a wrong type');
    if (role !== 'tool') {
      if (unanswered().length > 0) add(`comes before the results of ${unanswered().join(', ')}`);
      open = new Set();
      asked = new Set();
    }
    const parts =
      typeof content === 'string' ? [shape({ type: 'text', text: content })] : list(content).map(shape);
    for (const part of parts) {
      const type = String(part['type']);
      if (!allowed.includes(type)) add(`part ${brief(type)}`);
      if ((type === 'text' || type === 'reasoning') && typeof part['text'] !== 'string')
        add(`${type} without text`);
      if (type === 'tool-call') {
        const { toolCallId: id, toolName, providerExecuted } = part;
        if (!filled(id) || !filled(toolName)) add('a call without id or tool');
        if (part['input'] === undefined) add('a call without input');
        if (asked.has(String(id)) || hosted.has(String(id))) add(`two calls ${brief(id)}`);
        if (providerExecuted === true) hosted.add(String(id));
        else {
          open.add(String(id));
          asked.add(String(id));
        }
      }
      if (type === 'tool-result') {
        const { toolCallId: id, toolName, output } = part;
        const { type: kind, value } = shape(output);
        if (!filled(toolName)) add('a result without tool');
        if (!OUTPUTS.has(String(kind))) add(`output ${brief(kind)}`);
        else if ((kind === 'text' || kind === 'error-text') && typeof value !== 'string')
          add('output without text');
        else if (kind === 'content' && !(Array.isArray(value) && value.every(isShape)))
          add('output without parts');
        if (role === 'assistant') {
          if (!hosted.has(String(id))) add(`result of ${brief(id)} in an assistant message without its call`);
        } else if (hosted.has(String(id))) hosted.delete(String(id));
        else if (!asked.has(String(id))) add(`result of ${brief(id)} without its call right before`);
        else if (!open.delete(String(id))) add(`second result of ${brief(id)}`);
      }
      if (type === 'tool-approval-request') {
        const { approvalId, toolCallId } = part;
        if (!asked.has(String(toolCallId))) add(`approval of ${brief(toolCallId)} without its call`);
        approvals.set(String(approvalId), String(toolCallId));
      }
      if (type === 'tool-approval-response') {
        const { approvalId, approved } = part;
        excused.add(approvals.get(String(approvalId)) ?? '');
        if (!approvals.delete(String(approvalId)))
          add(`answer to approval ${brief(approvalId)} without its request`);
        if (typeof approved !== 'boolean') add('an approval that says neither yes nor no');
      }
    }
    const said = parts.filter((part) => part['type'] !== 'text' || filled(part['text']));
    if (said.length === 0) add('nothing in it');
    else if (role === 'assistant' && said.every((part) => part['type'] === 'reasoning'))
      add('nothing but reasoning');
    loop.push({
      side: role === 'assistant' ? 'assistant' : role === 'tool' ? 'results' : 'user',
      thinks: parts.some(isSigned),
      thinksFirst: parts[0] !== undefined && isSigned(parts[0]),
    });
  });
  if (unanswered().length > 0) findings.push(`end: no results of ${unanswered().join(', ')}`);
  return [...findings, ...loopFindings(loop)];
}
