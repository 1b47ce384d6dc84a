// The S3 server of the tests with generated documents, in a process of its own: prints the variables for its clients,
// then answers the words of its standard input: `count` prints how many requests it had except those of HTTP nodes, `cut`
// refuses all for 3 seconds.

import { register } from 'node:module';
import { createInterface } from 'node:readline';

register('../support/typescript-loader.mjs', import.meta.url);
const { startS3Server } = await import('../support/s3-server.ts');

const FORMS = [
  (n) => [
    'csv',
    `id,name,amount\n${Array.from({ length: 20 }, (_, i) => `${i},"n ${n}",${n * i}\n`).join('')}`,
  ],
  (n) => ['json', JSON.stringify({ id: n, items: Array.from({ length: 10 }, (_, i) => ({ i, n })) })],
  (n) => ['md', `# Document ${n}\n\nText of document ${n}.\n\n- one\n- two\n`],
  (n) => [
    'html',
    `<html><body><h1>Page ${n}</h1><p>Text ${n}</p><table><tr><td>${n}</td></tr></table></body></html>`,
  ],
  (n) => ['xml', `<list><entry id="${n}">Text</entry></list>`],
  (n) => ['zip', `PK\u0003\u0004 broken ${n}`],
];
const server = await startS3Server();
const count = Number(process.argv[2]);
for (let n = 0; n < count; n += 1) {
  const [extension, text] = FORMS[n % FORMS.length](n);
  const bytes = Buffer.from(text);
  server.generate('bucket', `in/${String(n).padStart(7, '0')}.${extension}`, {
    bytes: bytes.length,
    read: (position, length) => bytes.subarray(position, position + length),
  });
}
process.stdout.write(`${JSON.stringify(server.environment)}\n`);

let cutUntil = 0;
for await (const word of createInterface({ input: process.stdin })) {
  if (word === 'count') {
    const requests = server.requests.filter(({ key, query }) => !(query.prefix ?? key).startsWith('nodes/'));
    process.stdout.write(`${JSON.stringify({ requests: requests.length })}\n`);
  }
  if (word === 'cut') {
    cutUntil = Date.now() + 3000;
    server.fail('cut', { times: Number.POSITIVE_INFINITY, when: () => Date.now() < cutUntil });
  }
}
await server.close();
