// The `Host` header as RFC 9112 wants it: one, or none from a probe that speaks HTTP/1.0.

import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Running, running } from './running.ts';

let service: Running;
beforeAll(async () => {
  service = await running();
});
afterAll(() => service.close());

async function raw(text: string): Promise<string> {
  const { port } = new URL(service.url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(text);
  let answer = '';
  socket.on('data', (bytes: Buffer) => {
    answer += bytes.toString();
  });
  await once(socket, 'close');
  return answer;
}

it('answers a probe without a host over HTTP/1.0', async () => {
  expect(await raw('GET /livez HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
  expect(await raw('GET /readyz HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
});

it.each([
  ['no `Host` header', ''],
  ['2 `Host` headers', 'Host: localhost\r\nhost: evil.test\r\n'],
])('refuses %s with a reason', async (found, headers) => {
  const answer = await raw(`GET /v1/formats HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`);
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(answer).toContain('application/problem+json');
  expect(answer).toContain(`The request has ${found}; expected one.`);
});
