// The acceptance cases of attachments: one budget, samples and smaller pictures, every file listed, limits met exactly,
// and a bad file that fails no other.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createReader, prepareAttachments } from '../../src/index.ts';
import { manyPages } from '../support/pdf.ts';
import { animation, pixels } from '../support/pictures.ts';
import { wav } from '../support/sounds.ts';
import { type Folder, makeFolder, table } from './folder.ts';
import { DRAWING, encryptedPdf, heic, pngOf } from './samples.ts';

let folder: Folder;
beforeAll(async () => {
  folder = await makeFolder();
  await folder.put('small.csv', table(5));
  await folder.put('big.csv', table(20_000));
  await folder.put('server.log', Array.from({ length: 30_000 }, (_, i) => `line ${i} of the log\n`).join(''));
  await folder.put('photo.png', await pixels(400, 300, 3, 'slope').png().toBuffer());
  await folder.put('huge.jpg', await pixels(9000, 3000, 3, 'blocks').jpeg().toBuffer());
  await folder.put('long.pdf', manyPages(150));
});
afterAll(() => folder.gone());

describe('one budget', () => {
  const names = ['big.csv', 'server.log', 'photo.png', 'small.csv', 'long.pdf', 'huge.jpg'];

  it.each([0, 30, 200, 1000, 5000, 20_000, 100_000])('holds for everything together: %i', async (budget) => {
    const prepared = await prepareAttachments(names, { target: 'anthropic', workspace: folder, budget });
    expect(prepared.files.map(({ name }) => name)).toEqual(names);
    for (const name of names) expect(prepared.listing).toContain(name);
    // The names alone take more than nothing.
    if (budget >= 200) expect(prepared.tokens).toBeLessThanOrEqual(budget);
    else expect(prepared.parts).toHaveLength(1);
  });

  it('is shared: a small file hands on what it does not use', async () => {
    const budget = 6000;
    const prepared = await prepareAttachments(['big.csv', 'small.csv', 'server.log'], {
      target: 'openai-chat',
      workspace: folder,
      budget,
    });
    const [big, small, log] = prepared.files;
    expect(small?.given).toBe('text');
    expect([big?.given, log?.given]).toEqual(['sample', 'sample']);
    expect(small?.tokens).toBeLessThan(200);
    expect((big?.tokens ?? 0) + (log?.tokens ?? 0)).toBeGreaterThan(1000);
    expect(prepared.tokens).toBeLessThanOrEqual(budget);
  });

  it('counts a picture by its dimensions, and makes it smaller when it costs too much', async () => {
    const free = await prepareAttachments(['huge.jpg'], { target: 'anthropic', workspace: folder });
    const tight = await prepareAttachments(['huge.jpg'], {
      target: 'anthropic',
      workspace: folder,
      budget: 500,
    });
    const [wide] = free.parts.filter((part) => part.kind === 'image');
    const [narrow] = tight.parts.filter((part) => part.kind === 'image');
    // 28 pixels a patch.
    expect(free.files[0]?.tokens).toBeGreaterThan(2000);
    expect(tight.tokens).toBeLessThanOrEqual(500);
    expect(wide?.width).toBe(2576);
    expect(narrow?.width).toBeLessThan(1000);
    expect(narrow?.width).toBeGreaterThan(200);
  });

  it('is used up: what one file leaves pays for another that was refused', async () => {
    await folder.put('icon.png', await pixels(160, 120, 3, 'slope').png().toBuffer());
    await folder.put('short.pdf', manyPages(3));
    const names = ['big.csv', 'small.csv', 'server.log', 'icon.png', 'short.pdf', 'missing.txt'];
    const options = { target: 'openai-chat', model: 'gpt-5.1', workspace: folder } as const;
    const { files, tokens, listing } = await prepareAttachments(names, { ...options, budget: 2400 });
    // Four tiles: 630 tokens, more than a quarter of what the list leaves.
    expect(files[3]).toMatchObject({ given: 'native' });
    expect(tokens).toBeGreaterThan(1800);
    expect(tokens).toBeLessThanOrEqual(2400);
    for (const { call } of files) if (call !== undefined) expect(listing).toContain(call);
    for (let budget = 250; budget < 2500; budget += 250) {
      const tight = await prepareAttachments(names, { ...options, budget });
      expect(tight.tokens, String(budget)).toBeLessThanOrEqual(budget);
    }
  });

  it('is by default a quarter of the smallest window of the target', async () => {
    const { tokens } = await prepareAttachments(
      Array.from({ length: 60 }, () => 'server.log'),
      { target: 'mistral', workspace: folder },
    );
    expect(tokens).toBeLessThanOrEqual(32_000);
    expect(tokens).toBeGreaterThan(20_000);
  });
});

