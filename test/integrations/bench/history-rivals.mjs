// What others do to a long conversation: pruning, trimming, summarising and clearing of the AI SDK and LangChain, each with
// documented options, over messages in the OpenAI chat format. Real packages; only the summarising model is a stand-in.

import { pruneMessages } from 'ai';
import {
  AIMessage,
  ClearToolUsesEdit,
  contextEditingMiddleware,
  countTokensApproximately,
  HumanMessage,
  SystemMessage,
  summarizationMiddleware,
  ToolMessage,
  trimMessages,
} from 'langchain';

/** Arguments as they were written, by the object they were parsed to: a round trip changes no byte. */
const written = new WeakMap();

function parsed(text) {
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    value = { text };
  }
  if (typeof value !== 'object' || value === null) value = { value };
  written.set(value, text);
  return value;
}

const asWritten = (value) => written.get(value) ?? JSON.stringify(value);

function chatCall(id, name, value) {
  return { id, type: 'function', function: { name, arguments: asWritten(value) } };
}

// ---- AI SDK ----

function toModelMessages(messages) {
  const names = new Map();
  const out = [];
  for (const message of messages) {
    if (message.role === 'tool') {
      const part = {
        type: 'tool-result',
        toolCallId: message.tool_call_id,
        toolName: names.get(message.tool_call_id) ?? 'unknown',
        output: { type: 'text', value: message.content },
      };
      const last = out.at(-1);
      if (last?.role === 'tool') last.content.push(part);
      else out.push({ role: 'tool', content: [part] });
    } else if (message.role === 'assistant' && message.tool_calls?.length) {
      const content = message.content === '' ? [] : [{ type: 'text', text: message.content }];
      for (const call of message.tool_calls) {
        names.set(call.id, call.function.name);
        content.push({
          type: 'tool-call',
          toolCallId: call.id,
          toolName: call.function.name,
          input: parsed(call.function.arguments),
        });
      }
      out.push({ role: 'assistant', content });
    } else out.push({ role: message.role, content: message.content });
  }
  return out;
}

function fromModelMessages(messages) {
  return messages.flatMap((message) => {
    if (typeof message.content === 'string') return [{ role: message.role, content: message.content }];
    if (message.role === 'tool')
      return message.content.map((part) => ({
        role: 'tool',
        tool_call_id: part.toolCallId,
        content: part.output.value,
      }));
    const texts = message.content.filter(({ type }) => type === 'text').map(({ text }) => text);
    const calls = message.content
      .filter(({ type }) => type === 'tool-call')
      .map((part) => chatCall(part.toolCallId, part.toolName, part.input));
    return [
      { role: 'assistant', content: texts.join('\n'), ...(calls.length > 0 ? { tool_calls: calls } : {}) },
    ];
  });
}

const pruning = (options) => () => (messages) =>
  fromModelMessages(pruneMessages({ messages: toModelMessages(messages), ...options }));

// ---- LangChain ----

const turned = new WeakMap();
const turnedBack = new WeakMap();

function newLangChainMessage(message) {
  if (message.role === 'system') return new SystemMessage(message.content);
  if (message.role === 'user') return new HumanMessage(message.content);
  if (message.role === 'tool')
    return new ToolMessage({ content: message.content, tool_call_id: message.tool_call_id });
  const calls = (message.tool_calls ?? []).map((call) => ({
    type: 'tool_call',
    id: call.id,
    name: call.function.name,
    args: parsed(call.function.arguments),
  }));
  return new AIMessage({ content: message.content, tool_calls: calls });
}

/** One object per message, so that what is known of it is not worked out again at the next call. */
function toLangChain(message) {
  const known = turned.get(message);
  if (known !== undefined) return known;
  const made = newLangChainMessage(message);
  turned.set(message, made);
  return made;
}

