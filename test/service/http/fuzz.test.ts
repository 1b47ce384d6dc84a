import fc from 'fast-check';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { draws } from '../../support/draws.ts';
import { arbitraryOf } from './arbitrary.ts';
import { type Answer, type Asked, ask, formOf } from './client.ts';
import { type Running, running } from './running.ts';

/** `FUZZ_RUNS` asks for more of each operation. */
const RUNS = Number(process.env['FUZZ_RUNS'] ?? draws(25));
// Draws many cases.
vi.setConfig({ testTimeout: Math.max(180_000, RUNS * 10_000) });

interface Described {
  readonly parameters?: readonly { name: string; in: string; required: boolean; schema: object }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: object }>> };
}

let service: Running;
let document: { paths: Record<string, Record<string, Described>>; components: object };
beforeAll(async () => {
  service = await running();
  document = (await ask(service.url, { path: '/openapi.json' })).json() as typeof document;
  const body = 'name,n\na,1\nb,2\n';
  for (const path of ['a', 'a.csv', 'in/b.csv'])
    await service.call({ method: 'PUT', path: `/v1/workspaces/s/files/${path}`, body });
});
afterAll(() => service.close());

const text = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom(
    '',
    ' ',
    '0',
    '-1',
    '1e309',
    'null',
    '[]',
    '{}',
    '../x',
    '/etc/passwd',
    '__proto__',
    '\0',
    'ａ',
    '%',
  ),
);
const headers = fc.dictionary(
  fc.constantFrom(
    'accept',
    'range',
    'if-match',
    'if-none-match',
    'if-range',
    'x-request-id',
    'content-type',
    'origin',
    'host',
    'authorization',
    'content-disposition',
    'expect',
    'idempotency-key',
    'traceparent',
    'last-event-id',
    'x-odd',
  ),
  fc
    .oneof(
      fc.string({ maxLength: 30 }),
      fc.constantFrom(
        '*',
        '"x"',
        'bytes=0-1',
        'bytes=9-',
        'text/plain',
        'application/json',
        'multipart/form-data',
        'multipart/form-data; boundary=x',
        '100-continue',
        'attachment; filename="../a"',
      ),
    )
    .filter((value) => /^[\x20-\x7e]*$/.test(value)),
  { maxKeys: 3 },
);
/** A session that exists, is valid, or is not. */
const session = fc.oneof({ weight: 4, arbitrary: fc.constant('s') }, { weight: 1, arbitrary: text });
const filePath = fc.oneof(fc.constantFrom('a', 'a.csv', 'in', 'in/b.csv', 'new/c.txt'), text);

/** As it stands in a URL; what cannot be encoded stands there broken. */
function encoded(value: unknown): string {
  const plain = typeof value === 'string' ? value : JSON.stringify(value);
  try {
    return encodeURIComponent(plain);
  } catch {
    return '%ff'; // half of a surrogate pair
  }
}

function requestsOf(path: string, method: string, operation: Described): fc.Arbitrary<Asked> {
  const { parameters = [], requestBody } = operation;
  const inPath = parameters.filter((one) => one.in === 'path').map(({ name }) => name);
  const inQuery = parameters.filter((one) => one.in === 'query');
  const query = fc.record(
    Object.fromEntries(
      inQuery.map(({ name, schema }) => [name, fc.oneof(arbitraryOf(schema, document.components), text)]),
    ),
    { requiredKeys: [] },
  );
  const odd = fc.dictionary(fc.constantFrom('nonsense', '__proto__', 'constructor', 'name', ''), text, {
    maxKeys: 1,
  });
  const places = fc.record(
    Object.fromEntries(inPath.map((name) => [name, name === 'session' ? session : filePath])),
  );
  const body = requestBody ? bodyOf(requestBody) : fc.constant<Partial<Asked>>({});
  return fc
    .record({
      places,
      query,
      odd: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: odd }),
      headers: fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: headers }),
      body,
    })
    .map(({ places, query, odd, headers, body }) => {
      const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
        const value = String(places[name] ?? 'x');
        return name === 'path' ? value.split('/').map(encoded).join('/') : encoded(value);
      });
      const fields = Object.entries({ ...query, ...odd }).map(
        ([name, value]) => `${encoded(name)}=${encoded(value)}`,
      );
      return {
        method: method.toUpperCase(),
        path: fields.length > 0 ? `${filled}?${fields.join('&')}` : filled,
        ...body,
        headers: { ...body.headers, ...headers },
      };
    });
}

function bodyOf({ content }: NonNullable<Described['requestBody']>): fc.Arbitrary<Partial<Asked>> {
  const bodies = Object.entries(content).map(([type, { schema }]): fc.Arbitrary<Partial<Asked>> => {
    if (type === 'multipart/form-data')
      return fc
        .array(
          fc.record({
            name: fc.constantFrom('file', 'request', 'rows', 'maxTokens', 'target', '__proto__', 'x'),
            content: fc.oneof(text, fc.uint8Array({ maxLength: 50 }), fc.constant('{"maxTokens":50}')),
            ...({} as { filename: fc.Arbitrary<string> }),
          }),
          { maxLength: 4 },
        )
        .map((parts) => formOf([...parts, { name: 'f', filename: 'a.csv', content: 'a,b\n1,2\n' }]));
    if (!type.endsWith('json'))
      return fc
        .oneof(fc.uint8Array({ maxLength: 200 }), text)
        .map((body) => ({ headers: { 'content-type': type }, body }));
    if (type === 'application/x-ndjson')
      return fc
        .array(fc.json(), { maxLength: 4 })
        .map((lines) => ({ headers: { 'content-type': type }, body: lines.join('\n') }));
    const valid = arbitraryOf(schema, document.components);
    return fc
      .oneof({ weight: 3, arbitrary: valid }, { weight: 1, arbitrary: fc.jsonValue() })
      .map((value) => ({ headers: { 'content-type': type }, body: JSON.stringify(value) ?? 'null' }));
  });
  const broken = fc.record({
    headers: fc.constant({ 'content-type': 'application/json' }),
    body: fc.constantFrom('{', '', '{"__proto__":{"a":1}}', '[1,2'),
  });
  return fc.oneof(...bodies, broken);
}

/** Statuses of a fault in the service; what a request asks for never causes one. */
const isFault = ({ status }: Answer): boolean => status >= 500 && status !== 501 && status !== 507;

it('answers any request as documented in OpenAPI, without a 500', async () => {
  const seen = new Map<number, number>();
  for (const [path, item] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(item))
      await fc.assert(
        fc.asyncProperty(requestsOf(path, method, operation), async (asked) => {
          const answer = await service.call(asked);
          seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1);
          if (isFault(answer)) throw new Error(`${answer.status}: ${answer.text.slice(0, 500)}`);
        }),
        { numRuns: RUNS, endOnFailure: process.env['FUZZ_SHRINK'] === undefined },
      );
  expect(service.uploads()).toEqual([]);
  // It reaches behind the checks, and every kind of refusal.
  for (const status of [200, 400, 404]) expect([status, seen.get(status) ?? 0]).not.toEqual([status, 0]);
  expect((await service.call({ method: 'POST', path: '/v1/read?name=a.txt', body: 'text' })).status).toBe(
    200,
  );
});
