import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { keepWorker, takeWorker } from '../../../../processors/documents/pdf/idle-worker.ts';

it('keeps one thread for the next document, and for nothing else', async () => {
  const { worker: first, isLoaded } = await takeWorker(true);
  expect(isLoaded).toBe(false);
  await once(first, 'message');
  keepWorker(first, 0);
  const picture = await takeWorker(false);
  expect(picture.isLoaded).toBe(false);
  expect(await takeWorker(true)).toEqual({ worker: first, isLoaded: true });
  await once(picture.worker, 'message');
  keepWorker(picture.worker, 2 ** 30);
  expect((await once(picture.worker, 'exit')).length).toBe(1);
  const second = await takeWorker(true);
  expect(second.isLoaded).toBe(false);
  await once(second.worker, 'message');
  await Promise.all([first.terminate(), second.worker.terminate()]);
});

it('does not keep a process from ending', () => {
  const script = `
    const { createReader } = await import(${JSON.stringify(new URL('../../../../dist/src/index.js', import.meta.url).href)});
    const reader = createReader({ environment: {} });
    const texts = [];
    for (let i = 0; i < 2; i++) texts.push((await reader.read('fixtures/documents/gauges.pdf')).text);
    console.log(texts[0].length > 100 && texts[0] === texts[1]);`;
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  expect(said).toBe('true\n');
});
