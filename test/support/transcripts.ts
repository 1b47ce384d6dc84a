// Real conversations of the corpus as messages, for tests that run where there is one.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { list, shape } from './history-rules/shape.ts';

type Native = Record<string, unknown>;

/** One conversation, in the formats it can be had in. */
export interface Transcript {
  readonly name: string;
  readonly 'openai-chat': readonly unknown[];
}

/** A session of the pi agent: 990 messages as pi has them, signed thinking among them, and calls that were interrupted. */
export interface PiTranscript extends Transcript {
  readonly anthropic: readonly unknown[];
}

function open(name: string): Promise<string> {
  return readFile(join(process.env['LECTERN_CORPUS'] ?? '', 'transcripts', name), 'utf8');
}

const textOf = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : list(content)
        .map(shape)
        .flatMap((part) => (part['type'] === 'text' ? [String(part['text'])] : []))
        .join('\n');

/** What the agent says to a model of a command the user ran himself. */
const userText = (message: Native): string =>
  message['role'] === 'bashExecution'
    ? `Ran ${String(message['command'])}\n${String(message['output'])}`
    : textOf(message['content']);

function chatOf(message: Native): Native[] {
  if (message['role'] === 'toolResult')
    return [{ role: 'tool', tool_call_id: message['toolCallId'], content: textOf(message['content']) }];
  if (message['role'] !== 'assistant') return [{ role: 'user', content: userText(message) }];
  const text = textOf(message['content']);
  const calls = list(message['content'])
    .map(shape)
    .filter((part) => part['type'] === 'toolCall')
    .map(({ id, name, arguments: args }) => ({
      id,
      type: 'function',
      function: { name, arguments: JSON.stringify(args) },
    }));
  if (calls.length === 0) return text === '' ? [] : [{ role: 'assistant', content: text }];
  return [{ role: 'assistant', content: text === '' ? null : text, tool_calls: calls }];
}

function anthropicBlock(native: unknown): Native[] {
  const part = shape(native);
  switch (part['type']) {
    case 'thinking':
      // Unsigned thinking is none the API takes back.
      return part['thinkingSignature']
        ? [{ type: 'thinking', thinking: part['thinking'], signature: part['thinkingSignature'] }]
        : [];
    case 'toolCall':
      return [{ type: 'tool_use', id: part['id'], name: part['name'], input: part['arguments'] }];
    case 'text':
      return String(part['text']).trim() === '' ? [] : [{ type: 'text', text: part['text'] }];
    default:
      return [];
  }
}

/** Results of one assistant message lie together in one user message, as the API wants them. */
function anthropicOf(messages: readonly Native[]): Native[] {
  const out: Native[] = [];
  let results: Native[] | null = null;
  for (const message of messages) {
    if (message['role'] === 'toolResult') {
      const result = {
        type: 'tool_result',
        tool_use_id: message['toolCallId'],
        content: textOf(message['content']),
        ...(message['isError'] === true ? { is_error: true } : {}),
      };
      if (results) results.push(result);
      else {
        results = [result];
        out.push({ role: 'user', content: results });
      }
      continue;
    }
    results = null;
    if (message['role'] === 'assistant') {
      const content = list(message['content']).flatMap(anthropicBlock);
      if (content.some(({ type }) => type !== 'thinking')) out.push({ role: 'assistant', content });
    } else out.push({ role: 'user', content: userText(message) });
  }
  return out;
}

/** The session of badlogic/pi-mono, its messages in the order they came, without the agent's own compactions. */
export async function piTranscript(): Promise<PiTranscript> {
  const name = 'pi-before-compaction.jsonl';
  const lines = (await open(name)).split('\n').filter((line) => line !== '');
  const messages = lines
    .map((line): Native => JSON.parse(line))
    .filter(({ type }) => type === 'message')
    .map(({ message }): Native => ({ ...shape(message) }));
  return { name, 'openai-chat': messages.flatMap(chatOf), anthropic: anthropicOf(messages) };
}

/** 100 conversations of sierra-research/tau-bench (airline, gpt-4o), as the chat messages they were. */
export async function tauTranscripts(): Promise<readonly Transcript[]> {
  const name = 'tau-gpt-4o-airline-000-099.json';
  const runs: unknown = JSON.parse(await open(name));
  return list(runs).map((run, index) => ({
    name: `${name}#${index}`,
    'openai-chat': list(shape(run)['traj']),
  }));
}
