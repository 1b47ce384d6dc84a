// Builds `app.mjs` of a project with Vite for the server, every package in it. Arguments: the project, the output folder.

import { build } from 'vite';

const [, , root, outDir] = process.argv;
await build({
  root,
  logLevel: 'error',
  build: {
    ssr: 'app.mjs',
    outDir,
    target: 'node20',
    rolldownOptions: { output: { entryFileNames: 'app.mjs' } },
  },
  ssr: { noExternal: true, external: ['sharp'] },
});