describe('what is too large', () => {
  it('is sampled, paged or made smaller, and the call shows the rest', async () => {
    const prepared = await prepareAttachments(['big.csv', 'server.log', 'long.pdf', 'huge.jpg'], {
      target: 'anthropic',
      workspace: folder,
    });
    const [csv, log, pdf, photo] = prepared.files;
    expect([csv?.given, log?.given, pdf?.given, photo?.given]).toEqual(['sample', 'sample', 'text', 'image']);
    const rows = /^Partly included, as text; left out: rows (\d+-\d+) of 20000\.$/.exec(csv?.note ?? '')?.[1];
    expect(csv?.call).toBe(`read_file {"path":"/workspace/big.csv","rows":"${rows}"}`);
    const lines = /left out: lines (\d+-30000) of 30000/.exec(log?.note ?? '')?.[1];
    expect(log?.call).toBe(`read_file {"path":"/workspace/server.log","lines":"${lines}"}`);
    expect(pdf?.note).toContain('because it has 150 pages, more than the 100 accepted');
    expect(pdf?.call).toBeUndefined();
    expect(photo?.note).toBe(
      'Included as a JPEG picture of 2576 x 859 pixels, made from one of 9000 x 3000.',
    );
    expect(photo?.call).toBe('read_file {"path":"/workspace/huge.jpg","region":"0,0,4500,1500"}');
    for (const { call } of prepared.files) expect(prepared.listing).toContain(call ?? '');
  });

  it('goes on with the very request that the call names', async () => {
    const reader = createReader({ workspace: folder, cache: false });
    const prepared = await prepareAttachments(['big.csv', 'server.log', 'long.pdf', 'huge.jpg'], {
      target: 'openai-responses',
      workspace: folder,
      budget: 4000,
      reader,
    });
    for (const { call, given } of prepared.files) {
      if (given === 'native' || call === undefined) continue;
      const [, words = '{}'] = /^read_file (.*)$/.exec(call ?? '') ?? [];
      const { path, ...request }: { path: string } = JSON.parse(words);
      const answer = await reader.read(path, request);
      expect(answer, words).toMatchObject({ success: true });
    }
  });

  it('names no tool where the model has none', async () => {
    const bytes = Buffer.from(table(5000));
    const { listing, files } = await prepareAttachments([{ name: 'orders.csv', bytes }], {
      target: 'gemini',
      budget: 20_000,
    });
    expect(files[0]).toMatchObject({ given: 'sample', note: expect.stringContaining('left out: rows') });
    expect(files[0]).not.toHaveProperty('call');
    expect(files[0]).not.toHaveProperty('path');
    expect(listing).not.toContain('read_file');
    expect(listing).toContain('No tool can read the rest; attach it as a workspace file to read the rest.');
    const refused = await prepareAttachments([{ name: 'tone.wav', bytes: wav(60) }], {
      target: 'gemini',
      budget: 100,
    });
    expect(refused.files[0]).toMatchObject({ given: 'nothing' });
    expect(refused.listing).toContain('No tool can read it; attach it as a workspace file to read it.');
    // No read would show it: the model does not hear.
    const unheard = await prepareAttachments([{ name: 'tone.wav', bytes: wav(1) }], { target: 'anthropic' });
    expect(unheard.files[0]).toMatchObject({ given: 'nothing', carried: false });
    expect(unheard.listing).not.toContain('attach it');
    const other = await prepareAttachments(['big.csv'], {
      target: 'gemini',
      workspace: folder,
      tool: 'open_document',
      budget: 20_000,
    });
    expect(other.listing).toContain('open_document {"path":"/workspace/big.csv"');
    const none = await prepareAttachments(['big.csv'], {
      target: 'gemini',
      workspace: folder,
      tool: false,
      budget: 20_000,
    });
    expect(none.listing).not.toContain('{"path"');
  });
});

