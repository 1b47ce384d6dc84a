// What `lectern doctor` looks at: whether this machine can do what lectern needs, and how well.

import { stat, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { createTokenCounter } from '../index.ts';
import { confinement } from '../isolation/index.ts';
import { hasSimd } from '../scan/index.ts';
import { opensByDescriptor } from '../workspace/index.ts';
import type { Command } from './command.ts';
import { COMMON_OPTIONS } from './options.ts';
import { asJson } from './read-command.ts';
import { refuseWords } from './refuse-words.ts';

/** One thing looked at. */
interface Check {
  readonly ok: boolean;
  readonly what: string;
  readonly found: string;
}

const GIB = 2 ** 30;

/** Looks at what this installation stands on. */
async function examine(): Promise<Check[]> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const checks: Check[] = [
    {
      ok: major > 20 || (major === 20 && minor >= 19),
      what: 'Node.js',
      found: `${process.version} (20.19 or newer is needed)`,
    },
    {
      ok: true,
      what: 'scanner',
      found: hasSimd()
        ? 'WebAssembly SIMD'
        : 'plain JavaScript (no WebAssembly SIMD here: exact, but slower)',
    },
  ];
  const tokens = createTokenCounter().count('hello world');
  checks.push({
    ok: tokens === 2,
    what: 'token tables',
    found: tokens === 2 ? 'cl100k_base, o200k_base' : 'damaged',
  });
  try {
    const space = await statfs(tmpdir());
    const free = Number(space.bavail) * Number(space.bsize);
    const writable = (await stat(tmpdir())).isDirectory();
    checks.push({
      ok: writable && free > GIB / 8,
      what: 'temporary space',
      found: `${(free / GIB).toFixed(1)} GiB free`,
    });
  } catch {
    checks.push({ ok: false, what: 'temporary space', found: 'the temporary directory cannot be read' });
  }
  const raceSafe = opensByDescriptor();
  checks.push({
    ok: true,
    what: 'workspaces',
    found: raceSafe
      ? 'race-safe: files are opened component by component, by descriptor'
      : 'not race-safe: no /proc/self/fd here, so links in a workspace are refused',
  });
  const { network } = await confinement();
  checks.push({
    ok: true,
    what: 'isolation',
    found:
      network === 'removed'
        ? 'processes that read files have no network'
        : 'processes that read files can reach the network: namespaces cannot be made here',
  });
  return checks;
}

export const doctor: Command = {
  options: COMMON_OPTIONS,
  async run(words, values, terminal) {
    refuseWords('doctor', words);
    const checks = await examine();
    if (values['json'] === true) await terminal.out(asJson(checks));
    else
      await terminal.out(
        checks.map(({ ok, what, found }) => `${ok ? 'ok  ' : 'BAD '} ${what}: ${found}\n`).join(''),
      );
    return checks.every(({ ok }) => ok) ? 0 : 1;
  },
};
