// A child process that reads files of the mock format, from the build.

import { Socket } from 'node:net';
import { createContentMap } from '../../dist/modules/src/contract/index.js';
import { Channel } from '../../dist/modules/src/isolation/index.js';
import { serveReads } from '../../dist/modules/src/reader/isolated/serve.js';
import { call, MOCK } from './mock-processor.mjs';

let prepared = false;
const read = createContentMap({ most: 10 });
const mock = {
  ...MOCK,
  process: (source, context) => {
    read.set(source.name, true);
    return MOCK.process(source, context);
  },
  prepare: async () => {
    prepared = true;
  },
};
await serveReads([mock], new Channel(new Socket({ fd: 3 })), {
  state: async () => ({ output: { pid: process.pid, prepared, read: [...read.keys()] } }),
  call: async (path) => {
    await call(path);
    return { output: 'called' };
  },
});
