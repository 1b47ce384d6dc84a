import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { manyPages, pdfFile } from '../support/pdf.ts';
import { animation } from '../support/pictures.ts';
import {
  convertedRequest,
  RULED_TARGETS,
  type RuledTarget,
  wireLength,
} from '../support/provider-rules/index.ts';
import { mp3, wav } from '../support/sounds.ts';

async function problems(name: string, content: unknown): Promise<readonly string[]> {
  const { rules } = target(name);
  const { problems: found } = await rules.judge(content, rules.request(content));
  return found;
}

function target(name: string): RuledTarget {
  const found = RULED_TARGETS.find((one) => one.name === name);
  if (!found) throw new Error(`no target ${name}`);
  return found;
}

const png = (width: number, height: number): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background: 'teal' } })
    .png()
    .toBuffer();

/** Sound, but larger: zeros after the end are no matter to decoders. */
const padded = (bytes: Buffer, length: number): Buffer =>
  Buffer.concat([bytes, Buffer.alloc(length - bytes.length)]);

const url = (type: string, data: Buffer): string => `data:${type};base64,${data.toString('base64')}`;

/** A part in each format. */
const IMAGE: Readonly<Record<string, (type: string, data: Buffer) => unknown>> = {
  anthropic: (media_type, data) => ({
    type: 'image',
    source: { type: 'base64', media_type, data: data.toString('base64') },
  }),
  'openai-chat': (type, data) => ({ type: 'image_url', image_url: { url: url(type, data) } }),
  'openai-responses': (type, data) => ({ type: 'input_image', detail: 'auto', image_url: url(type, data) }),
  gemini: (mimeType, data) => ({ inlineData: { mimeType, data: data.toString('base64') } }),
  bedrock: (type, bytes) => ({ image: { format: type.slice(6), source: { bytes: new Uint8Array(bytes) } } }),
  mistral: (type, data) => ({ type: 'image_url', image_url: url(type, data) }),
  'ai-sdk': (mediaType, data) => ({ type: 'image', image: new Uint8Array(data), mediaType }),
};

const PDF: Readonly<Record<string, (data: Buffer, name?: string) => unknown>> = {
  anthropic: (data, title = 'a') => ({
    type: 'document',
    title,
    source: { type: 'base64', media_type: 'application/pdf', data: data.toString('base64') },
  }),
  'openai-chat': (data, filename = 'a.pdf') => ({
    type: 'file',
    file: { filename, file_data: url('application/pdf', data) },
  }),
  'openai-responses': (data, filename = 'a.pdf') => ({
    type: 'input_file',
    filename,
    file_data: url('application/pdf', data),
  }),
  gemini: (data) => ({ inlineData: { mimeType: 'application/pdf', data: data.toString('base64') } }),
  bedrock: (data, name = 'a') => ({
    document: { format: 'pdf', name, source: { bytes: new Uint8Array(data) } },
  }),
  mistral: (data, document_name = 'a.pdf') => ({
    type: 'document_url',
    document_url: url('application/pdf', data),
    document_name,
  }),
  'ai-sdk': (data, filename = 'a.pdf') => ({
    type: 'file',
    data: new Uint8Array(data),
    mediaType: 'application/pdf',
    filename,
  }),
};

const TEXT: Readonly<Record<string, (text: string) => unknown>> = {
  anthropic: (text) => ({ type: 'text', text }),
  'openai-chat': (text) => ({ type: 'text', text }),
  'openai-responses': (text) => ({ type: 'input_text', text }),
  gemini: (text) => ({ text }),
  bedrock: (text) => ({ text }),
  mistral: (text) => ({ type: 'text', text }),
  'ai-sdk': (text) => ({ type: 'text', text }),
};

const NAMES = Object.keys(IMAGE);
const image = (name: string, type: string, data: Buffer): unknown => IMAGE[name]?.(type, data);
const pdf = (name: string, data: Buffer, called?: string): unknown => PDF[name]?.(data, called);
const text = (name: string, words: string): unknown => TEXT[name]?.(words);

/** Needs a password: what its entries say of it holds for none. */
const encrypted = (): Buffer =>
  pdfFile(
    [
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>',
      `<< /Filter /Standard /V 1 /R 2 /O <${'ab'.repeat(32)}> /U <${'cd'.repeat(32)}> /P -4 >>`,
    ],
    { trailer: `/Encrypt 4 0 R /ID [<${'01'.repeat(16)}> <${'01'.repeat(16)}>]` },
  );

