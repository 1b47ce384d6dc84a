// Exactly at a limit is allowed, one more is not: for every bound that a request has.

import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { base64Length } from '../../src/attachments/allowance.ts';
import { wireBytes } from '../../src/attachments/content.ts';
import { ATTACHMENT_LIMITS, type AttachmentTarget, prepareAttachments } from '../../src/index.ts';
import { manyPages } from '../support/pdf.ts';
import { pixels } from '../support/pictures.ts';
import { wav } from '../support/sounds.ts';
import { pngOf } from './samples.ts';

// Draws many cases.
vi.setConfig({ testTimeout: 180_000 });

const kinds = async (
  ...args: Parameters<typeof prepareAttachments<'anthropic'>>
): Promise<readonly (string | undefined)[]> =>
  (await prepareAttachments(...args)).files.map(({ given }) => given);

describe('a picture', () => {
  it('may have as many bytes as base64 as the target says', async () => {
    const most = (5_242_880 / 4) * 3;
    const at = await pngOf(most);
    const above = await pngOf(most + 1);
    expect([at.length, above.length]).toEqual([most, most + 1]);
    expect([base64Length(most), base64Length(most + 1)]).toEqual([5_242_880, 5_242_884]);
    expect(await kinds([at, above], { target: 'anthropic' })).toEqual(['native', 'image']);
  });

  it('may have as many bytes as the target says', async () => {
    const files = [await pngOf(3_750_000), await pngOf(3_750_001)];
    const { files: told, parts } = await prepareAttachments(files, { target: 'bedrock' });
    expect(told.map(({ given }) => given)).toEqual(['native', 'image']);
    for (const part of parts)
      if (part.kind === 'image') expect(part.data.length).toBeLessThanOrEqual(3_750_000);
  });

  it('may have the longest edge that the target allows', async () => {
    const edges = await Promise.all(
      [8000, 8001].map((edge) => pixels(edge, 20, 3, 'slope').png().toBuffer()),
    );
    expect(await kinds(edges, { target: 'anthropic' })).toEqual(['native', 'image']);
    const chat = await Promise.all([5536, 5537].map((edge) => pixels(20, edge, 3, 'slope').png().toBuffer()));
    const { files } = await prepareAttachments(chat, { target: 'openai-responses' });
    expect(files.map(({ given }) => given)).toEqual(['native', 'image']);
  });

  it('may be one of as many as the target takes, and each keeps to what many may have', async () => {
    const large = await pixels(2001, 10, 3, 'slope').png().toBuffer();
    const small = await pixels(2000, 10, 3, 'slope').png().toBuffer();
    const of = (count: number, bytes: Buffer): Buffer[] => Array.from({ length: count }, () => bytes);
    const options = { target: 'anthropic', budget: 1_000_000 } as const;
    expect(new Set(await kinds(of(20, large), options))).toEqual(new Set(['native']));
    expect(new Set(await kinds(of(21, large), options))).toEqual(new Set(['image']));
    expect(new Set(await kinds(of(21, small), options))).toEqual(new Set(['native']));
    // Those that the conversation holds already count.
    expect(await kinds(of(2, large), { ...options, held: { images: 18 } })).toEqual(['native', 'native']);
    expect(await kinds(of(3, large), { ...options, held: { images: 18 } })).toEqual([
      'image',
      'image',
      'image',
    ]);
    // And documents, for those who count them.
    expect((await kinds([...of(20, large), manyPages(1)], options)).slice(0, 20)).toEqual(
      of(20, large).map(() => 'image'),
    );
    const hundred = await kinds(of(101, small), options);
    expect([hundred[99], hundred[100]]).toEqual(['native', 'nothing']);
    expect(await kinds(of(2, small), { ...options, held: { images: 99 } })).toEqual(['native', 'nothing']);
  });
});

