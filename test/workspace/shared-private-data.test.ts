import { expect, onTestFinished, test } from 'vitest';
import { openSharedPrivateData, ReaderError, type SharedPrivateData } from '../../src/index.ts';
import { emptyPostgres, NO_POSTGRES } from '../support/servers.ts';

async function opened(url: string): Promise<SharedPrivateData> {
  const data = await openSharedPrivateData(url);
  onTestFinished(() => data.close());
  return data;
}

test.skipIf(NO_POSTGRES)(
  'updates of several processes are applied one after the other, and none is lost',
  async () => {
    const url = await emptyPostgres();
    const nodes = await Promise.all([opened(url), opened(url), opened(url)]);
    // Tries again as the error advises: on a busy machine, the last of them wait for more than the others may take.
    const increase = async (at: number): Promise<void> => {
      try {
        await nodes[at % 3]?.update('ada', 's', (data) => (typeof data === 'number' ? data + 1 : 1));
      } catch (error) {
        if (!(error instanceof ReaderError) || error.code !== 'BUSY') throw error;
        await increase(at);
      }
    };
    await Promise.all(Array.from({ length: 30 }, (_, at) => increase(at)));
    expect(await nodes[1].read('ada', 's')).toEqual({ revision: 30, data: 30, damaged: [] });
    await expect(nodes[0].update('ada', 's', () => 0, { revision: 29 })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
  },
);

test.skipIf(NO_POSTGRES)('data are listed by user, and gone once deleted', async () => {
  const data = await opened(await emptyPostgres());
  expect(await data.read('ada', 's')).toBeUndefined();
  await data.update('ada', 's', () => ({ text: 'a\0\ud800é' }), { revision: 0 });
  await data.update('ada', 'r', () => null);
  await data.update('bob', 'q', () => [1]);
  expect(await data.list('ada')).toEqual(['r', 's']);
  expect(await data.read('ada', 's')).toMatchObject({ data: { text: 'a\0\ud800é' } });
  await data.delete('ada', 's');
  expect(await data.list('ada')).toEqual(['r']);
  expect(await data.read('ada', 's')).toBeUndefined();
  // A new value has a new number: a writer that read the old one notices.
  expect(await data.update('ada', 's', (before) => before ?? 'new', { revision: 0 })).toMatchObject({
    revision: 3,
    data: 'new',
  });
  await expect(data.update('ada', 's', () => undefined)).rejects.toMatchObject({ code: 'BAD_INPUT' });
  await expect(data.read('../ada', 's')).rejects.toMatchObject({ code: 'BAD_INPUT' });
});
