// Bundles the published program from the sources: one file for each entry point of the package and each program that it
// starts, and shared chunks, so that importing lectern loads few files. Packages stay imports.
//
// Comments are left out, and characters outside ASCII are escaped: V8 then keeps and parses a chunk at one byte a
// character. Names and lines are kept, for stack traces.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { ascii } from './ascii.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DIST = join(ROOT, 'dist');

/** Modules of `dist` that a manifest's targets name: `./dist/src/index.js` gives `src/index`. */
function modulesNamed(targets) {
  if (typeof targets === 'string')
    return targets.startsWith('./dist/') && targets.endsWith('.js') ? [targets.slice(7, -3)] : [];
  return Object.values(targets).flatMap(modulesNamed);
}

const { bin, exports, imports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const entries = [...new Set(modulesNamed([bin, exports, imports]))];

/** Functions of `node:crypto` that load it when they are called: an import of it takes 7 % of the time Node.js starts in. */
const CRYPTO = [
  'createCipheriv',
  'createDecipheriv',
  'createHash',
  'createHmac',
  'hash',
  'pbkdf2Sync',
  'randomBytes',
  'randomUUID',
  'timingSafeEqual',
];
// The function is kept as it is now: while pdf.js loads, `process` has another.
const LAZY_CRYPTO = `
const load = process.getBuiltinModule.bind(process);
${CRYPTO.map((name) => `export const ${name} = (...values) => load('node:crypto').${name}(...values);`).join('\n')}`;
const lazyCrypto = {
  name: 'lazy-crypto',
  resolveId: (id) => (id === 'node:crypto' ? 'lazy-crypto' : null),
  load: (id) => (id === 'lazy-crypto' ? LAZY_CRYPTO : null),
};

/** The chunks that entry points load at once: many small ones take longer to load than to run. */
const TOGETHER = [
  ['lectern', 'src/index.ts'],
  ['history', 'src/history/index.ts'],
  ['read', 'src/cli/run.ts', 'src/cli/read-command.ts'],
].map(([name, ...files]) => ({ name, files: files.map((file) => join(ROOT, file)) }));

/** Needed before the command's other code is compiled. */
const FIRST = join(ROOT, 'src/cache/place.ts');

/** Modules that `files` import, and those import, before anything runs. */
function imported(files, graph) {
  const reached = new Set(files);
  for (const id of reached) for (const next of graph.getModuleInfo(id)?.importedIds ?? []) reached.add(next);
  return reached;
}

let closures;
/** One name for each set of entry points that share a module. */
function chunkOf(id, graph) {
  if (id === FIRST) return 'cache-place';
  closures ??= TOGETHER.map(({ name, files }) => ({ name, modules: imported(files, graph) }));
  const names = closures.filter(({ modules }) => modules.has(id)).map(({ name }) => name);
  return names.length > 0 ? names.join('-') : null;
}

const inAscii = {
  name: 'ascii',
  generateBundle(_options, files) {
    for (const file of Object.values(files)) if (file.type === 'chunk') file.code = ascii(file.code);
  },
};

const bundle = await rolldown({
  input: Object.fromEntries(entries.map((name) => [name, join(ROOT, `${name}.ts`)])),
  platform: 'node',
  preserveEntrySignatures: 'allow-extension',
  // Commands share code of the command `read`.
  checks: { ineffectiveDynamicImport: false },
  plugins: [lazyCrypto, inAscii],
  external: (id) => !['lazy-crypto', 'node:crypto'].includes(id) && !id.startsWith('.') && !isAbsolute(id),
});
const { output } = await bundle.write({
  dir: DIST,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name]-[hash].js',
  codeSplitting: {
    includeDependenciesRecursively: false,
    groups: [{ name: chunkOf, debugName: 'together' }],
  },
  comments: { legal: true, annotation: true, jsdoc: false },
});
await bundle.close();

// What an earlier build left would be published.
const written = new Set(output.map(({ fileName }) => join(DIST, fileName)));
for (const folder of ['src', 'processors', 'chunks'])
  for (const entry of readdirSync(join(DIST, folder), { withFileTypes: true, recursive: true })) {
    const file = join(entry.parentPath, entry.name);
    if (entry.isFile() && /\.js(?:\.map)?$/.test(entry.name) && !written.has(file)) rmSync(file);
  }
