// What clients do to a service that mean it harm, or do not know better. Each case returns the statuses it was answered
// with, or what else it saw; `expect` says what is right. After each a normal read must succeed.

import { existsSync } from 'node:fs';
import {
  brokenOff,
  expectAccepted,
  expectRefused,
  halfClosed,
  idleConnections,
  killDuringUploads,
  manyForms,
  oversizeChunked,
  pipelined,
  sameKey,
  sameName,
  slowBody,
  termDuringRead,
  termDuringUpload,
  termTwice,
} from './attacks.mjs';
import { head, post, send, statusesIn } from './client.mjs';
import { failingSaves } from './failing-saves.mjs';
import { FORM, field, MEGABYTE, part } from './parts.mjs';

const form = (body, headers) => (service) => send(service, post('/v1/read', FORM, body, headers), 1);
const statuses = (run) => async (service) => (await run(service)).statuses.join(' ');

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

/** Where the packages of `test/integrations` are installed, DuckDB among them. `test/integrations/query` has a short one. */
const queries = existsSync(new URL('../../integrations/node_modules', import.meta.url))
  ? [
      {
        name: 'queries that cannot be saved, beside other users',
        run: failingSaves(5),
        heavy: true,
        expect: /^15 saves, 0 wrong$/,
      },
    ]
  : [];

const ends = [
  { name: 'SIGTERM during an upload', run: termDuringUpload, expect: /^201, new 503, exit 0$/, ends: true },
  { name: 'SIGTERM during a read', run: termDuringRead, expect: /^200, exit 0$/, ends: true },
  { name: 'SIGTERM twice', run: termTwice, expect: /^exit 1$/, ends: true },
  { name: 'SIGKILL during uploads', run: killDuringUploads, expect: /^killed$/, ends: true },
];

export const SERVICE_CASES = [
  ...multipart,
  ...framing,
  ...headers,
  ...paths,
  ...parallel,
  ...queries,
  ...ends,
];