function newChatMessage(message) {
  const content =
    typeof message.content === 'string'
      ? message.content
      : message.content.map(({ text }) => text).join('\n');
  const type = message.getType();
  if (type === 'human') return { role: 'user', content };
  if (type === 'system') return { role: 'system', content };
  if (type === 'tool') return { role: 'tool', tool_call_id: message.tool_call_id, content };
  const calls = message.tool_calls.map(({ id, name, args }) => chatCall(id, name, args));
  return { role: 'assistant', content, ...(calls.length > 0 ? { tool_calls: calls } : {}) };
}

function fromLangChain(message) {
  const known = turnedBack.get(message);
  if (known !== undefined) return known;
  const made = newChatMessage(message);
  turnedBack.set(message, made);
  return made;
}

const lengths = new WeakMap();

/** LangChain's own count of a message in quarter tokens: what it adds up before it divides and rounds. */
function lengthOf(message) {
  let length = lengths.get(message);
  if (length === undefined) {
    const calls =
      AIMessage.isInstance(message) && message.tool_calls?.length > 0
        ? JSON.stringify(message.tool_calls)
        : '';
    length = message.content.length + calls.length;
    if (ToolMessage.isInstance(message)) length += message.tool_call_id.length;
    lengths.set(message, length);
  }
  return length;
}

/**
 * The same number as LangChain's `countTokensApproximately`, which counts every message again each time it is asked: that
 * takes minutes where a list is counted once per result cleared.
 */
function countTokens(messages) {
  let length = 0;
  for (const message of messages) length += lengthOf(message);
  return Math.ceil(length / 4);
}

/** The two counts are equal on these messages, or the figures of the rivals would not be theirs. */
export function countsAlike(messages) {
  const list = messages.map(toLangChain);
  return countTokens(list) === countTokensApproximately(list);
}

const trimming = (options) => () => async (messages) => {
  const kept = await trimMessages(messages.map(toLangChain), {
    strategy: 'last',
    tokenCounter: countTokens,
    includeSystem: true,
    ...options,
  });
  // It gives a hole in place of a system message where nothing else is kept.
  return kept.filter((message) => message !== undefined).map(fromLangChain);
};

/** What is in the state after the messages that came since, with the system prompt held apart as `createAgent` does. */
function stateOf() {
  const state = { messages: [] };
  let seen = 0;
  return (messages) => {
    const start = messages[0]?.role === 'system' ? 1 : 0;
    for (const message of messages.slice(Math.max(seen, start))) state.messages.push(toLangChain(message));
    seen = messages.length;
    return { state, system: messages.slice(0, start) };
  };
}

