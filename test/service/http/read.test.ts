import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createReader } from '../../../src/index.ts';
import { startService } from '../../../src/service/index.ts';
import { formOf } from './client.ts';
import { fixture, type Running, running } from './running.ts';

let service: Running;
beforeAll(async () => {
  service = await running();
});
afterAll(() => service.close());

const CSV = fixture('tabular/orders.csv');

interface Page {
  readonly text: string;
  readonly content: readonly { readonly text: string }[];
  readonly truncation: { readonly next: { readonly cursor: string } };
  readonly metadata: object;
}

/** As the library answers for the same bytes, without what differs between an upload and a file. */
async function readHere(name: string, bytes: Uint8Array, request = {}): Promise<unknown> {
  const result = await createReader({ environment: {}, cache: false }).read({ bytes, name }, request);
  return JSON.parse(JSON.stringify(result));
}

describe('POST /v1/read', () => {
  it('reads a raw body like the library', async () => {
    const answer = await service.call({
      method: 'POST',
      path: '/v1/read?name=orders.csv&rows=2-3&maxTokens=200',
      body: CSV,
    });
    expect(answer.status).toBe(200);
    expect(answer.json()).toMatchObject({ success: true, processor: 'csv' });
    const here = (await readHere('orders.csv', CSV, { rows: '2-3', maxTokens: 200 })) as { text: string };
    expect(answer.json()['text']).toBe(here.text);
  });

  it.each([
    ['tabular/orders.xlsx', 'xlsx'],
    ['documents/survey.docx', 'docx'],
    ['documents/form.pdf', 'pdf'],
    ['image/photo.jpg', 'image'],
    ['audio/tone.wav', 'audio'],
    ['archive/project.zip', 'zip'],
    ['mail/report.eml', 'mail'],
  ])('reads %s from a form', async (path) => {
    const name = path.split('/').at(-1) ?? '';
    const answer = await service.call({
      method: 'POST',
      path: '/v1/read',
      ...formOf([{ name: 'file', filename: name, content: fixture(path) }]),
    });
    expect(answer.status).toBe(200);
    const here = (await readHere(name, fixture(path))) as { text: string; processor: string };
    expect(answer.json()).toMatchObject({ text: here.text, processor: here.processor });
    expect(service.uploads()).toEqual([]);
  });

  it('shows the values of a pointer with a wildcard, and pages through them', async () => {
    const items = Array.from({ length: 400 }, (_, price) => ({ price, name: `item ${price}` }));
    const body = JSON.stringify({ items });
    const path = `/v1/read?name=shop.json&pointer=${encodeURIComponent('/items/*/price')}&maxTokens=300`;
    const first: Page = JSON.parse((await service.call({ method: 'POST', path, body })).text);
    expect(first.text).toMatch(/400 matches/);
    const seen: number[] = [];
    let page = first;
    for (let pages = 0; pages < 30; pages += 1) {
      seen.push(...[...page.text.matchAll(/^\/items\/(\d+)\/price,\1$/gm)].map(([, price]) => Number(price)));
      const { cursor } = page.truncation.next ?? {};
      if (cursor === undefined) break;
      const next = `/v1/read?name=shop.json&maxTokens=300&cursor=${encodeURIComponent(cursor)}`;
      page = JSON.parse((await service.call({ method: 'POST', path: next, body })).text);
    }
    expect(seen.sort((a, b) => a - b)).toEqual(items.map(({ price }) => price));
  });

  it('opens a protected file with a password in the form, and takes none in a query or for a job', async () => {
    const content = fixture('protected/gauges-aes256.pdf');
    const file = { name: 'file', filename: 'gauges.pdf', content };
    const ask = (path: string, fields: Readonly<Record<string, string>> = {}) =>
      service.call({
        method: 'POST',
        path,
        ...formOf([
          ...Object.entries(fields).map(([name, text]) => ({ name, content: Buffer.from(text) })),
          file,
        ]),
      });
    const right = await ask('/v1/read', { password: 'reader' });
    expect(right.status).toBe(200);
    expect(right.json()['text']).toContain('River gauges');
    const inRequest = await ask('/v1/read', { request: JSON.stringify({ password: 'reader' }) });
    expect(inRequest.status).toBe(200);
    const wrong = await ask('/v1/read', { password: 'Zephyr-31-quokka' });
    expect(wrong.status).toBe(422);
    expect(wrong.json()).toMatchObject({ code: 'WRONG_PASSWORD' });
    expect((await ask('/v1/read')).json()).toMatchObject({ code: 'ENCRYPTED_FILE' });
    for (const refused of [
      await ask('/v1/read?password=Zephyr-31-quokka'),
      await ask('/v1/jobs', { password: 'Zephyr-31-quokka' }),
    ]) {
      expect(refused.status).toBe(400);
      expect(refused.text).not.toContain('quokka');
    }
    expect(wrong.text + JSON.stringify(service.lines)).not.toContain('quokka');
  });

  it('continues a large file by its cursor, also when it is uploaded again', async () => {
    // More than a reader hashes of a file on disk.
    const text = Array.from(
      { length: 60_000 },
      (_, line) => `line ${line} of a long file that is sent again\n`,
    ).join('');
    const ask = (fields: Record<string, string>) =>
      service.call({
        method: 'POST',
        path: `/v1/read?${new URLSearchParams({ name: 'long.txt', ...fields })}`,
        body: text,
      });
    const first: Page = JSON.parse((await ask({})).text);
    const second: Page = JSON.parse((await ask({ cursor: first.truncation.next.cursor })).text);
    const [, lines] = /lines 1-(\d+) of 60000/.exec(first.text) ?? [];
    expect(second.content[0]?.text).toMatch(new RegExp(`^line ${lines} of`));
    expect(first.metadata).not.toHaveProperty('modified');
    const other = await service.call({
      method: 'POST',
      path: `/v1/read?name=long.txt&cursor=${encodeURIComponent(first.truncation.next.cursor)}`,
      body: `!${text}`,
    });
    expect(other.json()).toMatchObject({ code: 'STALE_CURSOR' });
  });

  it('streams a whole file as text', async () => {
    const text = Array.from({ length: 60_000 }, (_, line) => `line ${line} of a long file\n`).join('');
    const answer = await service.call({
      method: 'POST',
      path: '/v1/read?name=long.txt&all=true',
      headers: { accept: 'text/plain' },
      body: text,
    });
    expect(answer.text).toBe(text);
    expect(service.uploads()).toEqual([]);
    const broken = await service.call({
      method: 'POST',
      path: '/v1/read?name=broken.pdf&all=true',
      headers: { accept: 'text/plain' },
      body: '%PDF-1.7 nothing follows',
    });
    expect(broken.json()).toMatchObject({ status: 422, code: 'CORRUPT_FILE' });
  });

  it('reads several files of a form under one budget, each with its own success or error', async () => {
    const answer = await service.call({
      method: 'POST',
      path: '/v1/read',
      ...formOf([
        { name: 'request', content: '{"maxTokens": 300}' },
        { name: 'a', filename: 'orders.csv', content: CSV },
        { name: 'b', filename: 'broken.pdf', content: '%PDF-1.4\nnothing' },
      ]),
    });
    expect(answer.status).toBe(200);
    expect(answer.json()['results']).toMatchObject([{ success: true }, { success: false }]);
  });

  it('answers one damaged file with the problem of its error', async () => {
    const answer = await service.call({
      method: 'POST',
      path: '/v1/read',
      ...formOf([{ name: 'a', filename: 'broken.pdf', content: '%PDF-1.4\nnothing' }]),
    });
    expect(answer.status).toBe(422);
    expect(answer.json()).toMatchObject({ code: 'CORRUPT_FILE', type: 'urn:lectern:error:CORRUPT_FILE' });
  });

  it('spools a large upload, and does not reveal its path in an error', async () => {
    const answer = await service.call({
      method: 'POST',
      path: '/v1/read?name=big.pdf',
      body: Buffer.concat([Buffer.from('%PDF-1.4\n'), Buffer.alloc(600_000, 'x')]),
    });
    expect(answer.status).toBe(422);
    expect(answer.json()['code']).toBe('CORRUPT_FILE');
    expect(service.uploads()).toEqual([]);
  });

  it('accepts fields as form parts, converted to their type', async () => {
    const answer = await service.call({
      method: 'POST',
      path: '/v1/read',
      ...formOf([
        { name: 'maxTokens', content: '60' },
        { name: 'numbered', content: 'true' },
        { name: 'lines', content: '2' },
        { name: 'a', filename: 'many.log', content: fixture('text/many-lines.log') },
      ]),
    });
    expect(answer.status).toBe(200);
    const here = (await readHere('many.log', fixture('text/many-lines.log'), {
      maxTokens: 60,
      numbered: true,
      lines: '2',
    })) as { text: string };
    expect(answer.json()['text']).toBe(here.text);
  });

  it('continues with the cursor of the previous answer', async () => {
    const path = '/v1/read?name=many.log&maxTokens=100';
    const body = fixture('text/many-lines.log');
    const first = (await service.call({ method: 'POST', path, body })).json() as {
      truncation: { next: { cursor: string } };
    };
    const { cursor } = first.truncation.next;
    const second = await service.call({
      method: 'POST',
      path: `${path}&cursor=${encodeURIComponent(cursor)}`,
      body,
    });
    expect(second.status).toBe(200);
    const other = await service.call({
      method: 'POST',
      path: `${path}&cursor=${encodeURIComponent(cursor)}`,
      body: CSV,
    });
    expect(other.status).toBe(409);
    expect(other.json()['code']).toBe('STALE_CURSOR');
  });

  it('returns only the text if the client prefers it', async () => {
    const answer = await service.call({
      method: 'POST',
      path: '/v1/read?name=short.txt',
      headers: { accept: 'text/plain, application/json;q=0.5' },
      body: fixture('text/short.txt'),
    });
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(answer.text).toBe(
      ((await readHere('short.txt', fixture('text/short.txt'))) as { text: string }).text,
    );
  });

  it('answers a folder of a workspace with its tree', async () => {
    await service.call({ method: 'PUT', path: '/v1/workspaces/s9/files/in/orders.csv', body: 'a,b\n1,2\n' });
    const answer = await service.call({
      method: 'POST',
      path: '/v1/read',
      headers: { accept: 'text/plain' },
      body: { session: 's9', path: 'in', maxTokens: 100 },
    });
    expect(answer.status).toBe(200);
    expect(answer.text).toBe(
      '[Folder `in`: 1 file, 0 folders, 8 bytes, ~4 tokens]\norders.csv  8 bytes, ~4 tokens\n',
    );
  });

  it('reads files of a workspace by path', async () => {
    await service.call({ method: 'PUT', path: '/v1/workspaces/s1/files/in/orders.csv', body: CSV });
    const one = await service.call({
      method: 'POST',
      path: '/v1/read',
      body: { session: 's1', path: 'in/orders.csv' },
    });
    expect(one.json()).toMatchObject({ success: true, processor: 'csv' });
    const several = await service.call({
      method: 'POST',
      path: '/v1/read?maxTokens=400',
      body: { session: 's1', files: ['in/orders.csv', 'in/none.csv'] },
    });
    expect(several.json()['results']).toMatchObject([
      { success: true },
      { success: false, error: { code: 'FILE_NOT_FOUND' } },
    ]);
    const place = await service.call({
      method: 'POST',
      path: '/v1/read',
      body: { session: 's1', path: 'in/orders.csv#row=2-3' },
    });
    const here = (await readHere('orders.csv', CSV, { rows: '2-3' })) as { content: unknown };
    expect(place.json()['content']).toEqual(here.content);
  });

  it('reads a list of one as a list', async () => {
    await service.call({ method: 'PUT', path: '/v1/workspaces/s2/files/a.txt', body: 'one\n' });
    const answer = await service.call({
      method: 'POST',
      path: '/v1/read',
      body: { session: 's2', files: ['a.txt'] },
    });
    expect(answer.json()['results']).toMatchObject([{ success: true }]);
  });

  it('reports a path that is a folder', async () => {
    await service.call({ method: 'PUT', path: '/v1/workspaces/s3/files/in/orders.csv', body: CSV });
    const answer = await service.call({
      method: 'POST',
      path: '/v1/read',
      body: { session: 's3', path: 'in' },
    });
    expect(answer.status).toBe(400);
    expect(answer.json()['code']).toBe('NOT_A_FILE');
  });

  it.each(['123', 'true', 'null', '"quoted"', '1e3', '{"a":1}'])(
    'accepts %s as the text of a field',
    async (text) => {
      const answer = await service.call({
        method: 'POST',
        path: `/v1/read?name=${encodeURIComponent(text)}&columns=${encodeURIComponent(text)}&format=text`,
        body: 'a\n',
      });
      expect([200, 400]).toContain(answer.status);
      if (answer.status === 400) expect(answer.json()['detail']).not.toContain('expected string');
    },
  );
});