let dot: Buffer;
beforeAll(async () => {
  dot = await png(8, 8);
});

describe.each(NAMES)('the rules for %s', (name) => {
  it('pass what is in order', async () => {
    const content = [text(name, 'see'), image(name, 'image/png', dot), pdf(name, manyPages(2))];
    expect(await problems(name, content)).toEqual([]);
  });

  it.each([
    ['nothing', () => []],
    ['blank text', () => [text(name, ' \n')]],
    ['half a character', () => [text(name, 'a\ud800')]],
    ['a wrong type', () => [image(name, 'image/jpeg', dot)]],
    ['half a picture', async () => [image(name, 'image/png', (await png(900, 900)).subarray(0, 900))]],
    ['no picture', () => [image(name, 'image/png', Buffer.from('hello'))]],
    ['an unknown field', () => [{ ...Object(text(name, 'a')), more: 1 }]],
    ['an unknown block', () => [{ type: 'video' }]],
    ['an encrypted PDF file', () => [text(name, 'a'), pdf(name, encrypted())]],
    ['a cut PDF file', () => [text(name, 'a'), pdf(name, manyPages(9).subarray(0, 900))]],
    ['no PDF file', () => [text(name, 'a'), pdf(name, Buffer.from('hello %%EOF'))]],
  ])('refuse %s', async (_, make) => {
    // The AI SDK looks at the first bytes and sends the type that they have.
    if (name === 'ai-sdk' && _ === 'a wrong type') return;
    expect(await problems(name, await make())).not.toEqual([]);
  });
});