describe('a PDF', () => {
  const options = { target: 'anthropic', budget: 10_000_000 } as const;

  it('may have as many pages as the request takes, counted over all of them', async () => {
    expect(await kinds([manyPages(100)], options)).toEqual(['native']);
    expect(await kinds([manyPages(101)], options)).toEqual(['text']);
    expect(await kinds([manyPages(60), manyPages(40)], options)).toEqual(['native', 'native']);
    expect(await kinds([manyPages(60), manyPages(41)], options)).toEqual(['text', 'native']);
    expect(await kinds([manyPages(2)], { ...options, held: { documents: 1, pages: 98 } })).toEqual([
      'native',
    ]);
    expect(await kinds([manyPages(2)], { ...options, held: { documents: 1, pages: 99 } })).toEqual(['text']);
  });

  it('may have as many bytes as the target says', async () => {
    const pdf = manyPages(1, 4_499_000);
    const exact = manyPages(1, 4_499_000 + 4_500_000 - pdf.length);
    const above = manyPages(1, 4_499_000 + 4_500_001 - pdf.length);
    expect([exact.length, above.length]).toEqual([4_500_000, 4_500_001]);
    const { files } = await prepareAttachments([exact, above], { target: 'bedrock' });
    expect(files.map(({ given }) => given)).toEqual(['native', 'text']);
  });

  it('may be one of as many as the target takes', async () => {
    const { files, content } = await prepareAttachments(
      Array.from({ length: 6 }, () => ({ name: 'same name.pdf', bytes: manyPages(1) })),
      { target: 'bedrock', budget: 200_000 },
    );
    expect(files.map(({ given }) => given)).toEqual([...Array.from({ length: 5 }, () => 'native'), 'text']);
    const names = content.flatMap((block) => ('document' in block ? [block.document.name] : []));
    expect(new Set(names).size).toBe(5);
  });
});

describe('a recording', () => {
  it('may play as long as the request takes, counted over all of them', async () => {
    const options = { target: 'gemini', limits: { audioSeconds: 10 } } as const;
    const given = async (...seconds: number[]): Promise<unknown> =>
      (
        await prepareAttachments(
          seconds.map((one) => wav(one)),
          options,
        )
      ).files.map((file) => file.given);
    expect(await given(10)).toEqual(['native']);
    expect(await given(4, 6)).toEqual(['native', 'native']);
    expect(await given(11)).toEqual(['nothing']);
    expect(await given(5, 6)).toEqual(['native', 'nothing']);
  });
});

describe('the request', () => {
  const targets = Object.keys(ATTACHMENT_LIMITS).filter(
    (key): key is AttachmentTarget => key in ATTACHMENT_LIMITS,
  );

  it.each(targets)('to %s never has more bytes than it takes, whatever is attached', async (target) => {
    const noise = await pixels(700, 700, 3, 'noise').png().toBuffer();
    const pdf = manyPages(3, 1_000_000);
    const files = [...Array.from({ length: 12 }, () => noise), pdf, pdf, Buffer.from('words\n')];
    for (const requestBytes of [300_000, 4_000_000]) {
      const prepared = await prepareAttachments(files, {
        target,
        budget: 1_000_000,
        limits: { requestBytes },
      });
      expect(prepared.requestBytes).toBeLessThanOrEqual(requestBytes);
      expect(prepared.files).toHaveLength(files.length);
      expect(
        prepared.files.filter(({ given }) => given === 'image' || given === 'native').length,
      ).toBeGreaterThan(0);
    }
  });

  it('is measured as it goes out', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string({ unit: 'binary', maxLength: 60 }), (value, text) => {
        const content = [value, { text, more: [text] }];
        expect(wireBytes(content)).toBe(Buffer.byteLength(JSON.stringify(content)));
      }),
    );
    const data = new Uint8Array(10_000);
    expect(wireBytes({ data })).toBe(JSON.stringify({ data: Buffer.from(data).toString('base64') }).length);
  });
});
