import { createHmac } from 'node:crypto';
import type { lookup } from 'node:dns';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import type { WebhookDelivery } from '../../../src/service/jobs/queue.ts';
import { checkSecret, deliver, newSecret, signatureOf } from '../../../src/service/jobs/webhook.ts';
import {
  checkWebhookUrl,
  createAddressRule,
  guardedLookup,
} from '../../../src/service/jobs/webhook-address.ts';
import { WebhookSender } from '../../../src/service/jobs/webhook-sender.ts';
import { gate, ManualClock, trial } from './trial.ts';

const LOCAL = createAddressRule(['127.0.0.1']);
const PUBLIC = createAddressRule([]);
const SIGNAL: AbortSignal = new AbortController().signal;

async function receiver(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`; // it listens on a port
}

const delivery = (url: string): WebhookDelivery => ({
  job: 'job_1',
  url,
  secret: newSecret(),
  messageId: 'msg_1',
  body: '{"id":"job_1"}',
  fence: 1,
});

test('the signature is that of the Standard Webhooks specification', () => {
  // Test vector of the reference libraries (standard-webhooks, libraries/python/tests).
  expect(
    signatureOf(
      'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      'msg_p5jXN8AQM9LWM0D4loKWxJek',
      1614265330,
      '{"test": 2432232314}',
    ),
  ).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});

test('generated secrets are accepted; short and malformed ones are rejected', () => {
  expect(checkSecret(newSecret())).toMatch(/^whsec_/);
  for (const secret of ['', 'whsec_', 'whsec_c2hvcnQ=', newSecret().slice(6), `whsec_${'A'.repeat(100)}`])
    expect(() => checkSecret(secret)).toThrow('`webhook.secret` is not valid');
});

test('a delivery carries the body and a signature over it', async () => {
  const received = gate<{ readonly message: IncomingMessage; readonly body: string }>();
  const url = await receiver(async (message, answer) => {
    received.open({ message, body: await text(message) });
    answer.writeHead(202).end('thanks');
  });
  const sent = delivery(url);
  expect(await deliver(sent, { rule: LOCAL, timestamp: 1_700_000_000, signal: SIGNAL })).toEqual({
    ok: true,
    status: 202,
  });
  const { message, body } = await received.opened;
  expect(body).toBe(sent.body);
  expect(message.method).toBe('POST');
  const key = Buffer.from(sent.secret.slice(6), 'base64');
  const expected = createHmac('sha256', key).update(`msg_1.1700000000.${body}`).digest('base64');
  expect(message.headers).toMatchObject({
    'content-type': 'application/json',
    'webhook-id': 'msg_1',
    'webhook-timestamp': '1700000000',
    'webhook-signature': `v1,${expected}`,
  });
});

test('a redirect is not followed', async () => {
  const paths: (string | undefined)[] = [];
  const url = await receiver((message, answer) => {
    paths.push(message.url);
    answer.writeHead(302, { location: '/inside' }).end();
  });
  expect(await deliver(delivery(url), { rule: LOCAL, timestamp: 1, signal: SIGNAL })).toEqual({
    ok: false,
    status: 302,
    error: 'The receiver answered with status 302.',
  });
  expect(paths).toEqual(['/hook']);
});

test('an endless response is aborted', async () => {
  const closed = gate();
  const url = await receiver((_message, answer) => {
    answer.writeHead(200);
    answer.on('close', () => closed.open());
    const flood = (): void => {
      while (!answer.destroyed && answer.write(Buffer.alloc(65_536)));
      if (!answer.destroyed) answer.once('drain', flood);
    };
    flood();
  });
  expect(await deliver(delivery(url), { rule: LOCAL, timestamp: 1, signal: SIGNAL })).toMatchObject({
    ok: true,
  });
  await closed.opened;
});

test('a receiver that does not respond times out', async () => {
  const url = await receiver(() => undefined);
  expect(await deliver(delivery(url), { rule: LOCAL, timestamp: 1, signal: SIGNAL, timeoutMs: 50 })).toEqual({
    ok: false,
    error: 'The receiver did not answer in time.',
  });
});

test.each([
  'http://127.0.0.1/',
  'http://127.1/',
  'http://0x7f000001/',
  'http://2130706433/',
  'http://0.0.0.0/',
  'http://10.0.0.1/',
  'http://100.64.0.1/',
  'http://169.254.169.254/latest/meta-data',
  'http://172.16.0.1/',
  'http://192.168.1.1/',
  'http://168.63.129.16/',
  'http://224.0.0.1/',
  'http://255.255.255.255/',
  'http://[::]/',
  'http://[::1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:a00:1]/',
  'http://[::127.0.0.1]/',
  'http://[64:ff9b::7f00:1]/',
  'http://[fe80::1]/',
  'http://[fd00:ec2::254]/',
  'http://[fc00::1]/',
  'http://[ff02::1]/',
  'http://[2002:7f00:1::]/',
  'http://[2001:0:7f00:1::]/',
  'http://[2001:db8::1]/',
])('%s is refused, at submission and at delivery', async (url) => {
  await expect(checkWebhookUrl(url, PUBLIC)).rejects.toThrow('a private or reserved address');
  expect(await deliver(delivery(url), { rule: PUBLIC, timestamp: 1, signal: SIGNAL })).toEqual({
    ok: false,
    error: 'The address is private or reserved.',
  });
});

test.each([
  ['another scheme', 'ftp://example.com/'],
  ['a file', 'file:///etc/passwd'],
  ['credentials', 'https://a:b@example.com/'],
  ['no URL', 'example'],
  ['a long URL', `http://example.com/${'x'.repeat(3000)}`],
])('%s is not accepted as a webhook', async (_what, url) => {
  await expect(checkWebhookUrl(url, PUBLIC)).rejects.toThrow('expected an http or https URL');
});