const SUMMARY_CHARACTERS = 6000;
const NAME = /[A-Za-z0-9_/.\-:@#]{8,}/g;

/**
 * Stands for a model's summary, of some 1,800 tokens, made from what the middleware shows the model: what was said, each
 * up to 300 characters, and as many names as there is room for, the most frequent first. It costs nothing, which favours it.
 */
function summaryOf(prompt) {
  const shown = prompt.slice(prompt.indexOf('Messages to summarize:'));
  const said = shown
    .split('\n')
    .filter((line) => /^(Human|AI): /.test(line))
    .map((line) => line.slice(0, 300));
  const counts = new Map();
  for (const [name] of shown.matchAll(NAME)) {
    if (name.length <= 120 && /[/._\-0-9:A-Z]/.test(name.slice(1)))
      counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const names = [...counts].sort((a, b) => b[1] - a[1]).map(([name]) => name);
  const head = said.join('\n').slice(-SUMMARY_CHARACTERS / 2);
  return `${head}\n${names.join(' ')}`.slice(0, SUMMARY_CHARACTERS);
}

const standIn = {
  getName: () => 'stand-in',
  profile: { maxInputTokens: 200_000 },
  invoke: async (prompt) => ({ content: summaryOf(String(prompt)) }),
};

const summarising = (options) => () => {
  const middleware = summarizationMiddleware({ model: standIn, tokenCounter: countTokens, ...options });
  const next = stateOf();
  return async (messages) => {
    const { state, system } = next(messages);
    const change = await middleware.beforeModel(state, { context: {} });
    if (change?.messages) state.messages = change.messages.slice(1);
    return [...system, ...state.messages.map(fromLangChain)];
  };
};

const model = { getNumTokensFromMessages: async (messages) => ({ totalCount: countTokens(messages) }) };

/**
 * `createAgent` hands the middleware the list of its state, which the edit then changes in place: what was cleared stays
 * cleared while a run lasts. `perRequest` is the documented reading: every request begins with all results.
 */
const clearing =
  (options, { perRequest = false } = {}) =>
  () => {
    const middleware = contextEditingMiddleware({
      edits: [new ClearToolUsesEdit(options)],
      tokenCountMethod: 'model',
    });
    const next = stateOf();
    return async (messages) => {
      const { state, system } = next(messages);
      const request = { model, messages: perRequest ? [...state.messages] : state.messages };
      await middleware.wrapModelCall(request, async () => new AIMessage(''));
      return [...system, ...request.messages.map(fromLangChain)];
    };
  };

const LEGAL = { startOn: ['human', 'ai'], endOn: ['human', 'tool'] };

/**
 * Name to a function that makes a compactor of one conversation: it takes all messages so far and gives those to send.
 * Options are those of the packages' documentation, and thresholds of 100,000 and 50,000 tokens where it names none.
 */
export const RIVALS = {
  'ai pruneMessages, last message': pruning({ reasoning: 'all', toolCalls: 'before-last-message' }),
  'ai pruneMessages, last 2 messages': pruning({
    reasoning: 'before-last-message',
    toolCalls: 'before-last-2-messages',
    emptyMessages: 'remove',
  }),
  'ai pruneMessages, last 3 messages': pruning({ toolCalls: 'before-last-3-messages' }),
  'ai pruneMessages, last 20 messages': pruning({ toolCalls: 'before-last-20-messages' }),
  'ai pruneMessages, last 100 messages': pruning({ toolCalls: 'before-last-100-messages' }),
  'langchain trimMessages, 100k, from a user message': trimming({
    maxTokens: 100_000,
    startOn: 'human',
    endOn: ['human', 'tool'],
  }),
  'langchain trimMessages, 100k': trimming({ maxTokens: 100_000, ...LEGAL }),
  'langchain trimMessages, 50k': trimming({ maxTokens: 50_000, ...LEGAL }),
  'langchain summarization, 4k, keep 20 messages': summarising({
    trigger: { tokens: 4000, messages: 10 },
    keep: { messages: 20 },
  }),
  'langchain summarization, 100k, keep 20 messages': summarising({ trigger: { tokens: 100_000 } }),
  'langchain summarization, 100k, keep 50k': summarising({
    trigger: { tokens: 100_000 },
    keep: { tokens: 50_000 },
  }),
  'langchain summarization, 100k, keep 50k, all shown': summarising({
    trigger: { tokens: 100_000 },
    keep: { tokens: 50_000 },
    trimTokensToSummarize: 1_000_000,
  }),
  'langchain summarization, 50k, keep 20 messages': summarising({ trigger: { tokens: 50_000 } }),
  'langchain summarization, 80 %, keep 30 %': summarising({
    trigger: { fraction: 0.8 },
    keep: { fraction: 0.3 },
  }),
  'langchain clear tool uses, 100k, keep 3': clearing({}),
  'langchain clear tool uses, 100k, keep 3, per request': clearing({}, { perRequest: true }),
  'langchain clear tool uses, 50k, keep 5': clearing({ trigger: { tokens: 50_000 }, keep: { messages: 5 } }),
  'langchain clear tool uses, 100k, keep 3, with inputs': clearing({ clearToolInputs: true }),
  'langchain clear tool uses, 100k, keep 50k': clearing({ keep: { tokens: 50_000 } }),
};
