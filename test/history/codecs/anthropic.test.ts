import type Anthropic from '@anthropic-ai/sdk';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anthropic } from '../../../src/history/codecs/anthropic.ts';
import { createEstimator } from '../../../src/history/cost/estimate.ts';
import { callId, checkCodec, said } from './codec-checks.ts';

type Param = Anthropic.Beta.BetaMessageParam;

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const image: Anthropic.ImageBlockParam = {
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: PNG },
};

function itemsOf(message: Param): readonly (readonly unknown[])[] {
  return anthropic.view(message).items.map(({ kind, text, callId: id }) => [kind, text, id]);
}

describe('properties', () => {
  const text = said.map((value) => ({ type: 'text', text: value }));
  const picture = fc.constant(image);
  const document = said.map((data) => ({
    type: 'document',
    source: { type: 'text', media_type: 'text/plain', data },
  }));
  const inner = fc.oneof(text, picture, document, fc.constant({ type: 'tool_reference', tool_name: 'grep' }));
  const result = fc.record(
    {
      type: fc.constantFrom('tool_result', 'mcp_tool_result'),
      tool_use_id: callId,
      content: fc.oneof(said, fc.array(inner, { maxLength: 4 })),
      is_error: fc.boolean(),
    },
    { requiredKeys: ['type', 'tool_use_id'] },
  );
  const call = fc.record({
    type: fc.constantFrom('tool_use', 'server_tool_use', 'mcp_tool_use'),
    id: callId,
    name: fc.constant('read'),
    input: fc.dictionary(fc.string(), fc.jsonValue()),
  });
  const thinking = fc.record({
    type: fc.constant('thinking'),
    thinking: said,
    signature: fc.constantFrom('', 'c2ln'),
  });
  const redacted = fc.constant({ type: 'redacted_thinking', data: 'AAAA' });
  const unknown = fc.constant({ type: 'later_kind', value: 1 });
  // A result names a call once.
  const distinct = (parts: fc.Arbitrary<unknown>): fc.Arbitrary<unknown[]> =>
    fc.uniqueArray(parts, {
      minLength: 1,
      maxLength: 6,
      selector: (part) => (part as { tool_use_id?: string }).tool_use_id ?? part,
    });
  const message = fc.oneof(
    fc.record({ role: fc.constant('user'), content: said }),
    fc.record({
      role: fc.constant('user'),
      content: distinct(fc.oneof(text, picture, document, result, unknown)),
    }),
    fc.record({
      role: fc.constant('assistant'),
      content: distinct(fc.oneof(text, call, thinking, redacted, unknown)),
      id: fc.constant('msg_1'),
    }),
    fc.record({ role: fc.constant('system'), content: distinct(text) }),
  );
  checkCodec({
    codec: anthropic,
    message,
    around: (junk) =>
      fc.record({
        role: fc.constantFrom('user', 'assistant', 'system', 'tool'),
        content: fc.oneof(
          junk,
          fc.array(
            fc.oneof(
              junk,
              fc.record({
                type: fc.constantFrom(
                  'text',
                  'image',
                  'tool_use',
                  'tool_result',
                  'web_search_tool_result',
                  'compaction',
                ),
                text: junk,
                source: junk,
                content: junk,
                input: junk,
                tool_use_id: junk,
              }),
            ),
          ),
        ),
      }),
    partsOf: (own) => {
      const { content } = own as { content: unknown };
      return Array.isArray(content) ? content : [];
    },
    takesText: ({ kind }) => ['user', 'text', 'system', 'result'].includes(kind),
  });
});

