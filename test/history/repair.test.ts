// `repair`: every list becomes legal for its provider, in every format, without a window and without losing what was said.

import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codecOf, compact, createLangChainCodec, repair } from '../../src/history/index.ts';
import { draws } from '../support/draws.ts';
import {
  HISTORY_FORMATS,
  type HistoryFormat,
  interruptedHistory,
  legalHistory,
  repairableHistory,
} from '../support/histories.ts';
import { charactersWhole, compared, JUDGES, sealedIntact } from '../support/history-rules/index.ts';

const langChain = createLangChainCodec({ HumanMessage, AIMessage, ToolMessage });
const codecFor = (format: HistoryFormat) =>
  format === 'langchain' ? langChain : codecOf<unknown>(format === 'ai-sdk-prompt' ? 'ai-sdk' : format);
const runs = { numRuns: draws(60, 10) };

describe.each(HISTORY_FORMATS)('%s', (format) => {
  const options = { format: codecFor(format) };
  // The order of the user's and the assistant's own messages, and a pending call at the end, are the caller's.
  const judge = (messages: readonly unknown[]): string[] =>
    JUDGES[format](messages).filter(
      (finding) => !/^end: |one of its own side|ends with|system message behind|does not begin/.test(finding),
    );

  it('returns a legal list as it is', () => {
    void fc.assert(
      fc.property(legalHistory(format), ({ messages }) => {
        const done = repair(messages, options);
        expect(done.repairs).toEqual([]);
        expect(done.messages.length).toBe(messages.length);
        expect(done.messages.every((message, at) => message === messages[at])).toBe(true);
      }),
      runs,
    );
  }, 120_000);

  it.each([
    ['broken', repairableHistory(format)],
    ['interrupted', interruptedHistory(format)],
  ])(
    'makes a %s list legal, as a compaction does',
    async (_, histories) => {
      await fc.assert(
        fc.asyncProperty(histories, async ({ messages }) => {
          const sides = messages.map((message) => codecFor(format).view(message).role);
          // If results must be in the very next message, providers join consecutive responses.
          if (codecFor(format).rules.results === 'next')
            fc.pre(sides.every((side, at) => side !== 'assistant' || sides[at + 1] !== side));
          const before = structuredClone(messages.map((message) => codecFor(format).encode(message)));
          const done = repair(messages, options);
          expect(judge(done.messages)).toEqual([]);
          expect(sealedIntact(messages, done.messages)).toEqual([]);
          expect(charactersWhole(messages, done.messages)).toEqual([]);
          expect(compared(format, messages, done.messages)).toEqual([]);
          expect(messages.map((message) => codecFor(format).encode(message))).toEqual(before);
          if (judge(messages).length > 0) expect(done.repairs.length).toBeGreaterThan(0);
          expect(repair(done.messages, options)).toEqual({ messages: done.messages, repairs: [] });
          const compacted = await compact(messages, { ...options, window: 10_000_000 });
          expect(done.messages).toEqual(compacted.messages);
          expect(new Set(done.repairs)).toEqual(new Set(compacted.report.repairs));
        }),
        runs,
      );
    },
    120_000,
  );
});

it('names what it did, and needs no format', () => {
  const call = (id: string) => ({ id, type: 'function', function: { name: 'read', arguments: '{}' } });
  const list = [
    { role: 'user', content: 'Read both.' },
    { role: 'assistant', content: null, tool_calls: [call('a'), call('b')] },
    { role: 'user', content: 'Hurry.' },
    { role: 'tool', tool_call_id: 'a', content: 'first' },
    { role: 'tool', tool_call_id: 'lost', content: 'of another run' },
    { role: 'user', content: 'And?' },
  ];
  const { messages, repairs } = repair(list);
  expect(repairs).toEqual([
    { kind: 'late-result', callId: 'a', message: 3 },
    { kind: 'interrupted-call', callId: 'b', message: 3 },
    { kind: 'orphan-result', callId: 'lost', message: 4 },
  ]);
  expect(messages.map((message) => list.indexOf(message))).toEqual([0, 1, 3, -1, 2, 5]);
  expect(JUDGES['openai-chat'](messages)).toEqual([]);
});

it('leaves results of tools that the provider ran in the response when a result of the caller moves to it', () => {
  const response = {
    role: 'assistant',
    content: [
      { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'tides' } },
      { type: 'web_search_tool_result', tool_use_id: 's1', content: [] },
      { type: 'tool_use', id: 'a', name: 'read', input: {} },
    ],
  };
  const wait = { role: 'user', content: 'wait' };
  const late = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'said' }] };
  const { messages, repairs } = repair([{ role: 'user', content: 'go' }, response, wait, late]);
  expect(messages.slice(1)).toEqual([response, late, wait]);
  expect(repairs).toEqual([{ kind: 'late-result', callId: 'a', message: 3 }]);
});

it('calls of the newest response may still get their results', () => {
  const list = [
    { role: 'user', content: 'go' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'read', input: {} }] },
  ];
  expect(repair(list)).toEqual({ messages: list, repairs: [] });
});

it('takes nothing, and refuses what is not a list', () => {
  expect(repair([])).toEqual({ messages: [], repairs: [] });
  expect(() => repair(null as unknown as object[])).toThrow('The messages are `null`; expected an array.');
  expect(() => repair([{ a: 1 }])).toThrow('Unknown message format');
});

it('answers each of several calls with one id, in their order', () => {
  const call = (id: string): object => ({ functionCall: { id, name: 'list', args: {} } });
  const response = (id: string, text: string): object => ({
    functionResponse: { id, name: 'list', response: { output: text } },
  });
  const asked = [
    { role: 'user', parts: [{ text: 'go on' }] },
    { role: 'model', parts: [call('a'), call('b'), call('a')] },
  ];
  const both = [
    ...asked,
    { role: 'user', parts: [response('a', '1'), response('b', '2'), response('a', '3')] },
  ];
  expect(repair(both)).toEqual({ messages: both, repairs: [] });
  const { messages, repairs } = repair([...asked, { role: 'user', parts: [response('b', '2')] }]);
  expect(
    JSON.stringify(messages.at(-1))
      .match(/"id":"\w"/g)
      ?.sort(),
  ).toEqual(['"id":"a"', '"id":"a"', '"id":"b"']);
  expect(repairs.map(({ kind, callId }) => `${kind} ${callId}`)).toEqual([
    'interrupted-call a',
    'interrupted-call a',
  ]);
});

it('moves late results of several calls with one id to them, in their order', () => {
  const call = { functionCall: { id: 'a', name: 'list', args: {} } };
  const response = (text: string): object => ({
    functionResponse: { id: 'a', name: 'list', response: { output: text } },
  });
  const { messages } = repair([
    { role: 'user', parts: [{ text: 'go on' }] },
    { role: 'model', parts: [call, call] },
    { role: 'user', parts: [{ text: 'wait' }] },
    { role: 'model', parts: [{ text: 'yes' }] },
    { role: 'user', parts: [response('1'), response('2')] },
  ]);
  expect(JSON.stringify(messages[2])).toMatch(/functionResponse.*"1".*functionResponse.*"2"/);
  expect(JSON.stringify(messages.slice(3))).not.toContain('functionResponse');
});
