// Summaries: a model's text only if it is valid; a text is returned whatever the summarizer does.

import { describe, expect, it } from 'vitest';
import { ReaderError } from '../../../src/contract/index.ts';
import type { TranscriptMessage } from '../../../src/history/archive/transcript.ts';
import { type Item, item, type MessageView } from '../../../src/history/codecs/message.ts';
import { isToolCall } from '../../../src/history/policy/tool-call-text.ts';
import type { SummaryReport } from '../../../src/history/report.ts';
import { mergeDigest } from '../../../src/history/summary/digest.ts';
import {
  bothEnds,
  cutToTokens,
  summaryInstructions,
  summaryTranscript,
} from '../../../src/history/summary/input.ts';
import {
  type Leaving,
  summarize as replaced,
  type SummaryOptions,
} from '../../../src/history/summary/summarize.ts';
import type { Summarizer, SummaryRequest } from '../../../src/history/summary/summarizer.ts';

const said = (role: MessageView['role'], ...items: Item[]): TranscriptMessage => ({
  view: { role, items },
  names: items.map(({ toolName }) => toolName),
});
const tokens = (text: string): number => Math.ceil(text.length / 4);

const WORDS = 'the report counts orders by region and month while refunds stay apart'.split(' ');
/** Prose without long repetitions. */
const prose = (seed: number, length: number): string =>
  Array.from(
    { length },
    (_, index) => `${WORDS[(index * 7 + seed * 3 + (index >> 3)) % WORDS.length]}${(index * seed) % 97}`,
  ).join(' ');

const MESSAGES: readonly TranscriptMessage[] = [
  said('user', item('user', { text: 'Count the orders of src/orders.csv.' })),
  ...Array.from({ length: 10 }, (_, index) => [
    said(
      'assistant',
      item('call', {
        toolName: 'read',
        callId: `c${index}`,
        text: `{"at":${index}}`,
        args: { path: `f${index}.csv` },
      }),
    ),
    said('tool', item('result', { toolName: 'read', callId: `c${index}`, text: prose(index + 1, 120) })),
  ]).flat(),
  said('assistant', item('text', { text: 'There are 42 orders.' })),
];
const REPLACED = 4000;
const GOOD =
  '## Intent\nThe orders of src/orders.csv are to be counted, by region and month, refunds apart.\n\n## Progress\nTen files were read, f0.csv to f9.csv, each from its start to its end; none was changed.\n\n## State\n42 orders so far, none of them refunded.\n\n## Next steps\nTell the user the number.';

interface Summary {
  readonly text: string;
  readonly report: SummaryReport;
}

/** What replaces `leaving`, with defaults for what a test does not set. */
async function summarize(
  leaving: Omit<Leaving, 'used' | 'isForeign'>,
  options: Pick<SummaryOptions, 'summarizer' | 'maxTokens' | 'count'> & Partial<SummaryOptions>,
): Promise<Summary> {
  const { text, summary } = await replaced(
    { used: [], isForeign: false, ...leaving },
    { timeoutMs: 60_000, maxInputTokens: 180_000, signal: undefined, without: 'digest', ...options },
  );
  if (summary === null) throw new Error('There was no room.');
  return { text, report: summary };
}

async function run(
  summarizer: Summarizer | null,
  options: Partial<SummaryOptions> = {},
  earlierSummary: string | null = null,
): Promise<Summary> {
  return summarize(
    { messages: MESSAGES, earlier: null, tokens: REPLACED, earlierSummary },
    { summarizer, maxTokens: 500, count: tokens, ...options },
  );
}

it.each([
  'I do not see a conversation in your message. Could you please share the transcript that you would like me to condense? Once you paste it here, I will write a summary of it under the headings that you have asked for, in the language of its user, with every detail that is needed to go on.',
  'Die Unterhaltung wurde mir leider nicht mitgegeben. Bitte senden Sie mir den Verlauf, den ich zusammenfassen soll; ich werde ihn dann gerne unter den gewünschten Überschriften kürzen und dabei alle wichtigen Einzelheiten, Entscheidungen und offenen Schritte festhalten, die jemand braucht, der damit weiterarbeitet.',
])('rejects a text unrelated to the transcript: %s', async (text) => {
  const { report } = await run(async () => text);
  expect(report).toMatchObject({ by: 'digest', attempts: 2 });
  expect(report.refused).toMatch(/contains no names from the transcript/);
});