describe('the rules', () => {
  it('know how large a picture may be for Anthropic, as base64', async () => {
    expect(await problems('anthropic', [image('anthropic', 'image/png', padded(dot, 3_932_160))])).toEqual(
      [],
    );
    expect(await problems('anthropic', [image('anthropic', 'image/png', padded(dot, 3_932_161))])).toEqual([
      'content[0]: 5242884 characters of base64, at most 5242880',
    ]);
  });

  it.each([
    ['anthropic', 8000],
    ['bedrock', 8000],
    ['mistral', 10_000],
  ])('know the longest edge for %s', async (name, edge) => {
    expect(await problems(name, [image(name, 'image/png', await png(edge, 2))])).toEqual([]);
    expect(await problems(name, [image(name, 'image/png', await png(2, edge + 1))])).toEqual([
      `content[0]: ${edge + 1} pixels at the longer edge, at most ${edge}`,
    ]);
  });

  it('know that among more than 20 pictures none may be over 2000 pixels', async () => {
    const wide = image('anthropic', 'image/png', await png(2001, 2));
    const small = image('anthropic', 'image/png', dot);
    expect(await problems('anthropic', [wide, ...Array(19).fill(small)])).toEqual([]);
    expect(await problems('anthropic', [wide, ...Array(20).fill(small)])).toEqual([
      'content[0]: 2001 pixels, one of many, at most 2000',
    ]);
  });

  it.each([
    ['anthropic', 100],
    ['bedrock', 20],
    ['mistral', 8],
    ['openai-chat', 500],
  ])('count pictures for %s', async (name, most) => {
    const one = image(name, 'image/png', dot);
    expect(await problems(name, Array(most).fill(one))).toEqual([]);
    expect((await problems(name, Array(most + 1).fill(one))).join()).toContain(
      `${most + 1} pictures, at most ${most}`,
    );
  });

  it('count pages and pictures together for Anthropic', async () => {
    const content = [pdf('anthropic', manyPages(60)), pdf('anthropic', manyPages(40))];
    expect(await problems('anthropic', content)).toEqual([]);
    expect(await problems('anthropic', [...content, image('anthropic', 'image/png', dot)])).toEqual([
      'request: 101 pages and pictures, at most 100',
    ]);
    expect((await problems('anthropic', [pdf('anthropic', manyPages(101))])).join()).toContain('101 pages');
  });

  it('know the PDF limits of the others', async () => {
    expect((await problems('gemini', [pdf('gemini', manyPages(1001))])).join()).toContain('1001 pages');
    expect((await problems('mistral', [pdf('mistral', manyPages(1001))])).join()).toContain('1001 pages');
    const large = manyPages(1, 4_500_001);
    expect((await problems('bedrock', [text('bedrock', 'a'), pdf('bedrock', large)])).join()).toContain(
      'bytes, at most 4500000',
    );
  });

  it('keep moving pictures from those who refuse them', async () => {
    const moving = await animation('gif', 20, 20, 3, 'blocks');
    for (const name of ['openai-chat', 'openai-responses', 'mistral', 'gemini'])
      expect(await problems(name, [image(name, 'image/gif', moving)]), name).not.toEqual([]);
    for (const name of ['anthropic', 'bedrock'])
      expect(await problems(name, [image(name, 'image/gif', moving)]), name).toEqual([]);
  });

  it('know the names of documents', async () => {
    for (const name of ['a.b', 'a  b', 'a_b', 'ä', 'a\u00a0b', '', ' a', 'a'.repeat(201)])
      expect(
        await problems('bedrock', [text('bedrock', 'a'), pdf('bedrock', manyPages(1), name)]),
        name,
      ).not.toEqual([]);
    const twice = pdf('bedrock', manyPages(1), 'a');
    expect(await problems('bedrock', [text('bedrock', 'a'), twice, twice])).toEqual([
      'content[2]: name "a" stands twice',
    ]);
    expect(await problems('bedrock', [twice])).toEqual(['content: documents without a text']);
    const six = Array.from({ length: 6 }, (_, i) => pdf('bedrock', manyPages(1), `a${i}`));
    expect((await problems('bedrock', [text('bedrock', 'a'), ...six])).join()).toContain('6 PDF files');
    for (const name of ['openai-chat', 'openai-responses'])
      expect(
        await problems(name, [pdf(name, manyPages(1), 'a\nb.pdf'), pdf(name, manyPages(1), 'a')]),
      ).toHaveLength(2);
  });

  it('count the bytes of the whole request', async () => {
    for (const [name, most] of [
      ['anthropic', 32],
      ['gemini', 20],
      ['bedrock', 20],
      ['openai-chat', 50],
    ] as const)
      expect((await problems(name, [text(name, 'a'.repeat(most * 1_000_000))])).join()).toMatch(
        /request: \d+ bytes/,
      );
  });

  it('listen to sound', async () => {
    const chat = (data: Buffer, format: string): unknown => ({
      type: 'input_audio',
      input_audio: { data: data.toString('base64'), format },
    });
    expect(await problems('openai-chat', [chat(wav(1), 'wav'), chat(mp3(40), 'mp3')])).toEqual([]);
    expect(await problems('openai-chat', [chat(wav(1), 'mp3')])).not.toEqual([]);
    expect(await problems('openai-chat', [chat(wav(1).subarray(0, 500), 'wav')])).not.toEqual([]);
    expect(await problems('openai-chat', [chat(Buffer.from('hello'), 'wav')])).not.toEqual([]);
    const inline = (mimeType: string, data: Buffer): unknown => ({
      inlineData: { mimeType, data: data.toString('base64') },
    });
    expect(await problems('gemini', [inline('audio/wav', wav(1)), inline('audio/mp3', mp3(40))])).toEqual([]);
    expect(await problems('gemini', [inline('audio/x-wav', wav(1))])).not.toEqual([]);
    expect(
      await problems('mistral', [{ type: 'input_audio', input_audio: mp3(40).toString('base64') }]),
    ).toEqual([]);
    expect(
      await problems('ai-sdk', [
        { type: 'file', data: new Uint8Array(wav(1)), mediaType: 'audio/wav', filename: 'a' },
      ]),
    ).not.toEqual([]);
  });

  it('refuse base64 that is not canonical', async () => {
    const part = (data: string): unknown => ({ inlineData: { mimeType: 'image/png', data } });
    for (const data of ['', 'aGk', 'aG k=', 'aGl=', dot.toString('base64url')])
      expect((await problems('gemini', [part(data)])).join(), data).toMatch(/base64/);
  });

  it('measure a body as JSON writes it', () => {
    const value = { a: ['ä"\n', 'b'.repeat(20_000), [], {}], c: { d: 1, e: true, f: null } };
    expect(wireLength(value)).toBe(Buffer.byteLength(JSON.stringify(value)));
    expect(wireLength({ bytes: Buffer.alloc(4) })).toBe('{"bytes":"AAAAAA=="}'.length);
  });

  it('see what the AI SDK sends', async () => {
    expect(await convertedRequest('anthropic', [text('ai-sdk', 'hi')])).toMatchObject({
      messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
    });
    await expect(convertedRequest('anthropic', [{ type: 'text' }])).rejects.toThrow();
    // Chat Completions has a lone text as a string.
    expect(await problems('ai-sdk', [text('ai-sdk', 'hi')])).toEqual([]);
  });
});
