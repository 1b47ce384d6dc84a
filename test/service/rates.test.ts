import { expect, onTestFinished, test, vi } from 'vitest';
import { openDatabase } from '../../src/service/database.ts';
import {
  createPostgresRates,
  createRedisRates,
  type SharedRates,
  windowOf,
} from '../../src/service/http/access/shared-rates.ts';
import { startPostgres, startRedis } from '../support/servers.mjs';
import { emptyPostgres, NO_POSTGRES, NO_REDIS, redisUrl } from '../support/servers.ts';

// Starts and stops servers.
vi.setConfig({ testTimeout: 60_000 });

/** Windows of an hour, so that none ends during a test. */
const SLOW = { perMinute: 1, burst: 60 };

async function onPostgres(url: string, failures: unknown[] = []): Promise<SharedRates> {
  const database = await openDatabase('', { url });
  onTestFinished(() => database.close());
  const rates = await createPostgresRates(database, url, {
    ...SLOW,
    onFailure: (error) => failures.push(error),
  });
  onTestFinished(() => rates.close());
  return rates;
}

async function onRedis(url: string, failures: unknown[] = []): Promise<SharedRates> {
  const rates = await createRedisRates(url, { ...SLOW, onFailure: (error) => failures.push(error) });
  onTestFinished(() => rates.close());
  return rates;
}

const STORES = [
  ['PostgreSQL', NO_POSTGRES, emptyPostgres, onPostgres, startPostgres],
  ['Redis', NO_REDIS, redisUrl, onRedis, startRedis],
] as const;

let users = 0;
/** Of no other test: they share a server. */
const someone = (): string => {
  users += 1;
  return `user:${process.pid}-${users}`;
};

for (const [name, missing, place, open, start] of STORES) {
  test.skipIf(missing)(`${name}: four nodes together allow exactly one burst`, async () => {
    const url = await place();
    const nodes = await Promise.all(Array.from({ length: 4 }, () => open(url)));
    const user = someone();
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, at) => nodes[at % 4]?.take([user, `key:${user}`])),
    );
    expect(answers.filter((answer) => answer?.allowed)).toHaveLength(60);
    const refused = answers.find((answer) => !answer?.allowed);
    expect(refused?.waitMs).toBeGreaterThan(3_500_000);
    expect((await nodes[0]?.take([someone()]))?.allowed).toBe(true);
  });

  test.skipIf(missing)(`${name}: a request that one bucket refuses takes nothing from another`, async () => {
    const rates = await open(await place());
    const [user, full, other] = [someone(), someone(), someone()];
    for (let taken = 0; taken < 60; taken += 1) await rates.take([full]);
    for (let tries = 0; tries < 70; tries += 1) expect((await rates.take([user, full])).allowed).toBe(false);
    let allowed = 0;
    for (let tries = 0; tries < 70; tries += 1) allowed += (await rates.take([user, other])).allowed ? 1 : 0;
    expect(allowed).toBe(60);
  });

  test.skipIf(missing)(`${name}: while the store does not answer, the node limits alone`, async () => {
    const server = await start();
    onTestFinished(() => server.end());
    const failures: unknown[] = [];
    const rates = await open(server.url, failures);
    const user = someone();
    expect((await rates.take([user])).allowed).toBe(true);
    await server.stop();
    const answers = await Promise.all(Array.from({ length: 100 }, () => rates.take([user])));
    expect(answers.filter(({ allowed }) => allowed)).toHaveLength(60);
    expect(failures.length).toBeGreaterThanOrEqual(100);
    await server.start();
    // Connects again by itself.
    for (let before = -1; before !== failures.length; ) {
      before = failures.length;
      await rates.take([someone()]);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  });
}

test('a window holds a burst, as often as the rate allows, and lasts whole seconds', () => {
  expect(windowOf({ perMinute: 6000, burst: 200 })).toEqual({ points: 200, duration: 2 });
  expect(windowOf({ perMinute: 6, burst: 1 })).toEqual({ points: 1, duration: 10 });
  expect(windowOf({ perMinute: 6000, burst: 1 })).toEqual({ points: 100, duration: 1 });
  expect(windowOf({ perMinute: 7, burst: 3 })).toEqual({ points: 3, duration: 26 });
});

test('a URL of something else is refused', async () => {
  await expect(onRedis('http://127.0.0.1')).rejects.toMatchObject({ code: 'BAD_INPUT' });
});
