// Clients that do not keep to HTTP: bytes as they are, sent when a case says, and answers as they come.

import { request } from 'node:http';
import { connect } from 'node:net';

/** A connection: write what you like; `closed` gives all that came until the end. */
export function open({ hostname, port }) {
  const socket = connect({ host: hostname, port, allowHalfOpen: true });
  const pieces = [];
  socket.on('data', (piece) => pieces.push(piece));
  socket.on('error', () => undefined); // a reset is an end
  const text = () => Buffer.concat(pieces).toString('latin1');
  const closed = new Promise((resolve) => {
    socket.once('end', () => {
      socket.end();
      resolve(text());
    });
    socket.once('close', () => resolve(text()));
  });
  return { socket, text, closed, connected: new Promise((resolve) => socket.once('connect', resolve)) };
}

/** Statuses of all answers in `text`, in order. */
export function statusesIn(text) {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
}

/** Sends `bytes` on one connection and gives the statuses until the service closes it, or `enough` have come. */
export async function send(service, bytes, enough = Number.POSITIVE_INFINITY) {
  const { socket, text, closed } = open(service);
  const arrived = new Promise((resolve) => {
    socket.on('data', () => {
      if (statusesIn(text()).filter((status) => status !== 100).length >= enough) resolve(undefined);
    });
  });
  for (const piece of Array.isArray(bytes) ? bytes : [bytes]) socket.write(piece);
  await Promise.race([closed, arrived]);
  socket.destroy();
  return { statuses: statusesIn(text()), text: text() };
}

/** An ordinary request, answered whole. */
export function ask({ hostname, port }, { method = 'GET', path, headers = {}, body }) {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: hostname, port, method, path, headers, agent: false }, (incoming) => {
      const pieces = [];
      incoming.on('data', (piece) => pieces.push(piece));
      incoming.on('error', reject);
      incoming.on('end', () =>
        resolve({
          status: incoming.statusCode,
          headers: incoming.headers,
          text: Buffer.concat(pieces).toString(),
        }),
      );
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

export const head = (method, path, headers = {}) =>
  `${method} ${path} HTTP/1.1\r\n${Object.entries({ Host: 'localhost', ...headers })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`;

/** A POST with a body of its own length. */
export const post = (path, type, body, headers = {}) =>
  Buffer.concat([
    Buffer.from(
      head('POST', path, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body), ...headers }),
    ),
    Buffer.from(body),
  ]);