it('accepts a summary without names if the conversation has few', async () => {
  const talk = Array.from({ length: 40 }, (_, at) =>
    said(
      at % 2 === 0 ? 'user' : 'assistant',
      item('text', { text: 'We spoke of how the garden is to be laid out, and why. '.repeat(3) }),
    ),
  );
  const summary =
    'The user plans a garden. '.repeat(3) +
    'Nothing was decided; the next step is to choose where the trees stand, and to ask how much shade the beds take. '.repeat(
      2,
    );
  const { report } = await summarize(
    { messages: talk, earlier: null, tokens: REPLACED, earlierSummary: null },
    { summarizer: async () => summary, maxTokens: 500, count: tokens },
  );
  expect(report).toMatchObject({ by: 'model', attempts: 1 });
});

it('accepts a good summary after one call', async () => {
  const requests: SummaryRequest[] = [];
  const { text, report } = await run(async (request) => {
    requests.push(request);
    return `\n${GOOD}\n`;
  });
  expect(text).toBe(GOOD);
  expect(report).toEqual({
    by: 'model',
    messages: MESSAGES.length,
    tokens: tokens(GOOD),
    attempts: 1,
    refused: null,
  });
  expect(requests).toHaveLength(1);
  expect(requests[0]?.maxTokens).toBe(500);
  expect(requests[0]?.transcript).toContain('Count the orders of src/orders.csv.');
  for (const heading of ['Intent', 'Progress', 'Decisions', 'State', 'Next steps', 'Important details'])
    expect(requests[0]?.instructions).toContain(`## ${heading}\n`);
});

it('returns a digest without a summarizer', async () => {
  const { text, report } = await run(null);
  expect(report).toMatchObject({ by: 'digest', attempts: 0, refused: null });
  expect(text).toContain('Count the orders of src/orders.csv.');
  expect(tokens(text)).toBeLessThanOrEqual(500);
});