describe('every file', () => {
  it('is listed with name, size, place and what was given', async () => {
    const { listing } = await prepareAttachments(['small.csv', 'photo.png', 'missing.txt'], {
      target: 'anthropic',
      workspace: folder,
    });
    expect(listing).toBe(
      [
        '3 files are attached.',
        `1. small.csv (/workspace/small.csv), ${Buffer.byteLength(table(5))} bytes: Included completely, as text.`,
        expect.any(String),
        '3. missing.txt: Not included: There is no file `missing.txt`.',
        '',
      ]
        .map((line, index) => (index === 2 ? listing.split('\n')[2] : line))
        .join('\n'),
    );
    expect(listing.split('\n')[2]).toMatch(
      /^2\. photo\.png \(\/workspace\/photo\.png\), \d+ bytes: Included unchanged: a picture of 400 x 300 pixels\.$/,
    );
  });

  it('that is missing, damaged, empty, encrypted or of no known form fails no other', async () => {
    const cut = (await pixels(300, 300, 3, 'noise').png().toBuffer()).subarray(0, 60_000);
    const files = [
      join(folder.root, 'nowhere.txt'),
      { name: 'secret.pdf', bytes: encryptedPdf(false) },
      { name: 'locked.pdf', bytes: encryptedPdf(true) },
      { name: 'photo.heic', bytes: heic() },
      { name: 'nothing.png', bytes: new Uint8Array() },
      { name: 'program.exe', bytes: Buffer.concat([Buffer.from('MZ'), Buffer.alloc(3000, 1)]) },
      { name: 'cut.png', bytes: cut },
      { name: 'text.md', bytes: Buffer.from('# Title\n\nWords.\n') },
    ];
    const prepared = await prepareAttachments(files, { target: 'anthropic' });
    const told = prepared.files.map(({ name, given, error }) => [name, given, error?.code]);
    expect(told).toEqual([
      ['nowhere.txt', 'nothing', 'FILE_NOT_FOUND'],
      ['secret.pdf', 'nothing', 'ENCRYPTED_FILE'],
      ['locked.pdf', expect.stringMatching(/text|nothing/), undefined],
      ['photo.heic', 'nothing', 'UNSUPPORTED_FORMAT'],
      ['nothing.png', 'nothing', undefined],
      ['program.exe', 'nothing', 'UNSUPPORTED_FORMAT'],
      ['cut.png', 'image', undefined],
      ['text.md', 'text', undefined],
    ]);
    expect(prepared.listing.split('\n')).toHaveLength(files.length + 2);
    expect(prepared.listing).not.toContain(folder.root);
    expect(prepared.content.filter(({ type }) => type === 'document')).toHaveLength(
      prepared.files.filter(({ given }) => given === 'text').length,
    );
  });

  it('may be a path, bytes, a Blob or a stream, with or without a name', async () => {
    const path = join(folder.root, 'plain.txt');
    await writeFile(path, 'plain words\n');
    const text = Buffer.from('some words\n');
    const png = await pixels(30, 20, 3, 'slope').png().toBuffer();
    const { files } = await prepareAttachments(
      [
        path,
        text,
        new Blob([text]),
        new File([text], 'file.txt'),
        Readable.from([text]),
        { name: 'stream.png', stream: Readable.from([png.subarray(0, 50), png.subarray(50)]) },
        { name: 'web.csv', stream: new Blob([table(3)]).stream() },
      ],
      { target: 'openai-responses' },
    );
    expect(files.map(({ name, given }) => [name, given])).toEqual([
      ['plain.txt', 'text'],
      ['bytes', 'text'],
      ['blob', 'text'],
      ['file.txt', 'text'],
      ['stream', 'text'],
      ['stream.png', 'native'],
      ['web.csv', 'text'],
    ]);
  });

  it('is what its bytes are, whatever it is called', async () => {
    const png = await pixels(30, 20, 3, 'slope').png().toBuffer();
    const { content, files } = await prepareAttachments(
      [
        { name: 'photo.jpg', mimeType: 'image/jpeg', bytes: png },
        { name: 'report.txt', mimeType: 'text/plain', bytes: manyPages(1) },
        { name: 'picture.png', mimeType: 'image/png', bytes: Buffer.from('just words\n') },
      ],
      { target: 'anthropic' },
    );
    expect(files.map(({ given, mimeType }) => [given, mimeType])).toEqual([
      ['native', 'image/png'],
      ['native', 'application/pdf'],
      ['text', 'text/plain'],
    ]);
    const sources = content.flatMap((block) => ('source' in block ? [block.source.media_type] : []));
    expect(sources).toEqual(['image/png', 'application/pdf', 'text/plain']);
  });
});

