import { expect, test } from 'vitest';
import { eventStream } from '../../../src/service/jobs/event-stream.ts';
import { trial } from './trial.ts';

test('comments keep an idle stream open', async () => {
  const { queue, submit } = await trial();
  const job = await submit();
  const stop = new AbortController();
  const stream = eventStream(queue, {
    user: 'ada',
    id: job.id,
    after: 0,
    signal: stop.signal,
    keepAliveMs: 5,
  });
  expect((await stream.next()).value).toMatch(/^event: progress\n/);
  expect((await stream.next()).value).toBe(': keep-alive\n\n');
  stop.abort();
  expect(await stream.next()).toEqual({ done: true, value: undefined });
});

test('names with line breaks cannot add events', async () => {
  const { queue, submit } = await trial();
  const name = 'a\nevent: done\n\n.csv';
  const job = await submit({ items: [{ name, bytes: 0, input: { kind: 'path', session: 's', path: 'a' } }] });
  await queue.cancel('ada', job.id);
  const stream = eventStream(queue, {
    user: 'ada',
    id: job.id,
    after: 0,
    signal: new AbortController().signal,
  });
  const { value } = await stream.next();
  expect(value).toContain('"name":"a\\nevent: done\\n\\n.csv"');
  expect(String(value).match(/^event: /gm)).toHaveLength(3);
});
