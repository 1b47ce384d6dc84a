import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ask } from './client.ts';
import { type Running, running } from './running.ts';

let service: Running;
beforeAll(async () => {
  service = await running();
});
afterAll(() => service.close());

it('is a valid OpenAPI 3.1 document', async () => {
  const { text } = await service.call({ path: '/openapi.json' });
  const validator = new Validator();
  const { valid, errors } = await validator.validate(JSON.parse(text));
  expect(errors ?? []).toEqual([]);
  expect(valid).toBe(true);
  expect(validator.version).toBe('3.1');
});

it('names every operation once', async () => {
  const { paths } = (await ask(service.url, { path: '/openapi.json' })).json() as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  const ids = Object.values(paths).flatMap((item) =>
    Object.values(item).map(({ operationId }) => operationId),
  );
  expect(new Set(ids).size).toBe(ids.length);
});

it('declares request headers by their names', async () => {
  const { paths } = (await ask(service.url, { path: '/openapi.json' })).json() as {
    paths: Record<string, Record<string, { parameters?: { in: string; name: string }[] }>>;
  };
  const names = Object.values(paths)
    .flatMap((item) => Object.values(item).flatMap(({ parameters = [] }) => parameters))
    .flatMap((parameter) => (parameter.in === 'header' ? [parameter.name] : []));
  expect([...new Set(names)].sort()).toEqual([
    'Content-Length',
    'Idempotency-Key',
    'If-Match',
    'If-None-Match',
    'If-Range',
    'Last-Event-ID',
    'Range',
  ]);
});
