// Recognises a conversation in a file. The server validates the messages.

import { textOf } from './message-text.ts';

export type Message = Readonly<Record<string, unknown>>;

export interface Conversation {
  readonly file: File;
  readonly name: string;
  readonly messages: readonly Message[];
  /** System prompt, if the provider takes it outside the messages. */
  readonly system?: string;
  readonly tools?: unknown;
}

const MAX_BYTES = 8_000_000;

/** Request fields that hold the messages: OpenAI and Anthropic, OpenAI Responses, Gemini. */
const LISTS = ['messages', 'input', 'contents'];
/** Request fields that hold the instructions. */
const INSTRUCTIONS = ['system', 'instructions'];

/** The conversation in a JSON or JSON Lines file; null if the file holds something else. */
export async function conversationIn(file: File): Promise<Conversation | null> {
  if (!/\.jsonl?$/i.test(file.name) || file.size > MAX_BYTES) return null;
  const value = parsed(await file.text());
  const around = isRecord(value) ? value : {};
  const held = isRecord(value) ? LISTS.map((name) => value[name]).find(Array.isArray) : value;
  if (!Array.isArray(held) || held.length < 2) return null;
  const messages: readonly unknown[] = held;
  if (!messages.every(isMessage) || !messages.some(isSpoken)) return null;
  const system = INSTRUCTIONS.map((name) => textOf(around[name])).find((text) => text !== '');
  return {
    file,
    name: file.name,
    messages,
    ...(system !== undefined && { system }),
    ...(around['tools'] !== undefined && { tools: around['tools'] }),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    try {
      return text
        .split('\n')
        .filter((line) => line.trim() !== '')
        .map((line): unknown => JSON.parse(line));
    } catch {
      return null;
    }
  }
}

const isRecord = (value: unknown): value is Message =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A message has a role and content. A table of people may have roles, but no content. */
const isSpoken = (value: Message): boolean =>
  typeof value['role'] === 'string' &&
  ['content', 'parts', 'tool_calls'].some((field) => value[field] !== undefined);
/** Items of OpenAI Responses that have a type instead of a role. */
const ITEM = /^(?:message|reasoning|compaction|item_reference|\w+_(?:call|output|result|request|response))$/;
const isMessage = (value: unknown): value is Message =>
  isRecord(value) && (isSpoken(value) || (typeof value['type'] === 'string' && ITEM.test(value['type'])));