describe('a part of an upload', () => {
  const read = (filename: string, path: string, request: object) => {
    const { headers, body } = formOf([
      { name: 'request', content: JSON.stringify(request) },
      { name: 'file', filename, content: fixture(path) },
    ]);
    const accepting = { ...headers, accept: 'text/plain' };
    return service.call({ method: 'POST', path: '/v1/read', headers: accepting, body });
  };

  it('reads a place, and a file inside a file', async () => {
    const table = await read('survey.docx', 'documents/survey.docx', { place: '#table=1' });
    expect(table.text).toMatch(/^Crane,Load,Load\n/);
    const inner = await read('project.zip', 'archive/project.zip', { entry: 'docs/readme.md', place: 'L1' });
    expect(inner.status).toBe(200);
    const wrong = await read('survey.docx', 'documents/survey.docx', { place: '#row=3' });
    expect(wrong.json()).toMatchObject({ status: 400, code: 'BAD_INPUT' });
  });

  it('takes a place of one file only', async () => {
    const answer = await service.call({
      method: 'POST',
      path: '/v1/read?place=%23L1',
      ...formOf(['a', 'b'].map((name) => ({ name, filename: `${name}.csv`, content: CSV }))),
    });
    expect(answer.json()).toMatchObject({ status: 400, detail: '`place` needs a single file.' });
  });
});