describe('a picture', () => {
  it('that moves is given by its first frame, and that is said', async () => {
    const gif = await animation('gif', 60, 40, 4, 'blocks');
    const webp = await animation('webp', 60, 40, 4, 'blocks');
    for (const target of ['anthropic', 'openai-chat', 'gemini'] as const) {
      const prepared = await prepareAttachments(
        [
          { name: 'moves.gif', bytes: gif },
          { name: 'moves.webp', bytes: webp },
        ],
        { target },
      );
      for (const file of prepared.files)
        expect(file.note).toMatch(/^Included as a \w+ picture of 60 x 40 pixels, the first of 4 frames\.$/);
      for (const part of prepared.parts)
        if (part.kind === 'image') expect((await sharp(part.data).metadata()).pages ?? 1).toBe(1);
    }
  });

  it('in a form that the target does not take is written in another', async () => {
    const gif = await pixels(60, 40, 3, 'blocks').gif().toBuffer();
    const tiff = await pixels(60, 40, 3, 'blocks').tiff().toBuffer();
    const prepared = await prepareAttachments(
      [
        { name: 'still.gif', bytes: gif },
        { name: 'scan.tiff', bytes: tiff },
      ],
      { target: 'gemini' },
    );
    expect(prepared.files.map(({ given }) => given)).toEqual(['image', 'image']);
    const types = prepared.parts.flatMap((part) => (part.kind === 'image' ? [part.mimeType] : []));
    expect(types).toEqual(['image/png', 'image/png']);
    const same = await prepareAttachments([{ name: 'still.gif', bytes: gif }], { target: 'anthropic' });
    expect(same.files[0]?.given).toBe('native');
  });

  it('that is drawn is drawn, or given as its text', async () => {
    const drawing = { name: 'chart.svg', bytes: Buffer.from(DRAWING) };
    const drawn = await prepareAttachments([drawing], { target: 'anthropic' });
    expect(drawn.files[0]).toMatchObject({ given: 'image', mimeType: 'image/svg+xml' });
    expect(drawn.parts[2]).toMatchObject({ kind: 'image', mimeType: 'image/png', width: 1024, height: 512 });
    const worded = await prepareAttachments([drawing], { target: 'openai-chat', model: 'o3-mini' });
    expect(worded.files[0]).toMatchObject({
      given: 'text',
      note: 'Included completely, as text, because pictures are not accepted.',
    });
  });

  it('beyond the places there are is pointed to, in the order of the files', async () => {
    const names = await Promise.all(
      Array.from({ length: 10 }, async (_, i) => folder.put(`many/${i}.png`, await pngOf(1000 + i))),
    );
    const { files, listing } = await prepareAttachments(names, { target: 'mistral', workspace: folder });
    expect(files.map(({ given }) => given)).toEqual([
      ...Array.from({ length: 8 }, () => 'native'),
      'reference',
      'reference',
    ]);
    expect(listing).toContain(
      'Not included: the request accepts at most 8 pictures. To read it: read_file {"path":"/workspace/many/8.png"}',
    );
  });
});

describe('a recording', () => {
  it('is given as it is to who takes sound, as head and tail when it is long, else by its facts', async () => {
    const short = { name: 'short.wav', bytes: wav(5) };
    const long = { name: 'long.wav', bytes: wav(300) };
    const gemini = await prepareAttachments([short, long], { target: 'gemini' });
    expect(gemini.files.map(({ given, tokens }) => [given, tokens > 5 * 32])).toEqual([
      ['native', true],
      ['native', true],
    ]);
    const tight = await prepareAttachments([short, long], { target: 'gemini', budget: 2000 });
    expect(tight.files[1]).toMatchObject({
      given: 'sample',
      note: expect.stringMatching(
        /^Partly included: seconds 1-10 of 300, seconds 291-300 of 300 of a recording/,
      ),
    });
    expect(tight.tokens).toBeLessThanOrEqual(2000);
    const none = await prepareAttachments([short], { target: 'anthropic' });
    expect(none.files[0]).toMatchObject({
      given: 'nothing',
      note: expect.stringContaining('sound is not accepted'),
    });
    expect(none.files[0]?.note).toContain('5 s');
    const chat = await prepareAttachments([short], { target: 'openai-chat', model: 'gpt-4o-audio-preview' });
    expect(chat.content.at(-1)).toMatchObject({ type: 'input_audio', input_audio: { format: 'wav' } });
  });
});

describe('the call', () => {
  it('tells its progress and can be given up', async () => {
    const steps: string[] = [];
    await prepareAttachments(['small.csv', 'photo.png'], {
      target: 'anthropic',
      workspace: folder,
      onProgress: ({ step, file, of }) => steps.push(`${step} ${file}/${of}`),
    });
    expect(steps).toEqual(['look 1/2', 'look 2/2', 'read 1/2', 'read 2/2']);
    const controller = new AbortController();
    await expect(
      prepareAttachments(['small.csv', 'big.csv'], {
        target: 'anthropic',
        workspace: folder,
        signal: controller.signal,
        onProgress: ({ step, file }) => {
          if (step === 'read' && file === 2) controller.abort();
        },
      }),
    ).rejects.toMatchObject({ code: 'ABORTED' });
  });

  it('refuses options that make no sense', async () => {
    const refused = async (work: Promise<unknown>): Promise<unknown> =>
      work.then(
        () => 'accepted',
        (error: unknown) => (error instanceof Error ? error.message : error),
      );
    expect(await refused(prepareAttachments([], { target: 'anthropic', budget: -1 }))).toBe(
      '`budget` is `-1`; expected an integer of 0 or more.',
    );
    const many = Array.from({ length: 1001 }, () => new Uint8Array());
    expect(await refused(prepareAttachments(many, { target: 'anthropic' }))).toBe(
      'There are 1001 attachments; expected at most 1000.',
    );
    expect((await prepareAttachments([], { target: 'anthropic' })).listing).toBe('No files are attached.\n');
  });
});