describe('a summarizer that fails', () => {
  // Values an untyped summarizer may return.
  const cases: readonly (readonly [name: string, summarizer: Summarizer, refused: RegExp])[] = [
    ['is empty', async () => ' \n\t', /empty/],
    [
      'throws at once',
      () => {
        throw new Error('No route to sk-secret\nfrom here');
      },
      /^The summarizer failed: No route to \[key\] from here\.$/,
    ],
    [
      'rejects with a long message',
      () => Promise.reject(new Error(`one\r\n two\u0007 ${'\u{1f600}'.repeat(2_000_000)}`)),
      /^The summarizer failed: one two \u{1f600}{95}\u2026$/u,
    ],
    ['rejects with a text', () => Promise.reject('no room!'), /^The summarizer failed: no room!$/],
    [
      'rejects with a status',
      () => Promise.reject(Object.assign(new Error('sk-secret'), { status: 429 })),
      /^The summarizer failed: \[key\]\. \(status 429\)$/,
    ],
    [
      'rejects with an error of ours',
      () => Promise.reject(new ReaderError('BUSY', 'sk-secret', 'x')),
      /^The summarizer failed: \[key\]\. \(BUSY\)$/,
    ],
    ['rejects with nothing', () => Promise.reject(undefined), /The summarizer failed\./],
    [
      'rejects with a trap',
      () =>
        Promise.reject(
          Object.defineProperty({}, 'status', {
            get: () => {
              throw new Error('trap');
            },
          }),
        ),
      /The summarizer failed\./,
    ],
    [
      'gives undefined',
      async () => undefined as unknown as string,
      /^The summarizer returned `undefined`; expected a text\.$/,
    ],
    ['gives null', async () => null as unknown as string, /returned `null`; expected a text/],
    ['gives a number', async () => 7 as unknown as string, /returned a number; expected a text/],
    ['gives an object without text', async () => ({}) as unknown as string, /without a `text` string/],
    [
      'gives a text that is not a string',
      async () => ({ text: 7 }) as unknown as string,
      /without a `text` string/,
    ],
    [
      'gives a trap',
      async () =>
        Object.defineProperty({}, 'text', {
          get: () => {
            throw new Error('trap');
          },
        }) as unknown as string,
      /failed/,
    ],
    ['declines', async () => "I'm sorry, I can't help with that.", /expected at least 60/],
    ['gives 3 MB', async () => 'word '.repeat(600_000), /3000000 characters/],
    ['is too long', async () => prose(99, 700), /expected at most 500/],
    ['says it is fine', async () => 'fine', /^It has 1 token and replaces 4000; expected at least 60\.$/],
    ['is too short', async () => prose(99, 20), /expected at least 60/],
    ['calls a tool', async () => ({ text: '', calledTool: true }), /called a tool/],
    ['calls a tool beside a text', async () => ({ text: GOOD, calledTool: true }), /called a tool/],
    [
      'writes a call',
      async () => '<tool_call>\n{"name":"read","arguments":{}}\n</tool_call>',
      /written as text/,
    ],
    ['is nothing but marks of ours', async () => '[history: 3 messages left out]\n[history: x', /empty/],
  ];
  for (const [name, summarizer, refused] of cases)
    it(`${name}: asked twice, then the digest`, async () => {
      const instructions: string[] = [];
      const { text, report } = await run((request) => {
        instructions.push(request.instructions);
        return summarizer(request);
      });
      expect(report).toMatchObject({ by: 'digest', attempts: 2 });
      expect(report.refused).toMatch(refused);
      expect(report.refused).not.toContain('secret');
      expect(text).toContain('Count the orders of src/orders.csv.');
      expect(instructions[0]).not.toContain('Your last answer');
      const told = /^The summarizer failed/.test(report.refused ?? '')
        ? 'The request failed without an answer.'
        : report.refused;
      expect(instructions[1]).toContain(`Your last answer was rejected: ${told}`);
    });

  it('recovers with its second answer', async () => {
    let calls = 0;
    const { text, report } = await run(async () => {
      calls += 1;
      return calls === 1 ? '' : GOOD;
    });
    expect(text).toBe(GOOD);
    expect(report).toMatchObject({ by: 'model', attempts: 2, refused: null });
  });

  it('never answers: stopped after its deadline, and not asked again', async () => {
    let signal: AbortSignal | undefined;
    const { report } = await run(
      (request) => {
        signal = request.signal;
        return new Promise(() => undefined);
      },
      { timeoutMs: 20 },
    );
    expect(report).toMatchObject({ by: 'digest', attempts: 1 });
    expect(report.refused).toMatch(/did not answer within 20 ms/);
    expect(signal?.aborted).toBe(true);
  });

  it('fails after its deadline: no unhandled rejection', async () => {
    let fail: (error: Error) => void = () => undefined;
    const { report } = await run(
      () =>
        new Promise((_, reject) => {
          fail = reject;
        }),
      { timeoutMs: 5 },
    );
    fail(new Error('late'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(report.by).toBe('digest');
  });

  it('does not call it if there is too little room', async () => {
    const small = { messages: MESSAGES, earlier: null, earlierSummary: null, tokens: 1 };
    const { report } = await summarize(small, {
      summarizer: async () => GOOD,
      maxTokens: 500,
      count: tokens,
    });
    expect(report).toMatchObject({ attempts: 0, refused: 'There is no room for a summary.' });
  });
});

it('rejects a summary that saves less than 10 %', async () => {
  const summary = prose(55, 60);
  const input = { messages: MESSAGES, earlier: null, earlierSummary: null };
  const options = { summarizer: async () => summary, maxTokens: 5000, count: tokens };
  const size = tokens(summary);
  const won = await summarize({ ...input, tokens: Math.ceil(size / 0.9) + 1 }, options);
  expect(won.report.by).toBe('model');
  const lost = await summarize({ ...input, tokens: Math.floor(size / 0.9) - 1 }, options);
  expect(lost.report).toMatchObject({ by: 'digest', attempts: 2 });
  expect(lost.report.tokens).toBeLessThan(size);
});

it('accepts a short summary of little, if there is little room, and from 5 % on', async () => {
  const short = async (replaced: number, maxTokens: number, length: number): Promise<string> => {
    const input = { messages: MESSAGES, earlier: null, earlierSummary: null, tokens: replaced };
    // Contains a name of the transcript, as required.
    const [name = ''] = /\bby\d\d\b/.exec(prose(1, 120)) ?? [];
    const summarizer = async (): Promise<string> =>
      length === 1 ? name : `${name} ${'w'.repeat(length * 4 - 5)}`;
    return (await summarize(input, { summarizer, maxTokens, count: tokens })).report.by;
  };
  expect(await short(1000, 500, 1)).toBe('model');
  expect(await short(1001, 500, 50)).toBe('digest');
  expect(await short(1001, 500, 51)).toBe('model');
  expect(await short(100_000, 500, 59)).toBe('digest');
  expect(await short(100_000, 500, 60)).toBe('model');
  expect(await short(100_000, 40, 19)).toBe('digest');
  expect(await short(100_000, 40, 20)).toBe('model');
});

it('strips our marks from a summary, and keeps replacement patterns unchanged', async () => {
  const { text, report } = await run(
    async () => `[history: 9 messages left out]\n\n ${GOOD} $& $\` $' \ud800`,
  );
  expect(report.by).toBe('model');
  expect(text).toBe(`${GOOD} $& $\` $' \ufffd`);
});

it('rejects the earlier summary alone, and accepts one that carries it over', async () => {
  const earlier = `## Intent\n${prose(3, 150)}`;
  const same = await run(async () => `${earlier}\n`, {}, earlier);
  expect(same.report).toMatchObject({ by: 'digest', attempts: 2 });
  expect(same.report.refused).toContain('repeated the earlier summary');
  const carried = await run(async () => `${earlier}\n\n## Progress\n${prose(44, 30)}`, {}, earlier);
  expect(carried.report).toMatchObject({ by: 'model', attempts: 1 });
});

it('stops when the caller aborts', async () => {
  const stop = new AbortController();
  stop.abort();
  await expect(run(async () => GOOD, { signal: stop.signal })).rejects.toMatchObject({ code: 'ABORTED' });
  const later = new AbortController();
  let seen: AbortSignal | undefined;
  const running = run(
    (request) => {
      seen = request.signal;
      later.abort(new Error('enough'));
      return new Promise(() => undefined);
    },
    { signal: later.signal },
  );
  await expect(running).rejects.toMatchObject({ code: 'ABORTED' });
  expect(seen?.aborted).toBe(true);
});

it('truncates the transcript if the digest is empty', async () => {
  const silent = Array.from({ length: 40 }, (_, index) =>
    said('assistant', item('reasoning', { text: `${index} ${prose(index + 1, 30)}` })),
  );
  const { text, report } = await summarize(
    { messages: silent, earlier: null, tokens: 4000, earlierSummary: null },
    { summarizer: async () => '', maxTokens: 600, count: tokens },
  );
  expect(report.by).toBe('cut');
  expect(report.tokens).toBeLessThanOrEqual(600);
  expect(text).toMatch(/^## 1\. assistant/);
  expect(text).toMatch(/\[\d+ messages left out here\]/);
  expect(text).toContain('## 40. assistant');
});

describe('the transcript a summarizer sees', () => {
  it('is whole if it fits', () => {
    const whole = summaryTranscript(MESSAGES, null, 100_000, tokens);
    expect(whole).not.toContain('left out');
    expect(whole).toContain('## 22. assistant');
    expect(summaryTranscript(MESSAGES, 'before', 100_000, tokens)).toBe(
      `## Earlier summary\n\nbefore\n\n${whole}`,
    );
  });

  it('has a quarter from its start and the rest from its end, at borders of messages', () => {
    const sections = Array.from(
      { length: 100 },
      (_, index) => `## ${index + 1}. user\n\n${'x'.repeat(80)}\n\n`,
    );
    const cut = bothEnds(sections, 1000, tokens);
    const shown = [...cut.matchAll(/^## (\d+)\. user$/gm)].map(([, number]) => Number(number));
    const head = shown.findIndex((number, index) => number !== index + 1);
    expect(tokens(cut)).toBeLessThanOrEqual(1000);
    expect(tokens(cut)).toBeGreaterThan(900);
    expect(head / shown.length).toBeGreaterThan(0.2);
    expect(head / shown.length).toBeLessThan(0.3);
    expect(shown.at(-1)).toBe(100);
    expect(cut).toContain(`[${100 - shown.length} messages left out here]`);
  });

  it.each([
    ['tokens', tokens],
    ['characters', (text: string) => text.length],
    ['thirds of characters and a few more', (text: string) => Math.ceil(text.length / 3) + 7],
  ])('never exceeds its limit in %s, for messages of any size', (_, count) => {
    for (const sizes of [[10_000_000], [5, 2_000_000, 5], [10, 10, 10], [300_000, 300_000], []]) {
      const messages = sizes.map((size) =>
        said('tool', item('result', { text: '\u{1f600}'.repeat(size / 2) })),
      );
      for (const max of [0, 1, 5, 20, 100, 1000, 5000]) {
        const cut = summaryTranscript(messages, null, max, count);
        if (cut !== '') expect(count(cut)).toBeLessThanOrEqual(max);
        expect(cut).not.toMatch(/\p{Surrogate}/u);
      }
    }
  });

  it('uses most of its limit if one message far exceeds it', () => {
    const messages = [
      said('user', item('user', { text: 'first' })),
      said('tool', item('result', { text: prose(7, 100_000) })),
      said('assistant', item('text', { text: 'last' })),
    ];
    const cut = summaryTranscript(messages, null, 1000, tokens);
    expect(cut).toContain('first');
    expect(cut).toContain('last');
    expect(tokens(cut)).toBeGreaterThan(150);
  });

  it('cuts a text to tokens with a quarter from its start', () => {
    const cut = cutToTokens('0123456789'.repeat(1000), 250, tokens);
    expect(tokens(cut)).toBeLessThanOrEqual(250);
    expect(cut.indexOf('\n') / cut.length).toBeGreaterThan(0.2);
    expect(cut.indexOf('\n') / cut.length).toBeLessThan(0.3);
    expect(cutToTokens('abc', 250, tokens)).toBe('abc');
  });

  it('states the size of the summary', () => {
    expect(summaryInstructions(1234)).toContain('At most 1234 tokens.');
  });
});

describe('a tool call written as text', () => {
  const calls = [
    '<tool_call>{"name":"a","arguments":{}}</tool_call>',
    '<function_calls>\n<invoke name="read">',
    '<function=read>{"a":1}</function>',
    '<|python_tag|>read("a")',
    '[TOOL_CALLS] [{"name":"a"}]',
    '{"name":"read","arguments":{"path":"a"}}',
    '```json\n{"tool":"read","input":{}}\n```',
    '[{"type":"function","function":{"name":"read","arguments":"{}"}}]',
    '{"tool_calls":[]}',
    '{"action":"x","tool_name":"read","args":{}}',
  ];
  for (const call of calls) it(`is told: ${call.slice(0, 40)}`, () => expect(isToolCall(call)).toBe(true));
  const summaries = [
    GOOD,
    'The tool_call failed.',
    '{"intent":"count","name":"orders"}',
    '[1,2]',
    '[]',
    '```\n## Intent\nx\n```',
    '<invoke name="x"></invoke>\n\n## Intent\nTo count.',
    '<summary>Fine</summary>',
    '',
  ];
  for (const summary of summaries)
    it(`is not: ${summary.slice(0, 40)}`, () => expect(isToolCall(summary)).toBe(false));
});

it('continues from the digest of earlier compactions', async () => {
  const earlier = mergeDigest(null, [said('user', item('user', { text: 'The very first wish.' }))]);
  const { text } = await summarize(
    { messages: MESSAGES, earlier, tokens: REPLACED, earlierSummary: null },
    { summarizer: null, maxTokens: 500, count: tokens },
  );
  expect(text).toContain('1. The very first wish.\n2. Count the orders');
});
