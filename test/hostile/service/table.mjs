// Sends each case to a service and looks at the service afterwards: a normal read succeeds, no upload is left, no
// descriptor was lost. A case that ends the service is followed by a restart on the same data folder.

import { setTimeout as wait } from 'node:timers/promises';
import { ask } from './client.mjs';
import { startProcess } from './process.mjs';

/** Descriptors that may come and go with connections and child processes. */
const DESCRIPTOR_SLACK = 10;
/** What is closed in the background is waited for so long, in tries of 50 ms. */
const TRIES = 200;

/** Yields `{ name, outcome, faults, seconds, peak }` for each of `cases`. */
export async function* runServiceCases(cases, { dataDir, idle, dist, limits }) {
  let service = await started({ dataDir, dist, idle, limits });
  try {
    for (const one of cases) {
      const begun = performance.now();
      const outcome = await one.run(service).catch((error) => `${error.message}`);
      const seconds = (performance.now() - begun) / 1000;
      const faults = one.expect.test(outcome) ? [] : [`expected ${one.expect}`];
      let peak = 0;
      if (one.ends) {
        const { complaint, code, signal } = await service.end();
        if (complaint !== '')
          faults.push(`it wrote ${JSON.stringify(complaint.slice(0, 300))} (${code ?? signal})`);
        service = await started({ dataDir, dist, idle, limits });
      } else peak = service.peak();
      faults.push(...(await traces(service)));
      yield { name: one.name, outcome, faults, seconds, peak };
    }
  } finally {
    await service.end();
  }
}

async function started({ dataDir, dist, idle, limits }) {
  const service = await startProcess({ dataDir, ...(dist && { dist }), ...(limits && { limits }) });
  // What is loaded or started on first use is no loss.
  await Promise.all(Array.from({ length: 16 }, () => normalRead(service)));
  return { ...service, idle, usual: service.descriptors() };
}

async function normalRead(service) {
  const { status, text } = await ask(service, {
    method: 'POST',
    path: '/v1/read?name=a.csv',
    body: 'name,n\nada,1\n',
  });
  return status === 200 && text.includes('ada');
}

async function traces(service) {
  const faults = [];
  if (!(await normalRead(service))) faults.push('a normal read fails afterwards');
  if (!(await settles(() => service.uploads().length === 0)))
    faults.push(`${service.uploads().length} uploads were left`);
  if (!(await settles(() => service.descriptors() <= service.usual + DESCRIPTOR_SLACK)))
    faults.push(`${service.descriptors() - service.usual} descriptors were lost`);
  return faults;
}

async function settles(holds) {
  for (let tries = 0; tries < TRIES; tries += 1) {
    if (holds()) return true;
    await wait(50);
  }
  return holds();
}