describe('view', () => {
  it('reads texts by the role of their message', () => {
    expect(itemsOf({ role: 'user', content: 'hello' })).toEqual([['user', 'hello', null]]);
    expect(itemsOf({ role: 'assistant', content: [{ type: 'text', text: 'hi' }] })).toEqual([
      ['text', 'hi', null],
    ]);
    expect(itemsOf({ role: 'system', content: 'be brief' })).toEqual([['system', 'be brief', null]]);
    expect(anthropic.view({ role: 'system', content: 'be brief' }).role).toBe('system');
  });

  it('seals signed and redacted thinking, and text with encrypted citations', () => {
    const message: Param = {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 'c2ln' },
        { type: 'thinking', thinking: 'hm', signature: '' },
        { type: 'redacted_thinking', data: 'A'.repeat(400) },
        {
          type: 'text',
          text: 'so',
          citations: [
            {
              type: 'web_search_result_location',
              cited_text: 's',
              encrypted_index: 'eA',
              title: 't',
              url: 'u',
            },
          ],
        },
        {
          type: 'text',
          text: 'and',
          citations: [
            {
              type: 'char_location',
              cited_text: 's',
              document_index: 0,
              document_title: null,
              start_char_index: 0,
              end_char_index: 1,
            },
          ],
        },
      ],
    };
    const { items } = anthropic.view(message);
    expect(items.map(({ kind, sealed }) => [kind, sealed])).toEqual([
      ['reasoning', true],
      ['reasoning', false],
      ['reasoning', true],
      ['text', true],
      ['text', false],
    ]);
    expect(items[2]?.weight).toBe(300);
  });

  it('reads calls, who called them, and their results with media inside', () => {
    const call: Param = {
      role: 'assistant',
      content: [
        {
          type: 'tool_use',
          id: 'toolu_1',
          name: 'read',
          input: { path: 'a.ts' },
          caller: { type: 'code_execution_20250825', tool_id: 'srvtoolu_9' },
        },
      ],
    };
    expect(anthropic.view(call).items[0]).toMatchObject({
      kind: 'call',
      text: '{"path":"a.ts"}',
      args: { path: 'a.ts' },
      callId: 'toolu_1',
      toolName: 'read',
      links: ['srvtoolu_9'],
      providerExecuted: false,
    });
    const results: Param = {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'toolu_1',
          is_error: true,
          content: [
            { type: 'text', text: 'one' },
            image,
            {
              type: 'search_result',
              title: 'T',
              source: 'https://x.test',
              content: [{ type: 'text', text: 'two' }],
            },
            { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'three' } },
          ],
        },
        { type: 'tool_result', tool_use_id: 'toolu_2' },
      ],
    };
    expect(itemsOf(results)).toEqual([
      ['result', 'one\nT\nhttps://x.test\ntwo', 'toolu_1'],
      ['media', '', 'toolu_1'],
      ['media', '', 'toolu_1'],
      ['result', '', 'toolu_2'],
    ]);
    const { items } = anthropic.view(results);
    expect(items[0]?.isError).toBe(true);
    expect(items[1]?.media).toEqual({ type: 'image', mimeType: 'image/png', bytes: 70, width: 1, height: 1 });
    expect(items[2]?.media).toMatchObject({ type: 'document', mimeType: 'text/plain', bytes: 5 });
  });

  it('counts text in documents, results of searches and shown files as text, not as pages', () => {
    const estimator = createEstimator('anthropic');
    const costOf = (block: unknown): number =>
      estimator.message(anthropic.view({ role: 'user', content: [block] })) -
      estimator.message({ role: 'user', items: [] });
    const text = 'A line of plain prose, as people write it. '.repeat(100);
    const plain = costOf({ type: 'text', text });
    const alike = (block: unknown): void => {
      expect(costOf(block)).toBeGreaterThan(plain * 0.6);
      expect(costOf(block)).toBeLessThan(plain * 1.6);
    };
    alike({ type: 'document', source: { type: 'text', media_type: 'text/plain', data: text } });
    alike({ type: 'document', source: { type: 'content', content: text } });
    alike({ type: 'document', source: { type: 'content', content: [{ type: 'text', text }] } });
    alike({ type: 'search_result', title: 'T', source: 'S', content: [{ type: 'text', text }] });
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } };
    expect(costOf({ type: 'document', source: { type: 'content', content: [image] } })).toBeGreaterThan(1000);
  });

  it('keeps results of tools that Anthropic runs as they are, linked with their calls', () => {
    const content = (data: string): Param => ({
      role: 'assistant',
      content: [
        { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'q' } },
        {
          type: 'web_search_tool_result',
          tool_use_id: 'srvtoolu_1',
          content: [
            { type: 'web_search_result', title: 'T', url: 'u', encrypted_content: data, page_age: null },
          ],
        },
        { type: 'mcp_tool_use', id: 'mcptoolu_1', name: 'get', server_name: 's', input: {} },
        { type: 'mcp_tool_result', tool_use_id: 'mcptoolu_1', content: [{ type: 'text', text: 'got' }] },
      ],
    });
    const [call, hits, ...mcp] = anthropic.view(content('')).items;
    expect([call?.kind, call?.providerExecuted, call?.links]).toEqual(['call', true, ['srvtoolu_1']]);
    expect([hits?.kind, hits?.links]).toEqual(['opaque', ['srvtoolu_1']]);
    expect(mcp.map(({ kind, text }) => [kind, text])).toEqual([
      ['call', '{}'],
      ['result', 'got'],
    ]);
    // What is encrypted costs tokens too.
    const weight = anthropic.view(content('A'.repeat(400))).items[1]?.weight ?? 0;
    expect(weight - (hits?.weight ?? 0)).toBe(300);
  });

  it('treats a compaction as a boundary unless it failed', () => {
    const message: Param = {
      role: 'assistant',
      content: [
        { type: 'compaction', content: 'so far', encrypted_content: 'AAAA' },
        { type: 'compaction', content: null },
      ],
    };
    const { items } = anthropic.view(message);
    expect(items.map(({ kind, boundary, sealed, weight }) => [kind, boundary, sealed, weight])).toEqual([
      ['opaque', true, true, 6],
      ['opaque', false, false, 0],
    ]);
  });

  it('keeps unknown parts, weighed without base64', () => {
    const message = {
      role: 'user',
      content: [
        { type: 'container_upload', file_id: 'file_1' },
        { type: 'later', data: 'iVBORw0KGgo1'.repeat(50) },
      ],
    };
    const { items } = anthropic.view(message);
    expect(items.map(({ kind }) => kind)).toEqual(['opaque', 'opaque']);
    expect(items[1]?.weight).toBeLessThan(60);
  });
});

