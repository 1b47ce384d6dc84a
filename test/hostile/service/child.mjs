// The service in a process of its own, with a pace that a test can wait for. Sends its address to its parent; ends as
// `lectern serve` does on SIGTERM. Started by process.mjs, never by hand.

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const { dist, dataDir, limits, pace, environment } = JSON.parse(process.argv[2] ?? '{}');
const { startService } = await import(pathToFileURL(join(dist, 'modules/src/service/service.js')).href);

const service = await startService({ port: 0, dataDir, limits, environment }, pace);
process.send?.({ url: service.url });
// Its parent was killed: nobody else would end it.
process.once('disconnect', () => process.exit(1));
process.once('SIGTERM', () => {
  process.once('SIGTERM', () => process.exit(1));
  void service.close().then(() => process.exit(0));
});