test('public addresses are allowed', () => {
  for (const address of ['8.8.8.8', '1.1.1.1', '2606:4700:4700::1111', '::ffff:8.8.8.8'])
    expect(PUBLIC.allows('example.com', address)).toBe(true);
});

test('a name that resolves to a private address is refused, at submission and at delivery', async () => {
  const url = await receiver((_message, answer) => answer.end());
  const byName = url.replace('127.0.0.1', 'localhost');
  await expect(checkWebhookUrl(byName, PUBLIC)).rejects.toThrow('a private or reserved address');
  expect(await deliver(delivery(byName), { rule: PUBLIC, timestamp: 1, signal: SIGNAL })).toEqual({
    ok: false,
    error: 'The address is private or reserved.',
  });
});

test('a name that cannot be resolved now is accepted', async () => {
  const { hostname } = await checkWebhookUrl('https://hooks.invalid/', PUBLIC);
  expect(hostname).toBe('hooks.invalid');
});

test('a name is rejected if any of its addresses is private', async () => {
  // Stands for `dns.lookup`, whose overloads no function expression has.
  const answers = ((_host: string, _options: object, callback: (error: null, found: object[]) => void) =>
    callback(null, [
      { address: '8.8.8.8', family: 4 },
      { address: '10.0.0.1', family: 4 },
    ])) as unknown as typeof lookup;
  const error = await new Promise((resolve) =>
    guardedLookup(PUBLIC, answers)('example.com', { all: true }, (refused) => resolve(refused)),
  );
  expect(error).toMatchObject({ message: 'The address is private or reserved.' });
});

test('the operator can allow names and ranges', () => {
  const rule = createAddressRule(['hooks.internal', '10.1.0.0/16', 'fd00::/8', ' 192.168.0.5 ']);
  expect(rule.allows('hooks.internal', '10.9.9.9')).toBe(true);
  expect(rule.allows('other.internal', '10.9.9.9')).toBe(false);
  expect(rule.allows('other.internal', '10.1.2.3')).toBe(true);
  expect(rule.allows('other.internal', '::ffff:10.1.2.3')).toBe(true);
  expect(rule.allows('other.internal', 'fd00::1')).toBe(true);
  expect(rule.allows('192.168.0.5', '192.168.0.5')).toBe(true);
  expect(rule.allows('192.168.0.6', '192.168.0.6')).toBe(false);
  for (const entry of ['10.0.0.0/33', '10.0.0.0/x', 'a b', 'http://x/', ''])
    expect(() => createAddressRule([entry])).toThrow('`LECTERN_WEBHOOK_ALLOW` has the entry');
});

test('a notification is retried with the same id until the receiver accepts it', async () => {
  const clock = new ManualClock();
  const { queue, submit } = await trial({ clock });
  const ids: (string | undefined)[] = [];
  const url = await receiver((message, answer) => {
    ids.push(String(message.headers['webhook-id']));
    answer.writeHead(ids.length < 3 ? 500 : 200).end();
  });
  const job = await submit({ webhook: { url, secret: newSecret() } });
  expect(await queue.claimWebhook()).toBeUndefined();
  const item = await queue.claim();
  if (item === undefined) throw new Error('Nothing to claim.');
  await queue.complete(item.lease, { ok: true, json: '{}' });
  const sender = new WebhookSender({ queue, rule: LOCAL, clock });
  const settled = async (attempts: number) => {
    for (;;) {
      const change = queue.changed(SIGNAL);
      const found = await queue.get('ada', job.id);
      if (found?.webhook?.attempts === attempts) return found.webhook;
      await change;
    }
  };
  sender.start();
  onTestFinished(() => sender.stop());
  expect(await settled(1)).toEqual({
    state: 'waiting',
    attempts: 1,
    lastStatus: 500,
    lastError: 'The receiver answered with status 500.',
  });
  clock.pass(5000);
  await settled(2);
  clock.pass(30_000);
  expect(await settled(3)).toEqual({ state: 'delivered', attempts: 3, lastStatus: 200 });
  expect(new Set(ids).size).toBe(1);
});

test('a notification is given up after its last attempt', async () => {
  const clock = new ManualClock();
  const { queue, submit } = await trial({ clock });
  const job = await submit({ webhook: { url: 'https://example.com/', secret: newSecret() } });
  await queue.cancel('ada', job.id);
  let attempts = 0;
  for (let due = await queue.claimWebhook(); due; due = await queue.claimWebhook()) {
    attempts += 1;
    expect(JSON.parse(due.body)).toMatchObject({ id: job.id, status: 'cancelled', counts: { cancelled: 1 } });
    expect(due.body).not.toContain('ada');
    await queue.settleWebhook(due, { ok: false, error: 'The connection failed.' });
    clock.pass(6 * 3_600_000);
  }
  expect(attempts).toBe(8);
  expect((await queue.get('ada', job.id))?.webhook).toMatchObject({ state: 'failed', attempts: 8 });
});
