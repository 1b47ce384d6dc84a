// A child process that reads files of the mock format, from the build.

import { Socket } from 'node:net';
import { Channel } from '../../dist/modules/src/isolation/index.js';
import { serveReads } from '../../dist/modules/src/reader/isolated/serve.js';
import { call, MOCK } from './mock-processor.mjs';

let prepared = false;
const mock = {
  ...MOCK,
  prepare: async () => {
    prepared = true;
  },
};
await serveReads([mock], new Channel(new Socket({ fd: 3 })), {
  state: async () => ({ output: { pid: process.pid, prepared } }),
  call: async (path) => {
    await call(path);
    return { output: 'called' };
  },
});