describe('edit', () => {
  const results: Param = {
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: 'toolu_1', content: 'one', cache_control: { type: 'ephemeral' } },
      { type: 'text', text: 'go on' },
    ],
  };

  it('keeps the text when the last result is removed, and returns null when nothing is left', () => {
    expect(anthropic.edit(results, [{ op: 'remove', item: 0 }])).toEqual({
      role: 'user',
      content: [{ type: 'text', text: 'go on' }],
    });
    const all = anthropic.edit(results, [
      { op: 'remove', item: 0 },
      { op: 'remove', item: 1 },
    ]);
    expect(all).toBe(null);
  });

  it('returns null if only reasoning or blank text is left', () => {
    const message: Param = {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 'c2ln' },
        { type: 'text', text: ' \n' },
        { type: 'tool_use', id: 'toolu_1', name: 'read', input: {} },
      ],
    };
    expect(anthropic.edit(message, [{ op: 'remove', item: 2 }])).toBe(null);
  });

  it('keeps the other fields of a part and of the message', () => {
    const message = { ...results, id: 'msg_1' };
    expect(anthropic.edit(message, [{ op: 'text', item: 0, text: 'less' }])).toEqual({
      id: 'msg_1',
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'toolu_1',
          content: 'less',
          cache_control: { type: 'ephemeral' },
        },
        { type: 'text', text: 'go on' },
      ],
    });
  });

  it('makes all text of a result one text, in its first place, and keeps media and the cache mark', () => {
    const reference = { type: 'tool_reference', tool_name: 'grep' };
    const message = {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'toolu_1',
          content: [
            image,
            { type: 'text', text: 'a' },
            reference,
            { type: 'text', text: 'b', cache_control: { type: 'ephemeral' } },
          ],
        },
      ],
    };
    const next = anthropic.edit(message, [{ op: 'text', item: 0, text: "$& $'" }]);
    expect(next).toEqual({
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'toolu_1',
          content: [image, { type: 'text', text: "$& $'", cache_control: { type: 'ephemeral' } }, reference],
        },
      ],
    });
  });

  it('puts answers before everything else and appended text after it', () => {
    const next = anthropic.edit(results, [
      { op: 'append', text: 'note' },
      { op: 'answer', calls: [{ callId: 'toolu_2', toolName: 'read' }], text: 'interrupted' },
    ]);
    expect(next).toEqual({
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'toolu_2', content: 'interrupted', is_error: true },
        ...(results.content as readonly unknown[]),
        { type: 'text', text: 'note' },
      ],
    });
    const short: Param = { role: 'user', content: 'go on' };
    expect(anthropic.edit(short, [{ op: 'append', text: 'note' }])).toEqual({
      role: 'user',
      content: [
        { type: 'text', text: 'go on' },
        { type: 'text', text: 'note' },
      ],
    });
    expect(anthropic.edit({ role: 'assistant', content: 'x' }, [{ op: 'append', text: 'note' }])).toEqual({
      role: 'assistant',
      content: 'x',
    });
  });

  it('keeps a string content a string', () => {
    const short: Param = { role: 'user', content: 'go on' };
    expect(anthropic.edit(short, [{ op: 'text', item: 0, text: 'less' }])).toEqual({
      role: 'user',
      content: 'less',
    });
    expect(anthropic.edit(short, [{ op: 'remove', item: 0 }])).toBe(null);
  });

  it('answers open calls in one message', () => {
    const calls = [
      { callId: 'a', toolName: 'x' },
      { callId: 'b', toolName: 'y' },
    ];
    const answer: Anthropic.MessageParam = {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'a', content: 'interrupted', is_error: true },
        { type: 'tool_result', tool_use_id: 'b', content: 'interrupted', is_error: true },
      ],
    };
    expect(anthropic.answer(calls, 'interrupted')).toEqual([answer]);
    const notice: Anthropic.MessageParam = { role: 'user', content: 'left out' };
    expect(anthropic.notice('left out', 'user')).toEqual(notice);
    expect(anthropic.answer([], 'interrupted')).toEqual([]);
  });
});