describe('POST /v1/search', () => {
  interface Found {
    readonly matches: readonly { readonly path: string; readonly address: string; readonly text: string }[];
    readonly total: object;
  }
  const search = async (files: Readonly<Record<string, string>>, request: object) => {
    const parts = Object.entries(files).map(([filename, path]) => ({
      name: 'file',
      filename,
      content: fixture(path),
    }));
    const fields = { name: 'request', content: JSON.stringify(request) };
    const answer = await service.call({ method: 'POST', path: '/v1/search', ...formOf([fields, ...parts]) });
    expect(answer.status).toBe(200);
    return answer.json() as unknown as Found;
  };

  it('finds lines of documents and of files in archives, each at its address', async () => {
    const found = await search(
      { 'gauges.pdf': 'documents/gauges.pdf', '../odd: name?.pdf': 'documents/gauges.pdf' },
      { query: 'FLOODS', caseSensitive: false },
    );
    expect(found.matches.map(({ path, address }) => [path, address])).toEqual([
      ['gauges.pdf', 'gauges.pdf#page=2'],
      ['odd: name?.pdf', 'odd: name?.pdf#page=2'],
    ]);
    const inside = await search({ 'p.zip': 'archive/project.zip' }, { query: '.', regex: true, limit: 1 });
    expect(inside.matches[0]?.address).toMatch(/^p\.zip!\//);
    expect(inside.total).toMatchObject({ files: expect.any(Number) });
  });

  it('finds nothing of earlier requests, and searches a workspace by path', async () => {
    expect((await search({ 'a.csv': 'tabular/orders.csv' }, { query: 'Floods' })).matches).toEqual([]);
    await service.call({ method: 'PUT', path: '/v1/workspaces/found/files/in/a.csv', body: CSV });
    const answer = await service.call({
      method: 'POST',
      path: '/v1/search',
      body: { session: 'found', path: 'in', query: 'Porto', limit: 1 },
    });
    expect(answer.json()['matches']).toMatchObject([
      { path: 'in/a.csv', text: expect.stringContaining('Porto') },
    ]);
  });
});

describe('POST /v1/inspect', () => {
  it('returns metadata of one file and of several', async () => {
    const one = await service.call({ method: 'POST', path: '/v1/inspect?name=orders.csv', body: CSV });
    expect(one.json()).toMatchObject({ success: true, processor: 'csv' });
    const several = await service.call({
      method: 'POST',
      path: '/v1/inspect',
      ...formOf([
        { name: 'a', filename: 'orders.csv', content: CSV },
        { name: 'b', filename: 'x.bin', content: new Uint8Array([0, 1, 2, 255]) },
      ]),
    });
    expect(several.json()['results']).toHaveLength(2);
  });
});

describe('POST /v1/tokens', () => {
  it('counts JSON and text alike', async () => {
    const json = await service.call({ method: 'POST', path: '/v1/tokens', body: { text: 'one two three' } });
    expect(json.json()).toEqual({ tokens: 3, characters: 13, tokenizer: 'cl100k_base' });
    const text = await service.call({
      method: 'POST',
      path: '/v1/tokens?tokenizer=o200k_base',
      headers: { 'content-type': 'text/plain; charset=utf-8' },
      body: 'one two three',
    });
    expect(text.json()).toEqual({ tokens: 3, characters: 13, tokenizer: 'o200k_base' });
  });
});

describe('POST /v1/attachments', () => {
  it('prepares an uploaded picture and a table', async () => {
    const answer = await service.call({
      method: 'POST',
      path: '/v1/attachments',
      ...formOf([
        { name: 'request', content: '{"target":"anthropic","budget":5000}' },
        { name: 'a', filename: 'photo.jpg', content: fixture('image/photo.jpg') },
        { name: 'b', filename: 'orders.csv', content: CSV },
      ]),
    });
    expect(answer.status).toBe(200);
    expect(answer.json()['files']).toHaveLength(2);
  });

  it('requires a target', async () => {
    const answer = await service.call({ method: 'POST', path: '/v1/attachments?name=a.txt', body: 'text' });
    expect(answer.status).toBe(400);
    expect(answer.json()['detail']).toContain('`target`');
  });
});

describe('POST /v1/compact', () => {
  const message = (index: number) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: `${index}: ${'words of a long conversation '.repeat(60)}`,
  });

  it('accepts the state of the previous answer', async () => {
    const messages = Array.from({ length: 40 }, (_, index) => message(index));
    const first = await service.call({
      method: 'POST',
      path: '/v1/compact',
      body: { messages, window: 8000, session: 'talk' },
    });
    expect(first.status).toBe(200);
    const { state, messages: kept } = first.json() as { state: object; messages: unknown[] };
    expect(JSON.stringify(kept).length).toBeLessThan(JSON.stringify(messages).length);
    const second = await service.call({
      method: 'POST',
      path: '/v1/compact',
      body: { messages: [...messages, message(40)], window: 8000, session: 'talk', state },
    });
    expect(second.status).toBe(200);
  });

  it('reports an invalid state', async () => {
    const answer = await service.call({
      method: 'POST',
      path: '/v1/compact',
      body: { messages: [message(0)], window: 8000, state: { version: 'none' } },
    });
    expect(answer.status).toBe(400);
  });
});

