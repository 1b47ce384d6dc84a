// A model provider on loopback that speaks the Anthropic Messages, OpenAI Chat and OpenAI Responses protocols and answers
// from a script: real clients talk to it as they would to the real one.

import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One call the model makes; a function sees the text of the results so far. */
export interface ScriptedCall {
  readonly name: string;
  readonly input: unknown;
}

/** What was asked and how the script goes on: the next call, or the last words. */
export type Script = (results: readonly string[]) => ScriptedCall | string;

export interface ScriptedModels {
  /** `http://127.0.0.1:PORT`, without a path. */
  readonly url: string;
  /** Bodies of the requests, parsed. */
  readonly requests: readonly unknown[];
  close(): Promise<void>;
}

/** Starts it; close it. */
export async function startModels(script: Script): Promise<ScriptedModels> {
  const requests: unknown[] = [];
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      requests.push(body);
      const path = (request.url ?? '').split('?')[0] ?? '';
      const protocol = Object.entries(PROTOCOLS).find(([ending]) => path.endsWith(ending))?.[1];
      response.setHeader('content-type', 'application/json');
      if (!protocol) {
        response.statusCode = 404;
        response.end('{}');
        return;
      }
      const turn = script(protocol.results(body));
      response.end(JSON.stringify(protocol.answer(turn, requests.length)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A TCP server's address is an object.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(Buffer.from(piece));
  return JSON.parse(Buffer.concat(pieces).toString('utf8'));
}

interface Protocol {
  results(body: unknown): string[];
  answer(turn: ScriptedCall | string, count: number): unknown;
}

const field = (value: unknown, name: string): unknown =>
  // A property of whatever it is; undefined where it is no object.
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** The text of a tool result in any of the shapes the protocols have for it. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return list(content)
    .map((part) => {
      const text = field(part, 'text');
      return typeof text === 'string' ? text : '';
    })
    .join('\n');
}

const USAGE = { input_tokens: 1, output_tokens: 1 };

const PROTOCOLS: Readonly<Record<string, Protocol>> = {
  '/messages': {
    results: (body) =>
      list(field(body, 'messages'))
        .flatMap((message) => list(field(message, 'content')))
        .filter((part) => field(part, 'type') === 'tool_result')
        .map((part) => textOf(field(part, 'content'))),
    answer: (turn, count) => ({
      id: `msg_${count}`,
      type: 'message',
      role: 'assistant',
      model: 'scripted',
      content: [
        typeof turn === 'string'
          ? { type: 'text', text: turn }
          : { type: 'tool_use', id: `toolu_${count}`, name: turn.name, input: turn.input },
      ],
      stop_reason: typeof turn === 'string' ? 'end_turn' : 'tool_use',
      stop_sequence: null,
      usage: USAGE,
    }),
  },
  '/chat/completions': {
    results: (body) =>
      list(field(body, 'messages'))
        .filter((message) => field(message, 'role') === 'tool')
        .map((message) => textOf(field(message, 'content'))),
    answer: (turn, count) => ({
      id: `chatcmpl-${count}`,
      object: 'chat.completion',
      created: 0,
      model: 'scripted',
      choices: [
        {
          index: 0,
          logprobs: null,
          finish_reason: typeof turn === 'string' ? 'stop' : 'tool_calls',
          message:
            typeof turn === 'string'
              ? { role: 'assistant', content: turn, refusal: null }
              : {
                  role: 'assistant',
                  content: null,
                  refusal: null,
                  tool_calls: [
                    {
                      id: `call_${count}`,
                      type: 'function',
                      function: { name: turn.name, arguments: JSON.stringify(turn.input) },
                    },
                  ],
                },
        },
      ],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    }),
  },
  '/responses': {
    results: (body) =>
      list(field(body, 'input'))
        .filter((item) => field(item, 'type') === 'function_call_output')
        .map((item) => textOf(field(item, 'output'))),
    answer: (turn, count) => ({
      id: `resp_${count}`,
      object: 'response',
      created_at: 0,
      status: 'completed',
      model: 'scripted',
      error: null,
      incomplete_details: null,
      output: [
        typeof turn === 'string'
          ? {
              type: 'message',
              id: `msg_${count}`,
              status: 'completed',
              role: 'assistant',
              content: [{ type: 'output_text', text: turn, annotations: [] }],
            }
          : {
              type: 'function_call',
              id: `fc_${count}`,
              call_id: `call_${count}`,
              name: turn.name,
              arguments: JSON.stringify(turn.input),
              status: 'completed',
            },
      ],
      usage: { ...USAGE, total_tokens: 2 },
    }),
  },
};
