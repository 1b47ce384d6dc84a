// Attacks that take more than one request: each goes on while the service answers, and returns what it saw.

import { once } from 'node:events';
import { ask, head, open, send, statusesIn } from './client.mjs';
import { FORM, MEGABYTE, part } from './parts.mjs';

export function oversizeChunked(service) {
  const { socket, text, closed } = open(service);
  socket.write(head('POST', '/v1/read?name=a.txt', { 'Transfer-Encoding': 'chunked' }));
  const piece = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(65_536, 'a'), Buffer.from('\r\n')]);
  const more = () => {
    while (!socket.destroyed && socket.writable)
      if (!socket.write(piece)) return void socket.once('drain', more);
  };
  more();
  return closed.then(() => ({ statuses: statusesIn(text()) }));
}

export async function expectRefused(service) {
  const asked = head('POST', '/v1/read?name=a.txt', { 'Content-Length': 2 ** 40, Expect: '100-continue' });
  return (await send(service, asked, 1)).statuses.join(' ');
}

export async function expectAccepted(service) {
  const { socket, text } = open(service);
  socket.write(head('POST', '/v1/read?name=a.txt', { 'Content-Length': 5, Expect: '100-continue' }));
  await once(socket, 'data');
  socket.write('hello');
  while (statusesIn(text()).length < 2) await once(socket, 'data');
  socket.destroy();
  return statusesIn(text()).join(' ');
}

export async function slowBody(service) {
  const { socket, text, closed } = open(service);
  socket.write(head('POST', '/v1/read?name=a.txt', { 'Content-Length': 1000 }));
  const timer = setInterval(() => socket.write('a'), 1000);
  await closed;
  clearInterval(timer);
  return { statuses: statusesIn(text()) };
}

export async function pipelined(service) {
  const { statuses } = await send(service, head('GET', '/livez').repeat(200), 200);
  return `${statuses.filter((status) => status === 200).length} answers`;
}

export async function halfClosed(service) {
  const { socket, closed } = open(service);
  socket.end(head('GET', '/v1/formats'));
  return statusesIn(await closed).join(' ') || 'closed';
}

export async function sameName(service) {
  const path = `/v1/workspaces/race/files/${Date.now()}.txt`;
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, at) =>
      ask(service, { method: 'PUT', path, headers: { 'if-none-match': '*' }, body: `writer ${at}` }),
    ),
  );
  const winners = answers.filter(({ status }) => status === 201);
  const { text } = await ask(service, { path });
  const right = winners.length === 1 && text === `writer ${answers.indexOf(winners[0])}`;
  return `${right ? 1 : 'wrong'} created, ${answers.filter(({ status }) => status === 412).length} refused`;
}

export async function brokenOff(service) {
  let broken = 0;
  for (let at = 0; at < 100; at += 1) {
    const { socket, connected, closed } = open(service);
    await connected;
    const path = at % 2 === 0 ? '/v1/read?name=a.txt' : `/v1/workspaces/s/files/broken-${at}.txt`;
    socket.write(head(at % 2 === 0 ? 'POST' : 'PUT', path, { 'Content-Length': MEGABYTE }));
    socket.write(Buffer.alloc(300_000, 'a'), () =>
      at % 3 === 0 ? socket.resetAndDestroy() : socket.destroy(),
    );
    await closed;
    broken += 1;
  }
  const { text } = await ask(service, { path: '/v1/workspaces/s/files?glob=broken-*' });
  return JSON.parse(text).entries.length === 0
    ? `${broken} broken off`
    : 'a file that was broken off is there';
}

/** As many as the limit of descriptors of this process allows; the service has the same. */
export async function idleConnections(service) {
  const wanted = Math.min(10_000, service.idle ?? 10_000);
  const connections = [];
  for (let at = 0; at < wanted; at += 200) {
    const some = Array.from({ length: Math.min(200, wanted - at) }, () => open(service));
    connections.push(...some);
    await Promise.all(some.map(({ connected, closed }) => Promise.race([connected, closed])));
  }
  await Promise.all(connections.map(({ closed }) => closed));
  return `${connections.length} idle, all closed by the service`;
}

