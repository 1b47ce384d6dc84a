// One compactor at work on one conversation, in a process of its own: `node compaction-contestants.mjs NAME DIST MESSAGES`.
// Prints one line of JSON: milliseconds of the first compaction and of the next call, the best of a few conversations after
// one that warms up, `cold` of that one, what is `kept` of the characters, and memory the process took at most.

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { anthropicConversation, chatConversation } from '../../bench/conversation.mjs';

const [name, dist, count] = process.argv.slice(2);
/** Conversations measured after the one that warms up; none, and no next call, where that took so long already. */
const TURNS = 6;
const PATIENCE = 20_000;

const words = (messages) => JSON.stringify(messages).length;

/** What came since the last call. */
const NEXT = [
  { role: 'assistant', content: 'Done; the tests pass.' },
  { role: 'user', content: 'Good. Look at the rest as well.' },
];

async function lectern(make) {
  const { createCompactor } = await import(pathToFileURL(join(dist, 'src/history/index.js')).href);
  return () => {
    const messages = make(Number(count));
    const compactor = createCompactor({ window: 200 * Number(count) });
    return {
      messages,
      add: () => messages.push(...NEXT),
      run: async () => (await compactor.compact(messages)).messages,
    };
  };
}

/** Messages are converted before the clock starts: a caller of LangChain has them so. */
async function langChain(runOf) {
  const { AIMessage, HumanMessage, SystemMessage, ToolMessage } = await import('langchain');
  const convert = (message) => {
    const { role, content } = message;
    if (role === 'system') return new SystemMessage(content);
    if (role === 'user') return new HumanMessage(content);
    if (role === 'tool') return new ToolMessage({ content, tool_call_id: message.tool_call_id });
    const calls = (message.tool_calls ?? []).map(({ id, function: { name: tool, arguments: args } }) => ({
      type: 'tool_call',
      id,
      name: tool,
      args: JSON.parse(args),
    }));
    return new AIMessage({ content, tool_calls: calls });
  };
  const run = await runOf();
  return () => {
    const messages = chatConversation(Number(count)).map(convert);
    return { messages, add: () => messages.push(...NEXT.map(convert)), run: () => run(messages) };
  };
}

/** Tokens that LangChain's edits leave: of many messages as many as lectern's default does, half of 48,000. */
const TARGET = Math.min(24_000, 50 * Number(count));

const CONTESTANTS = {
  'lectern chat': () => lectern(chatConversation),
  'lectern anthropic': () => lectern(anthropicConversation),

  /** The newest messages that fit, counted by its own approximate counter; nothing is kept of the others. */
  trimMessages: () =>
    langChain(async () => {
      const { countTokensApproximately, trimMessages } = await import('langchain');
      return (messages) =>
        trimMessages(messages, {
          strategy: 'last',
          maxTokens: TARGET,
          tokenCounter: countTokensApproximately,
          includeSystem: true,
          startOn: ['human', 'ai'],
          endOn: ['human', 'tool'],
        });
    }),

  /** Old results cleared to a word, counted by its own approximate counter; calls and texts stay. */
  clearToolUses: () =>
    langChain(async () => {
      const { AIMessage, ClearToolUsesEdit, contextEditingMiddleware } = await import('langchain');
      const middleware = contextEditingMiddleware({
        edits: [new ClearToolUsesEdit({ trigger: { tokens: TARGET }, keep: { messages: 3 } })],
      });
      return async (messages) => {
        const request = { messages: [...messages] };
        await middleware.wrapModelCall(request, async () => new AIMessage(''));
        return request.messages;
      };
    }),

  /** Calls and results before the last messages taken out; no token is counted. */
  pruneMessages: async () => {
    const { pruneMessages } = await import('ai');
    const convert = (message, names) => {
      const { role, content } = message;
      if (role === 'tool')
        return {
          role,
          content: [
            {
              type: 'tool-result',
              toolCallId: message.tool_call_id,
              toolName: names.get(message.tool_call_id),
              output: { type: 'text', value: content },
            },
          ],
        };
      if (!message.tool_calls) return message;
      const calls = message.tool_calls.map(({ id, function: { name: toolName, arguments: args } }) => {
        names.set(id, toolName);
        return { type: 'tool-call', toolCallId: id, toolName, input: JSON.parse(args) };
      });
      return { role, content: [...(content === '' ? [] : [{ type: 'text', text: content }]), ...calls] };
    };
    return () => {
      const names = new Map();
      const messages = chatConversation(Number(count)).map((message) => convert(message, names));
      return {
        messages,
        add: () => messages.push(...NEXT),
        run: async () => pruneMessages({ messages, toolCalls: 'before-last-20-messages' }),
      };
    };
  },
};

async function timed(run) {
  const started = performance.now();
  const result = await run();
  return { result, milliseconds: performance.now() - started };
}

/** The best there is after the one that warms up. */
const best = ([cold, ...others]) => (others.length > 0 ? Math.min(...others) : cold);

const make = await CONTESTANTS[name]();
const started = performance.now();
const firsts = [];
const nexts = [];
let kept = 0;
for (let turn = 0; turn <= TURNS && (turn === 0 || performance.now() - started < PATIENCE); turn++) {
  const conversation = make();
  const whole = words(conversation.messages);
  const first = await timed(conversation.run);
  conversation.add();
  const next = first.milliseconds < PATIENCE ? await timed(conversation.run) : first;
  if (words(next.result) >= whole) throw new Error(`${name} made nothing smaller.`);
  kept = words(next.result) / whole;
  firsts.push(first.milliseconds);
  nexts.push(next.milliseconds);
}
console.log(
  JSON.stringify({
    cold: firsts[0],
    first: best(firsts),
    next: best(nexts),
    kept,
    // maxRSS is in KiB on every platform Node runs on.
    peak: process.resourceUsage().maxRSS * 1024,
  }),
);