it('describes its formats and limits', async () => {
  const formats = await service.call({ path: '/v1/formats' });
  expect((formats.json()['formats'] as unknown[]).length).toBeGreaterThan(20);
  expect((await service.call({ path: '/v1/limits' })).status).toBe(200);
});

it('returns the effective value of each limit', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'lectern-limits-'));
  const own = await startService({
    dataDir,
    port: 0,
    environment: { MAX_TOKENS_PER_FILE: '1234' },
    limits: { maxFilesPerRequest: 3 },
    isolation: { maxQueuedReads: 7 },
  });
  const answer = await fetch(`${own.url}/v1/limits`);
  // Checked by what follows.
  const { limits } = (await answer.json()) as { limits: { key: string; value: number; default: number }[] };
  await own.close();
  rmSync(dataDir, { recursive: true });
  const of = (name: string) => limits.find(({ key }) => key === name);
  expect(of('maxTokensPerFile')).toMatchObject({ value: 1234, default: 5000 });
  expect(of('maxFilesPerRequest')).toMatchObject({ value: 3, default: 20 });
  expect(of('maxQueuedReads')).toMatchObject({ value: 7 });
  expect(of('jobAttempts')).toBeDefined();
  expect(limits.every(({ value }) => Number.isSafeInteger(value))).toBe(true);
});
