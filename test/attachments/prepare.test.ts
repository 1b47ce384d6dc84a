import type Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createReader, prepareAttachments } from '../../src/index.ts';
import { manyPages } from '../support/pdf.ts';
import { pixels } from '../support/pictures.ts';
import { type Folder, makeFolder, table } from './folder.ts';

let folder: Folder;
beforeAll(async () => {
  folder = await makeFolder();
});
afterAll(() => folder.gone());

describe('attachments', () => {
  it('are left when the caller aborts while a stream hangs', async () => {
    const stop = new AbortController();
    const stream = new ReadableStream<Uint8Array>({
      pull: () => {
        queueMicrotask(() => stop.abort());
        return new Promise(() => undefined);
      },
    });
    const prepared = prepareAttachments([{ name: 'a.csv', stream }], {
      target: 'anthropic',
      signal: stop.signal,
    });
    await expect(prepared).rejects.toMatchObject({ code: 'ABORTED' });
  });

  it('are left when the caller aborts while a reader hangs', async () => {
    const stop = new AbortController();
    const hangs = (): Promise<never> => {
      queueMicrotask(() => stop.abort());
      return new Promise(() => undefined);
    };
    const prepared = prepareAttachments([{ name: 'a.csv', bytes: Buffer.from('a,b\n1,2\n') }], {
      target: 'anthropic',
      signal: stop.signal,
      reader: { ...createReader(), read: hangs, inspect: hangs },
    });
    await expect(prepared).rejects.toMatchObject({ code: 'ABORTED' });
  });

  it('are opened with a password, and never included unchanged', async () => {
    const protectedFiles = ['gauges-aes256.pdf', 'parcels.xls'].map((name) => `fixtures/protected/${name}`);
    const options = { target: 'anthropic' } as const;
    const locked = await prepareAttachments(protectedFiles, options);
    expect(locked.listing).toContain('encrypted');
    expect(locked.files.map(({ given }) => given)).toEqual(['nothing', 'nothing']);
    const { files, parts } = await prepareAttachments(protectedFiles, { ...options, password: 'reader' });
    expect(files.map(({ given }) => given)).toEqual(['text', 'text']);
    expect(JSON.stringify(parts)).toContain('São Paulo');
  });

  it('include the text of a PDF in place of the file if text is preferred, and say what each costs', async () => {
    const options = { target: 'anthropic' } as const;
    const pdf = ['fixtures/documents/gauges.pdf'];
    const native = await prepareAttachments(pdf, options);
    expect(native.files).toMatchObject([{ given: 'native' }]);
    const costs = /a PDF of 2 pages, about (\d+) tokens \((\d+) as text\)/.exec(native.listing);
    const text = await prepareAttachments(pdf, { ...options, prefer: 'text' });
    expect(text.files).toMatchObject([{ given: 'text' }]);
    expect(text.listing).toContain(`because as a PDF it would take about ${costs?.[1]} tokens`);
    expect(text.tokens).toBeLessThan(Number(costs?.[2]) + 150);
    // @ts-expect-error: a caller may write anything
    const wrong = prepareAttachments(pdf, { ...options, prefer: 'picture' });
    await expect(wrong).rejects.toMatchObject({ code: 'BAD_INPUT' });
  });

  it('include as pictures the pages that have no text, also if text is preferred', async () => {
    const scan = ['fixtures/documents/scan.pdf'];
    const { files, parts } = await prepareAttachments(scan, { target: 'anthropic', prefer: 'text' });
    expect(files[0]?.note).toMatch(/picture/);
    expect(parts.some(({ kind }) => kind === 'image')).toBe(true);
  });

  it('are a picture, a document and a sample with the call that shows the rest', async () => {
    await folder.put('photo.png', await pixels(300, 200, 3, 'slope').png().toBuffer());
    await folder.put('report.pdf', manyPages(2));
    await folder.put('data/big.csv', table(5000));
    const prepared = await prepareAttachments(['photo.png', 'report.pdf', 'data/big.csv'], {
      target: 'anthropic',
      workspace: folder,
    });
    prepared.content satisfies Anthropic.ContentBlockParam[];
    expect(prepared.files.map(({ given }) => given)).toEqual(['native', 'native', 'sample']);
    expect(prepared.content.map(({ type }) => type)).toEqual([
      'text',
      'text',
      'image',
      'text',
      'document',
      'document',
    ]);
    expect(prepared.files[2]?.call).toMatch(
      /^read_file \{"path":"\/workspace\/data\/big.csv","rows":"\d+-\d+"\}$/,
    );
    expect(prepared.tokens).toBeLessThanOrEqual(50_000);
    expect(prepared.requestBytes).toBe(Buffer.byteLength(JSON.stringify(prepared.content)));
  });
});
