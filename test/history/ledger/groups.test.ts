// Groups that stay or go together, and what a provider would reject, on small conversations.

import { describe, expect, it } from 'vitest';
import { item } from '../../../src/history/codecs/message.ts';
import { type CodecName, codecOf, type Item, type Role } from '../../../src/history/index.ts';
import { type Conversation, conversationOf } from '../../../src/history/ledger/groups.ts';

type Part = readonly [kind: Item['kind'], facts?: Partial<Omit<Item, 'kind'>>];
type Said = readonly [role: Role, ...parts: Part[]];

const call = (callId: string, toolName: string = 'read'): Part => ['call', { callId, toolName, args: {} }];
const result = (callId: string): Part => ['result', { callId, text: `of ${callId}` }];
const sealed: Part = ['reasoning', { text: 'hm', sealed: true }];
const user: Said = ['user', ['user', { text: 'go' }]];

function of(messages: readonly Said[], codec: CodecName = 'openai-chat'): Conversation {
  const views = messages.map(([role, ...parts]) => ({
    role,
    items: parts.map(([kind, facts]) => item(kind, facts)),
  }));
  return conversationOf(
    views,
    views.map(() => false),
    codecOf(codec).rules,
  );
}

/** Groups as `kind:messages`. */
const shape = ({ groups }: Conversation): string[] =>
  groups.map(({ kind, places, open }) => {
    const messages = [...new Set(places.map(({ message }) => message))].join(',');
    return `${kind}:${messages}${open ? ' open' : ''}`;
  });
const faults = ({ faults: found }: Conversation): string[] =>
  found.map((fault) =>
    'message' in fault ? `${fault.kind} ${fault.message}` : `${fault.kind} ${fault.at.message}`,
  );

describe('groups', () => {
  it('keeps a response, its calls and their results together', () => {
    const conversation = of([
      ['system', ['system', { text: 's' }]],
      user,
      ['assistant', ['text', { text: 'I look.' }], call('a'), call('b')],
      ['tool', result('b')],
      ['tool', result('a')],
      ['assistant', ['text', { text: 'done' }]],
      user,
    ]);
    expect(shape(conversation)).toEqual(['system:0', 'user:1', 'turn:2,3,4', 'turn:5', 'user:6']);
    expect(conversation.faults).toEqual([]);
    expect(conversation.names[3]).toEqual(['read']);
    expect(conversation.callOf({ message: 3, item: 0 })).toEqual({ message: 2, item: 2 });
  });

  it('makes a separate group of user text next to results', () => {
    const conversation = of(
      [
        user,
        ['assistant', call('a')],
        ['user', result('a'), ['user', { text: 'and now?' }]],
        ['assistant', ['text', { text: 'ok' }]],
      ],
      'anthropic',
    );
    expect(shape(conversation)).toEqual(['user:0', 'turn:1,2', 'user:2', 'turn:3']);
  });

  it('handles user text between parallel results without losing any', () => {
    const conversation = of(
      [
        user,
        ['assistant', call('a'), call('b')],
        ['user', ['user', { text: 'wait' }], result('a'), result('b')],
      ],
      'anthropic',
    );
    expect(shape(conversation)).toEqual(['user:0', 'turn:1,2', 'user:2']);
    expect(conversation.faults).toEqual([]);
  });

  it('recognises pending calls', () => {
    const conversation = of([user, ['assistant', call('a'), call('b')]]);
    expect(shape(conversation)).toEqual(['user:0', 'turn:1 open']);
    expect(conversation.faults).toEqual([]);
  });

  it('ties the turns of a loop to the turn that starts with sealed reasoning', () => {
    const { groups } = of(
      [
        user,
        ['assistant', sealed, call('a')],
        ['user', result('a')],
        ['assistant', call('b')],
        ['user', result('b')],
        user,
        ['assistant', ['text', { text: 'x' }]],
      ],
      'anthropic',
    );
    expect(groups.map(({ leader }) => leader)).toEqual([null, null, 1, null, null]);
  });

  it('merges the turns between a provider-run call and its late result', () => {
    const late: Part = ['result', { callId: 's', text: 'found', providerExecuted: true }];
    const search: Part = ['call', { callId: 's', toolName: 'web', providerExecuted: true }];
    const conversation = of(
      [
        user,
        ['assistant', search, call('a')],
        ['user', result('a')],
        ['assistant', late, ['text', { text: 'so' }]],
      ],
      'anthropic',
    );
    expect(shape(conversation)).toEqual(['user:0', 'turn:1,2,3']);
  });

  it('merges turns that share a link', () => {
    const linked = (role: Role): Said => [role, ['opaque', { links: ['approval-1'] }]];
    const conversation = of(
      [user, linked('assistant'), ['assistant', ['text', { text: 'x' }]], linked('tool')],
      'ai-sdk',
    );
    expect(shape(conversation)).toContain('turn:1,2,3');
  });

  it('never removes a boundary', () => {
    const conversation = of([user, ['assistant', ['opaque', { boundary: true }]], user]);
    expect(shape(conversation)).toEqual(['user:0', 'system:1', 'user:2']);
  });

  it('accepts an empty list and empty messages', () => {
    expect(shape(of([]))).toEqual([]);
    expect(faults(of([['assistant'], ['user'], ['tool']], 'anthropic'))).toEqual([
      'empty-message 0',
      'empty-message 1',
      'empty-message 2',
    ]);
  });
});

describe('faults', () => {
  it('of two turns and of parallel calls are found in order', () => {
    const list: readonly Said[] = [
      user,
      ['assistant', call('a')],
      ['assistant', call('b'), call('c')],
      ['tool', result('b')],
      ['tool', result('x')],
      ['tool', result('b')],
      user,
    ];
    expect(faults(of(list))).toEqual([
      'interrupted-call 1',
      'orphan-result 4',
      'duplicate-result 5',
      'interrupted-call 2',
    ]);
  });

  it('is linear in parts and turns', () => {
    const messages: Said[] = [user];
    for (let at = 0; at < 40_000; at += 1)
      messages.push(['assistant', call(`c${at}`)], ['tool', result(`c${at}`)]);
    messages.push(['assistant', ...Array.from({ length: 20_000 }, (_, at) => call(`p${at}`))]);
    for (let at = 19_999; at >= 0; at -= 1) messages.push(['tool', result(`p${at}`)]);
    const conversation = of(messages);
    expect(conversation.groups).toHaveLength(40_002);
    expect(conversation.faults).toEqual([]);
  });
});
