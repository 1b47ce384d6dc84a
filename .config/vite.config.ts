// Builds the playground: one page with hashed files beside it, and the manifest that names them.

import { fileURLToPath } from 'node:url';
import { defineConfig, type UserConfig } from 'vite';

const config: UserConfig = defineConfig({
  root: fileURLToPath(new URL('../src/service/playground/page', import.meta.url)),
  // Relative, so that the page also works below a path of a reverse proxy.
  base: './',
  publicDir: false,
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: fileURLToPath(new URL('../dist/playground', import.meta.url)),
    emptyOutDir: true,
    manifest: 'manifest.json',
    modulePreload: false,
    target: 'es2023',
    // Inlined assets would need `data:` in the content security policy.
    assetsInlineLimit: 0,
  },
});

export default config;