export async function manyForms(service) {
  const body = `${Array.from({ length: 20 }, (_, at) => part(`f${at}`, 'a line of text\n'.repeat(2000))).join('')}--b--\r\n`;
  const answers = await Promise.all(
    Array.from({ length: 100 }, () =>
      ask(service, { method: 'POST', path: '/v1/inspect', headers: { 'content-type': FORM }, body }),
    ),
  );
  return `${answers.filter(({ status }) => status === 200 || status === 429).length} of 200 or 429`;
}

export async function sameKey(service) {
  const headers = { 'idempotency-key': `key-${Date.now()}`, 'content-type': 'application/x-ndjson' };
  const once = () =>
    ask(service, {
      method: 'POST',
      path: '/v1/workspaces/idem/results?name=rows.csv',
      headers,
      body: '{"a":1}\n',
    });
  const answers = await Promise.all(Array.from({ length: 20 }, once));
  const last = await once();
  const bodies = new Set([...answers, last].filter(({ status }) => status === 201).map(({ text }) => text));
  const odd = answers.filter(({ status }) => status !== 201 && status !== 409);
  const { text } = await ask(service, { path: '/v1/workspaces/idem/files?glob=**/rows*' });
  await ask(service, { method: 'DELETE', path: '/v1/workspaces/idem/files/results?recursive=true' });
  if (odd.length > 0) return odd[0].text;
  return `${JSON.parse(text).entries.length} file, ${bodies.size} body`;
}

export async function termDuringUpload(service) {
  const { socket, connected, text, closed } = open(service);
  await connected;
  socket.write(
    head('PUT', '/v1/workspaces/s/files/kept.txt', { 'Content-Length': 10, Expect: '100-continue' }),
  );
  await once(socket, 'data');
  service.signal('SIGTERM');
  let refused = 200;
  while (refused !== 503) refused = (await ask(service, { path: '/readyz' })).status;
  const { status } = await ask(service, { path: '/v1/formats' });
  socket.write('0123456789');
  await closed;
  const { code } = await service.ended;
  return `${statusesIn(text()).at(-1)}, new ${status}, exit ${code}`;
}

export async function termDuringRead(service) {
  const row = 'some text that takes a while, 1234, 5678\n';
  const reading = ask(service, { method: 'POST', path: '/v1/read?name=a.csv', body: row.repeat(150_000) });
  while (service.uploads().length === 0) await new Promise((resolve) => setImmediate(resolve));
  service.signal('SIGTERM');
  const { status } = await reading;
  const { code } = await service.ended;
  return `${status}, exit ${code}`;
}

export async function termTwice(service) {
  const { socket } = open(service);
  socket.write(
    head('PUT', '/v1/workspaces/s/files/never.txt', { 'Content-Length': 10, Expect: '100-continue' }),
  );
  await once(socket, 'data');
  service.signal('SIGTERM');
  let status = 200;
  while (status !== 503) ({ status } = await ask(service, { path: '/readyz' }));
  service.signal('SIGTERM');
  return `exit ${(await service.ended).code}`;
}

export async function killDuringUploads(service) {
  const uploads = Array.from({ length: 10 }, () => {
    const { socket } = open(service);
    socket.write(head('POST', '/v1/read?name=a.txt', { 'Content-Length': MEGABYTE }));
    socket.write(Buffer.alloc(900_000, 'a'));
    return socket;
  });
  while (service.uploads().length < 10) await new Promise((resolve) => setImmediate(resolve));
  service.signal('SIGKILL');
  await service.ended;
  for (const socket of uploads) socket.destroy();
  return service.uploads().length === 10 ? 'killed' : 'nothing to clean';
}
