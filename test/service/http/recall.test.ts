import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Running, running } from './running.ts';

let service: Running;
beforeAll(async () => {
  service = await running();
});
afterAll(() => service.close());

const post = (path: string, body: object) => service.call({ method: 'POST', path, body });

describe('/v1/recall', () => {
  it('adds entries, finds them again, and removes them', async () => {
    const entries = [
      { kind: 'result', source: 'npm test', text: '3 failed: parseDate', id: 'r1' },
      { kind: 'message', source: 'user', text: 'Use ISO dates only.' },
    ];
    expect((await post('/v1/recall/s1/entries', { entries })).status).toBe(204);
    const found = await post('/v1/recall/s1/search', { query: 'parse date', limit: 1 });
    expect(found.json()).toEqual({
      hits: [{ id: 'r1', kind: 'result', source: 'npm test', line: 1, text: '3 failed: parseDate' }],
    });
    const other = await post('/v1/recall/s2/search', { query: 'parseDate' });
    expect(other.json()).toEqual({ hits: [] });
    expect((await service.call({ method: 'DELETE', path: '/v1/recall/s1' })).status).toBe(204);
    expect((await service.call({ method: 'DELETE', path: '/v1/recall/s1' })).status).toBe(404);
    expect((await post('/v1/recall/s1/search', { query: 'parseDate' })).json()).toEqual({ hits: [] });
  });

  it('rejects invalid entries and invalid ids', async () => {
    const odd = await post('/v1/recall/s1/entries', { entries: [{ kind: 'odd', source: 'x', text: 'y' }] });
    expect(odd.status).toBe(400);
    expect((await post('/v1/recall/..%2Fs1/search', { query: 'x' })).status).toBe(400);
  });
});

describe('the tool `recall` of /mcp', () => {
  const mcp = async (path: string, method: string, params: object = {}): Promise<string> => {
    const response = await fetch(`${service.url}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    return response.text();
  };
  const call = (name: string, args: object) => mcp('/mcp/s9', 'tools/call', { name, arguments: args });

  it('is available in a session with an archive, and finds answers of its tools', async () => {
    expect(await mcp('/mcp/s9', 'tools/list')).not.toContain('"recall"');
    const entries = [{ kind: 'result', source: 'npm test', text: '3 failed: parseDate' }];
    await post('/v1/recall/s9/entries', { entries });
    expect(await mcp('/mcp/s9', 'tools/list')).toContain('"recall"');
    expect(await call('recall', { query: 'parseDate' })).toContain('3 failed: parseDate');
    await call('write_file', { path: 'a.txt', content: 'The zebra licence is MIT.' });
    await call('read_file', { path: 'a.txt' });
    expect(await call('recall', { query: 'zebra', kind: 'document' })).toContain('licence is MIT');
    expect(await mcp('/mcp/s8', 'tools/list')).not.toContain('"recall"');
  });
});
