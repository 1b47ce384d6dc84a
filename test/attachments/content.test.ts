// The content for every target: its SDK's types accept it, and the AI SDK's providers turn it into requests.

import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import type Anthropic from '@anthropic-ai/sdk';
import { generateText, type LanguageModel, type UserContent } from 'ai';
import type OpenAI from 'openai';
import { beforeAll, describe, expect, it } from 'vitest';
import { type AttachmentTarget, type PreparedAttachments, prepareAttachments } from '../../src/index.ts';
import { manyPages } from '../support/pdf.ts';
import { pixels } from '../support/pictures.ts';
import { wav } from '../support/sounds.ts';
import { table } from './folder.ts';

interface File {
  readonly name: string;
  readonly bytes: Uint8Array;
}
let files: File[];
let photo: Uint8Array;
const pdf = new Uint8Array(manyPages(2));
beforeAll(async () => {
  photo = new Uint8Array(await pixels(120, 80, 3, 'slope').png().toBuffer());
  files = [
    { name: 'photo one.png', bytes: photo },
    { name: 'report: "final".pdf', bytes: pdf },
    { name: 'orders.csv', bytes: Buffer.from(table(3)) },
    { name: 'tone.wav', bytes: wav(2) },
  ];
});

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

const prepared = <T extends AttachmentTarget>(target: T, model?: string): Promise<PreparedAttachments<T>> =>
  prepareAttachments(files, { target, ...(model !== undefined && { model }) });

