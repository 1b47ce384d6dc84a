// Bundles `app.mjs` of a project with esbuild. Arguments: the project, the output folder, `cjs` or `esm`.

import { build } from 'esbuild';

const [, , project, outdir, format] = process.argv;
await build({
  absWorkingDir: project,
  entryPoints: ['app.mjs'],
  bundle: true,
  platform: 'node',
  target: 'node20',
  format,
  splitting: format === 'esm',
  outExtension: { '.js': format === 'esm' ? '.mjs' : '.cjs' },
  outdir,
  external: ['sharp'],
  logLevel: 'error',
});
