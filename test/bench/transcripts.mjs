// Recorded conversations of agents, each as a list of chat messages.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export function textOf(content) {
  if (typeof content === 'string') return content;
  if (Array.isArray(content))
    return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  return content == null ? '' : JSON.stringify(content);
}

function call(id, name, value) {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return { id, type: 'function', function: { name, arguments: text } };
}

function assistant(text, calls) {
  return { role: 'assistant', content: text, ...(calls.length > 0 ? { tool_calls: calls } : {}) };
}

/** Entries of a session, one a line. */
function fromSession(text) {
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ type }) => type === 'message')
    .flatMap(({ message }) => {
      if (message.role === 'user') return [{ role: 'user', content: textOf(message.content) }];
      if (message.role === 'toolResult') {
        const content = message.content.map((part) => part.text ?? '').join('\n');
        const failed = message.isError === true;
        return [{ role: 'tool', tool_call_id: message.toolCallId, content, failed }];
      }
      if (message.role !== 'assistant') return [];
      const calls = message.content.filter(({ type }) => type === 'toolCall');
      return [
        assistant(
          textOf(message.content),
          calls.map((part) => call(part.id, part.name, part.arguments)),
        ),
      ];
    });
}

/** A list of conversations of chat messages. */
function fromConversations(text) {
  return JSON.parse(text).map((conversation) =>
    (conversation.traj ?? conversation.messages).map((message) => {
      const content = textOf(message.content);
      if (message.role === 'tool') return { role: 'tool', tool_call_id: message.tool_call_id, content };
      if (message.role !== 'assistant') return { role: message.role, content };
      const calls = message.tool_calls ?? [];
      return assistant(
        content,
        calls.map((one) => call(one.id, one.function.name, one.function.arguments)),
      );
    }),
  );
}

/** Files of `folder` whose name contains `only`, with their conversations. */
export function transcripts(folder, only = '') {
  return readdirSync(folder)
    .filter((name) => /\.jsonl?$/.test(name) && name.includes(only))
    .sort()
    .map((name) => {
      const text = readFileSync(join(folder, name), 'utf8');
      const conversations = name.endsWith('.jsonl') ? [fromSession(text)] : fromConversations(text);
      return { file: name, conversations };
    });
}