describe('the content of a user message', () => {
  it('for Anthropic is blocks', async () => {
    const { content, listing } = await prepared('anthropic');
    const message = { role: 'user', content } satisfies Anthropic.MessageParam;
    expect(message.content).toEqual([
      { type: 'text', text: listing },
      { type: 'text', text: '==> photo one.png <==\n' },
      {
        type: 'image',
        source: { type: 'base64', media_type: 'image/png', data: base64(photo) },
      },
      { type: 'text', text: '==> report: "final".pdf <==\n' },
      {
        type: 'document',
        title: 'report: "final".pdf',
        source: { type: 'base64', media_type: 'application/pdf', data: base64(pdf) },
      },
      {
        type: 'document',
        title: 'orders.csv',
        source: { type: 'text', media_type: 'text/plain', data: table(3) },
      },
    ]);
  });

  it('for OpenAI Chat is parts, with sound for models that hear', async () => {
    const { content } = await prepared('openai-chat');
    const message = { role: 'user', content } satisfies OpenAI.ChatCompletionUserMessageParam;
    expect(message.content.slice(1)).toEqual([
      { type: 'text', text: '==> photo one.png <==\n' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${base64(photo)}` } },
      { type: 'text', text: '==> report: "final".pdf <==\n' },
      {
        type: 'file',
        file: {
          filename: 'report: "final".pdf',
          file_data: `data:application/pdf;base64,${base64(pdf)}`,
        },
      },
      { type: 'text', text: `==> orders.csv <==\n${table(3)}` },
    ]);
    const heard = await prepared('openai-chat', 'gpt-4o-audio-preview');
    heard.content satisfies OpenAI.ChatCompletionContentPart[];
    expect(heard.content.map(({ type }) => type)).toEqual(['text', 'text', 'text', 'text', 'input_audio']);
  });

  it('for OpenAI Responses is items', async () => {
    const { content } = await prepared('openai-responses');
    const message = { role: 'user', content } satisfies OpenAI.Responses.EasyInputMessage;
    expect(message.content.slice(1)).toEqual([
      { type: 'input_text', text: '==> photo one.png <==\n' },
      {
        type: 'input_image',
        detail: 'auto',
        image_url: `data:image/png;base64,${base64(photo)}`,
      },
      { type: 'input_text', text: '==> report: "final".pdf <==\n' },
      {
        type: 'input_file',
        filename: 'report: "final".pdf',
        file_data: `data:application/pdf;base64,${base64(pdf)}`,
      },
      { type: 'input_text', text: `==> orders.csv <==\n${table(3)}` },
    ]);
  });

  it('for Gemini is parts with data inline', async () => {
    const { content } = await prepared('gemini');
    expect(content.slice(1)).toEqual([
      { text: '==> photo one.png <==\n' },
      { inlineData: { mimeType: 'image/png', data: base64(photo) } },
      { text: '==> report: "final".pdf <==\n' },
      { inlineData: { mimeType: 'application/pdf', data: base64(pdf) } },
      { text: `==> orders.csv <==\n${table(3)}` },
      { text: '==> tone.wav <==\n' },
      { inlineData: { mimeType: 'audio/wav', data: base64(wav(2)) } },
    ]);
  });

  it('for Bedrock is blocks of bytes, documents under neutral names', async () => {
    const { content } = await prepared('bedrock');
    expect(content.slice(1)).toEqual([
      { text: '==> photo one.png <==\n' },
      { image: { format: 'png', source: { bytes: photo } } },
      { text: '==> report: "final".pdf <==\n' },
      { document: { format: 'pdf', name: 'report final', source: { bytes: pdf } } },
      { text: `==> orders.csv <==\n${table(3)}` },
    ]);
  });

  it('for Mistral is chunks', async () => {
    const { content } = await prepared('mistral');
    expect(content.slice(1)).toEqual([
      { type: 'text', text: '==> photo one.png <==\n' },
      { type: 'image_url', image_url: `data:image/png;base64,${base64(photo)}` },
      { type: 'text', text: '==> report: "final".pdf <==\n' },
      {
        type: 'document_url',
        document_url: `data:application/pdf;base64,${base64(pdf)}`,
        document_name: 'report: "final".pdf',
      },
      { type: 'text', text: `==> orders.csv <==\n${table(3)}` },
    ]);
  });

  it('for the AI SDK is parts of bytes', async () => {
    const { content } = await prepared('ai-sdk');
    content satisfies UserContent;
    expect(content.slice(1)).toEqual([
      { type: 'text', text: '==> photo one.png <==\n' },
      { type: 'image', image: photo, mediaType: 'image/png' },
      { type: 'text', text: '==> report: "final".pdf <==\n' },
      { type: 'file', data: pdf, mediaType: 'application/pdf', filename: 'report: "final".pdf' },
      { type: 'text', text: `==> orders.csv <==\n${table(3)}` },
    ]);
  });
});

const ANSWERS = {
  anthropic: {
    id: 'm',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text: 'ok' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 1, output_tokens: 1 },
  },
  chat: {
    id: 'm',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  },
  responses: {
    id: 'm',
    object: 'response',
    created_at: 1,
    model: 'm',
    status: 'completed',
    output: [
      {
        type: 'message',
        id: 'o',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'ok', annotations: [] }],
      },
    ],
    usage: { input_tokens: 1, output_tokens: 1 },
  },
  google: {
    candidates: [{ content: { parts: [{ text: 'ok' }], role: 'model' }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
  },
} as const;

/** A provider that answers from here, and the body that it was sent. */
function spoken(answer: keyof typeof ANSWERS): { fetch: typeof fetch; body: () => unknown } {
  let sent = '';
  return {
    fetch: async (_url, init) => {
      sent = String(init?.body);
      return Response.json(ANSWERS[answer]);
    },
    body: () => JSON.parse(sent),
  };
}

describe('through the AI SDK', () => {
  const cases: readonly [
    string,
    keyof typeof ANSWERS,
    (fetch: typeof globalThis.fetch) => LanguageModel,
    string,
  ][] = [
    [
      'anthropic/claude-sonnet-4-5',
      'anthropic',
      (fetch) => createAnthropic({ apiKey: 'none', fetch })('claude-sonnet-4-5'),
      'document',
    ],
    ['openai/gpt-5', 'responses', (fetch) => createOpenAI({ apiKey: 'none', fetch })('gpt-5'), 'input_file'],
    ['openai/gpt-5', 'chat', (fetch) => createOpenAI({ apiKey: 'none', fetch }).chat('gpt-5'), '"file"'],
    [
      'google/gemini-2.5-pro',
      'google',
      (fetch) => createGoogleGenerativeAI({ apiKey: 'none', fetch })('gemini-2.5-pro'),
      'audio/wav',
    ],
  ];

  it.each(cases)('%s (%s) is sent what it takes', async (model, answer, create, expected) => {
    for (const named of [model, undefined]) {
      const { fetch, body } = spoken(answer);
      const { content } = await prepareAttachments(files, {
        target: 'ai-sdk',
        ...(named !== undefined && { model: named }),
      });
      const { text } = await generateText({ model: create(fetch), messages: [{ role: 'user', content }] });
      expect(text).toBe('ok');
      const sent = JSON.stringify(body());
      expect(sent).toContain(base64(photo));
      expect(sent).toContain(base64(pdf));
      if (named !== undefined) expect(sent).toContain(expected);
    }
  });
});
