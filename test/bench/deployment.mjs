// What lectern costs before it works: the start of the command, imports, and, with `--install`, what an installation of
// the packed tarball and `npm ci` of this package weigh. `node test/bench/deployment.mjs [--dist DIR] [--runs N] [--install]`

import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const { values } = parseArgs({
  options: {
    dist: { type: 'string', default: join(ROOT, 'dist') },
    runs: { type: 'string', default: '31' },
    install: { type: 'boolean', default: false },
  },
});
const dist = resolve(values.dist);
const folder = mkdtempSync(join(tmpdir(), 'lectern-deployment-'));

/** The CPU time of every child so far, in milliseconds: `times` of the shell counts those it waited for. */
function measured(words) {
  const script = '"$0" "$@" >/dev/null 2>&1 || exit 1; times';
  const started = performance.now();
  const { status, stdout } = spawnSync('/bin/sh', ['-c', script, process.execPath, ...words], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`failed: ${words.join(' ')}`);
  const wall = performance.now() - started;
  const ofChildren = stdout.trim().split('\n').at(-1) ?? '';
  const cpu = [...ofChildren.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + (Number(minutes) * 60 + Number(seconds)) * 1000,
    0,
  );
  return { wall, cpu };
}

/** The first quarter: what others do on the machine only ever adds. */
function quarter(numbers) {
  return numbers.slice().sort((a, b) => a - b)[Math.floor(numbers.length / 4)];
}

function startUp() {
  const text = join(folder, 'small.txt');
  writeFileSync(text, 'One line.\n');
  const empty = join(folder, 'empty.mjs');
  writeFileSync(empty, '');
  const cases = {
    'node -e 0': ['-e', '0'],
    'an empty module': [empty],
    'lectern read small.txt': [join(dist, 'src/cli/main.js'), 'read', text],
    "import 'lectern'": [join(dist, 'src/index.js')],
    "import 'lectern/history'": [join(dist, 'src/history/index.js')],
  };
  const samples = Object.fromEntries(Object.keys(cases).map((name) => [name, []]));
  // In turns: a machine that is busy for a while is busy for all of them.
  for (let turn = 0; turn < Number(values.runs); turn++)
    for (const [name, words] of Object.entries(cases)) samples[name].push(measured(words));
  const figures = Object.entries(samples).map(([name, list]) => ({
    name,
    wall: quarter(list.map(({ wall }) => wall)),
    cpu: quarter(list.map(({ cpu }) => cpu)),
  }));
  const [first] = figures;
  console.log(`Start-up on Node.js ${process.version}, first quarter of ${values.runs} runs`);
  for (const { name, wall, cpu } of figures)
    console.log(
      `  ${name.padEnd(26)} ${wall.toFixed(0)} ms (+${(wall - first.wall).toFixed(0)}), CPU ${cpu.toFixed(0)} ms (${(cpu / first.cpu).toFixed(2)}x)`,
    );
}

/** Packages below `node_modules`, and their bytes. */
function weight(modules) {
  let bytes = 0;
  let packages = 0;
  for (const entry of readdirSync(modules, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    bytes += statSync(join(entry.parentPath, entry.name)).size;
    if (entry.name === 'package.json' && /node_modules\/(?:@[^/]+\/)?[^/]+$/.test(entry.parentPath))
      packages += 1;
  }
  return `${packages} packages, ${(bytes / 1e6).toFixed(0)} MB`;
}

function npm(cwd, ...words) {
  const started = performance.now();
  const { status, stderr } = spawnSync('npm', words, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  const warnings = stderr.split('\n').filter((line) => line.includes('npm warn')).length;
  return `${((performance.now() - started) / 1000).toFixed(0)} s, ${warnings} lines of warnings`;
}

function installations() {
  const tarball = execFileSync(
    'npm',
    ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder],
    { cwd: ROOT, encoding: 'utf8' },
  ).trim();
  const user = mkdtempSync(join(folder, 'user-'));
  writeFileSync(join(user, 'package.json'), '{ "private": true }\n');
  const told = npm(user, 'install', join(folder, tarball), '--no-audit', '--no-fund');
  console.log(
    `The tarball: ${(statSync(join(folder, tarball)).size / 1e6).toFixed(1)} MB; installed: ${weight(join(user, 'node_modules'))}, ${told}`,
  );
  const clone = mkdtempSync(join(folder, 'clone-'));
  for (const name of ['package.json', 'package-lock.json']) cpSync(join(ROOT, name), join(clone, name));
  const ci = npm(clone, 'ci', '--ignore-scripts');
  console.log(`npm ci, without the build: ${weight(join(clone, 'node_modules'))}, ${ci}`);
}

try {
  startUp();
  if (values.install) installations();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
