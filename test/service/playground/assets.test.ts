// The files of the page as the service sends them.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadPlayground } from '../../../src/service/playground/assets.ts';
import { type Running, running } from '../http/running.ts';

describe('the files of a folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-assets-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('if missing: a page says how to build it', async () => {
    const assets = await loadPlayground(join(folder, 'missing'));
    expect([...assets.keys()]).toEqual(['/']);
    const page = assets.get('/');
    expect(Buffer.from(page?.body ?? []).toString()).toContain('npm run build');
    expect(page).toMatchObject({ contentType: 'text/html; charset=utf-8', cacheControl: 'no-cache' });
  });

  it('with their types; not a source map', async () => {
    mkdirSync(join(folder, 'assets'));
    writeFileSync(join(folder, 'index.html'), '<!doctype html>');
    for (const name of ['a.js', 'a.css', 'a.js.map']) writeFileSync(join(folder, 'assets', name), name);
    const assets = await loadPlayground(folder);
    expect([...assets.keys()].sort()).toEqual(['/', '/assets/a.css', '/assets/a.js']);
    expect(assets.get('/assets/a.js')?.contentType).toBe('text/javascript; charset=utf-8');
    expect(assets.get('/assets/a.css')?.contentType).toBe('text/css; charset=utf-8');
    expect(assets.get('/assets/a.js')?.cacheControl).toBe('public, max-age=31536000, immutable');
    expect(new Set([...assets.values()].map(({ etag }) => etag)).size).toBe(3);
  });
});

describe('over HTTP', () => {
  let service: Running;
  beforeAll(async () => {
    service = await running();
  });
  afterAll(async () => {
    await service.close();
  });
  const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${service.url}${path}`, { headers });

  it('the page: not cached, with a policy that allows only this server', async () => {
    const answer = await get('/');
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-cache');
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^default-src 'none'; /);
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    const known = answer.headers.get('etag') ?? '';
    const again = await get('/', { 'if-none-match': known });
    expect([again.status, await again.text()]).toEqual([304, '']);
    expect(again.headers.get('etag')).toBe(known);
    expect((await get('/', { 'if-none-match': '"other"' })).status).toBe(200);
  });

  it('each file the page loads: cached for a year', async () => {
    const names = [...(await (await get('/')).text()).matchAll(/(?:src|href)="\.(\/assets\/[^"]+)"/g)];
    expect(names.length).toBe(2);
    for (const [, path = ''] of names) {
      const answer = await get(path);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toMatch(
        path.endsWith('.js') ? /^text\/javascript/ : /^text\/css/,
      );
      expect(answer.headers.get('cache-control')).toContain('immutable');
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      const known = answer.headers.get('etag') ?? '';
      expect((await get(path, { 'if-none-match': known })).status).toBe(304);
    }
  });

  it.each([
    '/assets/missing.js',
    '/assets/..%2Findex.html',
    '/assets/%2e%2e%2f%2e%2e%2fpackage.json',
    '/assets/..%5C..%5Cpackage.json',
    '/assets/%00',
    '/assets/__proto__',
    '/assets//etc/passwd',
  ])('nothing else: %s', async (path) => {
    const answer = await get(path);
    expect([400, 404]).toContain(answer.status);
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
  });
});
