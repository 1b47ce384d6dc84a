// What clients do to a service that mean it harm, or do not know better. Each case returns the statuses it was answered
// with, or what else it saw; `expect` says what is right. After each a normal read must succeed.

import { once } from 'node:events';
import { ask, head, open, post, send, statusesIn } from './client.mjs';

const FORM = 'multipart/form-data; boundary=b';
const part = (name, content = 'x') =>
  `--b\r\nContent-Disposition: form-data; name="${name}"; filename="${name}.txt"\r\n\r\n${content}\r\n`;
const field = (name, content = 'x') =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${content}\r\n`;
const form = (body, headers) => (service) => send(service, post('/v1/read', FORM, body, headers), 1);
const statuses = (run) => async (service) => (await run(service)).statuses.join(' ');
const MEGABYTE = 2 ** 20;

const multipart = [
  {
    name: 'form: cut off in a file',
    run: statuses(
      form(`${part('a')}--b\r\nContent-Disposition: form-data; name="c"; filename="c.txt"\r\n\r\nhalf`),
    ),
    expect: /^400$/,
  },
  { name: 'form: no closing boundary', run: statuses(form(part('a'))), expect: /^400$/ },
  {
    name: 'form: no boundary in the header',
    run: statuses((service) =>
      send(service, post('/v1/read', 'multipart/form-data', `${part('a')}--b--\r\n`), 1),
    ),
    expect: /^400$/,
  },
  { name: 'form: empty', run: statuses(form('')), expect: /^400$/ },
  { name: 'form: only the closing boundary', run: statuses(form('--b--\r\n')), expect: /^400$/ },
  {
    name: 'form: 10 000 files',
    run: statuses(form(`${Array.from({ length: 10_000 }, (_, at) => part(`f${at}`)).join('')}--b--\r\n`)),
    expect: /^413$/,
  },
  {
    name: 'form: 10 000 fields',
    run: statuses(
      form(`${Array.from({ length: 10_000 }, (_, at) => field(`f${at}`)).join('')}${part('a')}--b--\r\n`),
    ),
    expect: /^413$/,
  },
  {
    name: 'form: 5 000 headers of a part',
    run: statuses(
      form(
        `--b\r\n${'X-H: 1\r\n'.repeat(5000)}Content-Disposition: form-data; name="a"; filename="a.txt"\r\n\r\nx\r\n--b--\r\n`,
      ),
    ),
    expect: /^(200|400|413)$/,
  },
  {
    name: 'form: a header of 100 KB in a part',
    run: statuses(
      form(
        `--b\r\nX-H: ${'h'.repeat(100_000)}\r\nContent-Disposition: form-data; name="a"; filename="a.txt"\r\n\r\nx\r\n--b--\r\n`,
      ),
    ),
    expect: /^(200|400|413)$/,
  },
  {
    name: 'form: field __proto__',
    run: statuses(form(`${field('__proto__', '{"all":true}')}${part('a')}--b--\r\n`)),
    expect: /^400$/,
  },
  {
    name: 'form: a field of 2 MB',
    run: statuses(form(`${field('request', 'x'.repeat(2 * MEGABYTE))}${part('a')}--b--\r\n`)),
    expect: /^413$/,
  },
  {
    name: 'form: file name with NUL, CR LF and folders',
    run: statuses(
      form(
        '--b\r\nContent-Disposition: form-data; name="a"; filename="../../etc/pa\0ss\rwd"\r\n\r\nx\r\n--b--\r\n',
      ),
    ),
    expect: /^(200|400|415)$/,
  },
  {
    name: 'form: boundary of 5 000 characters',
    run: statuses((service) =>
      send(service, post('/v1/read', `multipart/form-data; boundary=${'b'.repeat(5000)}`, 'x'), 1),
    ),
    expect: /^400$/,
  },
];

const framing = [
  {
    name: 'length: more than is sent',
    run: statuses((service) =>
      send(service, [head('POST', '/v1/read?name=a.txt', { 'Content-Length': 1000 }), 'short']),
    ),
    expect: /^408$/,
  },
  {
    name: 'length: less than is sent',
    run: statuses((service) =>
      send(service, [head('POST', '/v1/read?name=a.txt', { 'Content-Length': 5 }), 'short and more']),
    ),
    expect: /^(200 )?400$/,
  },
  {
    name: 'length: twice, different',
    run: statuses((service) =>
      send(
        service,
        'POST /v1/read HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef',
      ),
    ),
    expect: /^400$/,
  },
  {
    name: 'length: and chunked',
    run: statuses((service) =>
      send(
        service,
        'POST /v1/read HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      ),
    ),
    expect: /^400$/,
  },
  {
    name: 'length: negative',
    run: statuses((service) => send(service, head('POST', '/v1/read', { 'Content-Length': -1 }))),
    expect: /^400$/,
  },
  {
    name: 'chunked: without an end',
    run: statuses((service) =>
      send(service, [
        head('POST', '/v1/read?name=a.txt', { 'Transfer-Encoding': 'chunked' }),
        '5\r\nhello\r\n',
      ]),
    ),
    expect: /^408$/,
  },
  {
    name: 'chunked: a size that is not a number',
    run: statuses((service) =>
      send(service, [
        head('POST', '/v1/read?name=a.txt', { 'Transfer-Encoding': 'chunked' }),
        'zz\r\nhello\r\n',
      ]),
    ),
    expect: /^400$/,
  },
  { name: 'chunked: more than the limit', run: statuses(oversizeChunked), expect: /^413$/ },
  { name: 'expect: refused by Content-Length before the body', run: expectRefused, expect: /^413$/ },
  {
    name: 'expect: refused by method before the body',
    run: statuses((service) =>
      send(service, head('PUT', '/v1/read', { 'Content-Length': 5, Expect: '100-continue' }), 1),
    ),
    expect: /^405$/,
  },
  { name: 'expect: accepted, then sent', run: expectAccepted, expect: /^100 200$/ },
  {
    name: 'expect: something else',
    run: statuses((service) =>
      send(
        service,
        [
          head('POST', '/v1/tokens', {
            'Content-Type': 'application/json',
            'Content-Length': 12,
            Expect: 'miracles',
          }),
          '{"text":"a"}',
        ],
        1,
      ),
    ),
    expect: /^200$/,
  },
  { name: 'slow: a body of 1 byte a second', run: statuses(slowBody), expect: /^408$/ },
  {
    name: 'slow: headers that do not end',
    run: statuses((service) => send(service, 'GET /livez HTTP/1.1\r\nHost: local')),
    expect: /^408$/,
  },
  {
    name: 'slow: a connection that says nothing',
    run: statuses((service) => send(service, [])),
    expect: /^(408|)$/,
  },
  { name: 'pipelined: 200 requests at once', run: pipelined, expect: /^200 answers$/ },
  { name: 'half-closed after the request', run: halfClosed, expect: /^(200|closed)$/ },
  {
    name: 'TLS on a plain port',
    run: statuses((service) => send(service, Buffer.from('16030100a5010000a10303', 'hex'))),
    expect: /^400$/,
  },
  {
    name: 'bytes that are no HTTP',
    run: statuses((service) => send(service, Buffer.alloc(4096, 0xff))),
    expect: /^400$/,
  },
  {
    name: 'HTTP/0.9 and HTTP/3.7',
    run: statuses((service) => send(service, 'GET / HTTP/3.7\r\n\r\n')),
    expect: /^(400|505)$/,
  },
];

const headers = [
  {
    name: 'header of 100 KB',
    run: statuses((service) => send(service, head('GET', '/livez', { 'X-H': 'h'.repeat(100_000) }))),
    expect: /^431$/,
  },
  {
    name: '3 000 headers',
    run: statuses((service) =>
      send(service, `GET /livez HTTP/1.1\r\nHost: localhost\r\n${'X-H: 1\r\n'.repeat(1500)}\r\n`, 1),
    ),
    expect: /^(200|431)$/,
  },
  {
    name: 'no Host',
    run: statuses((service) => send(service, 'GET /v1/formats HTTP/1.1\r\n\r\n')),
    expect: /^(400|403)$/,
  },
  {
    name: 'empty Host',
    run: statuses((service) => send(service, 'GET /v1/formats HTTP/1.1\r\nHost: \r\n\r\n', 1)),
    expect: /^403$/,
  },
  {
    name: 'evil Host',
    run: statuses((service) => send(service, head('GET', '/v1/formats', { Host: 'evil.example' }), 1)),
    expect: /^403$/,
  },
  {
    name: 'evil Origin',
    run: statuses((service) =>
      send(service, head('GET', '/v1/formats', { Origin: 'http://evil.example' }), 1),
    ),
    expect: /^403$/,
  },
  {
    name: 'key of a wrong length',
    run: statuses((service) =>
      send(service, head('GET', '/v1/formats', { Authorization: `Bearer lk_${'a'.repeat(7000)}` }), 1),
    ),
    expect: /^401$/,
  },
  {
    name: 'bare CR and LF in a header',
    run: statuses((service) =>
      send(service, 'GET /livez HTTP/1.1\r\nHost: localhost\r\nX-A: a\nX-B: b\r\rX-C: c\r\n\r\n', 1),
    ),
    expect: /^(200|400)$/,
  },
  {
    name: 'absolute URL of another host',
    run: statuses((service) =>
      send(service, 'GET http://evil.example/v1/formats HTTP/1.1\r\nHost: evil.example\r\n\r\n', 1),
    ),
    expect: /^(403|404)$/,
  },
  {
    name: 'CONNECT and an upgrade',
    run: statuses(async (service) => ({
      statuses: [
        ...(await send(service, 'CONNECT evil.example:80 HTTP/1.1\r\nHost: evil.example\r\n\r\n')).statuses,
        ...(await send(service, head('GET', '/livez', { Connection: 'Upgrade', Upgrade: 'websocket' }), 1))
          .statuses,
      ],
    })),
    expect: /^(\d{3} )?200$/,
  },
];

const PATHS = [
  '..%2f..%2f..%2fetc%2fpasswd',
  '%2e%2e/%2e%2e/%2e%2e/etc/passwd',
  '../../../etc/passwd',
  '..\\..\\etc\\passwd',
  '%00',
  'a%0d%0aX-Evil:%201',
  '%c0%ae%c0%ae/etc/passwd',
  '%ef%bc%8e%ef%bc%8e/etc/passwd',
  '/etc/passwd',
  '//etc/passwd',
  'a'.repeat(5000),
  'a/'.repeat(3000),
];
const paths = PATHS.map((path) => ({
  name: `path: ${path.slice(0, 40)}`,
  run: async (service) => {
    const { text } = await send(service, head('GET', `/v1/workspaces/s/files/${path}`), 1);
    return text.includes('root:') || /^X-Evil/im.test(text.split('\r\n\r\n')[0])
      ? 'LEAKED'
      : statusesIn(text).join(' ');
  },
  expect: /^(400|403|404|431)$/,
}));

const parallel = [
  { name: 'same name 50 times in parallel', run: sameName, expect: /^1 created, 49 refused$/ },
  { name: 'uploads broken off 100 times', run: brokenOff, expect: /^100 broken off$/ },
  { name: 'idle connections', run: idleConnections, expect: /^\d+ idle, all closed by the service$/ },
  { name: '100 forms of 20 files at once', run: manyForms, heavy: true, expect: /^100 of 200 or 429$/ },
  { name: 'same Idempotency-Key 20 times in parallel', run: sameKey, expect: /^1 file, 1 body$/ },
];

const ends = [
  { name: 'SIGTERM during an upload', run: termDuringUpload, expect: /^201, new 503, exit 0$/, ends: true },
  { name: 'SIGTERM during a read', run: termDuringRead, expect: /^200, exit 0$/, ends: true },
  { name: 'SIGTERM twice', run: termTwice, expect: /^exit 1$/, ends: true },
  { name: 'SIGKILL during uploads', run: killDuringUploads, expect: /^killed$/, ends: true },
];

export const SERVICE_CASES = [...multipart, ...framing, ...headers, ...paths, ...parallel, ...ends];

function oversizeChunked(service) {
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

async function expectRefused(service) {
  const asked = head('POST', '/v1/read?name=a.txt', { 'Content-Length': 2 ** 40, Expect: '100-continue' });
  return (await send(service, asked, 1)).statuses.join(' ');
}

async function expectAccepted(service) {
  const { socket, text } = open(service);
  socket.write(head('POST', '/v1/read?name=a.txt', { 'Content-Length': 5, Expect: '100-continue' }));
  await once(socket, 'data');
  socket.write('hello');
  while (statusesIn(text()).length < 2) await once(socket, 'data');
  socket.destroy();
  return statusesIn(text()).join(' ');
}

async function slowBody(service) {
  const { socket, text, closed } = open(service);
  socket.write(head('POST', '/v1/read?name=a.txt', { 'Content-Length': 1000 }));
  const timer = setInterval(() => socket.write('a'), 1000);
  await closed;
  clearInterval(timer);
  return { statuses: statusesIn(text()) };
}

async function pipelined(service) {
  const { statuses } = await send(service, head('GET', '/livez').repeat(200), 200);
  return `${statuses.filter((status) => status === 200).length} answers`;
}

async function halfClosed(service) {
  const { socket, closed } = open(service);
  socket.end(head('GET', '/v1/formats'));
  return statusesIn(await closed).join(' ') || 'closed';
}

async function sameName(service) {
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

async function brokenOff(service) {
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
async function idleConnections(service) {
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

async function manyForms(service) {
  const body = `${Array.from({ length: 20 }, (_, at) => part(`f${at}`, 'a line of text\n'.repeat(2000))).join('')}--b--\r\n`;
  const answers = await Promise.all(
    Array.from({ length: 100 }, () =>
      ask(service, { method: 'POST', path: '/v1/inspect', headers: { 'content-type': FORM }, body }),
    ),
  );
  return `${answers.filter(({ status }) => status === 200 || status === 429).length} of 200 or 429`;
}

async function sameKey(service) {
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

async function termDuringUpload(service) {
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

async function termDuringRead(service) {
  const row = 'some text that takes a while, 1234, 5678\n';
  const reading = ask(service, { method: 'POST', path: '/v1/read?name=a.csv', body: row.repeat(150_000) });
  while (service.uploads().length === 0) await new Promise((resolve) => setImmediate(resolve));
  service.signal('SIGTERM');
  const { status } = await reading;
  const { code } = await service.ended;
  return `${status}, exit ${code}`;
}

async function termTwice(service) {
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

async function killDuringUploads(service) {
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