describe('detect', () => {
  const user = { role: 'user', content: 'hello' };
  const call: Param = { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'x', input: {} }] };

  it('requires one message that is certain and none that contradicts', () => {
    expect(anthropic.detect([user, call])).toBe(true);
    expect(anthropic.detect([{ role: 'user', content: [image] }])).toBe(true);
    expect(anthropic.detect([user])).toBe(false);
    expect(anthropic.detect([])).toBe(false);
    const others: unknown[] = [
      { role: 'tool', tool_call_id: 'a', content: 'x' },
      { role: 'assistant', content: null, tool_calls: [] },
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'x' } }] },
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'x', input: {} }] },
      { role: 'user', content: [{ type: 'image', image: 'x' }] },
      { role: 'user', parts: [{ text: 'x' }] },
      { type: 'function_call', call_id: 'a' },
      { role: 'assistant', content: [{ type: 'toolCall', id: 'a', name: 'x', arguments: {} }] },
      { role: 'assistant', content: [{ type: 'thinking', thinking: 'x', thinkingSignature: 'y' }] },
      null,
    ];
    for (const other of others) expect(anthropic.detect([user, call, other])).toBe(false);
  });
});

it('keeps the images of the first of two results of one call when the second is removed', () => {
  const shot = (id: string): object => ({ type: 'tool_result', tool_use_id: id, content: [image] });
  const message = { role: 'user', content: [shot('toolu_1'), shot('toolu_1')] };
  const [first] = message.content;
  expect(anthropic.edit(message, [{ op: 'remove', item: 2 }])).toEqual({ role: 'user', content: [first] });
});

it('writes a text into a message that had an empty one', () => {
  const empty = { role: 'user', content: '' };
  expect(anthropic.edit(empty, [{ op: 'text', item: 0, text: 'x' }])).toEqual({ role: 'user', content: 'x' });
});

it('counts the pages of a fetched PDF', () => {
  const fetched = (bytes: number): Param => ({
    role: 'assistant',
    content: [
      {
        type: 'web_fetch_tool_result',
        tool_use_id: 'srvtoolu_1',
        content: {
          type: 'web_fetch_result',
          url: 'https://example.com/a.pdf',
          content: {
            type: 'document',
            source: {
              type: 'base64',
              media_type: 'application/pdf',
              data: Buffer.from(Uint8Array.from({ length: bytes }, (_, at) => (at * 131) % 251)).toString(
                'base64',
              ),
            },
          },
        },
      },
    ],
  });
  const { message } = createEstimator('anthropic', 'claude-sonnet-4-5', 'anthropic');
  const [small, large] = [60_000, 600_000].map((bytes) => message(anthropic.view(fetched(bytes))));
  expect(small).toBeGreaterThan(2000);
  expect(large).toBeGreaterThan(8 * (small ?? 0));
  expect(anthropic.edit(fetched(60_000), [{ op: 'remove', item: 0 }])).toBeNull();
});
