// Runs the application of `app.ts` as hosts of lectern do.

import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Consumer, makeConsumer } from '../support/consumer.ts';
import { APP, FILES } from './app.ts';

const HERE: string = import.meta.dirname;
const MODULES: string = fileURLToPath(new URL('../../node_modules', import.meta.url));

/** A project with lectern, installed from its tarball, and the application; with links to `hosts`, its other packages. */
export function project(hosts: readonly string[] = []): Consumer {
  const consumer = makeConsumer();
  consumer.write('app.mjs', APP);
  for (const name of hosts)
    symlinkSync(join(HERE, 'node_modules', name), join(consumer.folder, 'node_modules', name));
  return consumer;
}

/** What a command prints on standard output. */
export async function printed(
  command: string,
  words: readonly string[],
  options: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv },
): Promise<string> {
  const { stdout } = await promisify(execFile)(command, words, { maxBuffer: 2 ** 26, ...options });
  return stdout;
}

/** What `app` reads, run by `program` (default: this Node.js). */
export async function readBy(
  app: string,
  cwd: string,
  program: readonly string[] = [process.execPath],
): Promise<unknown> {
  const [command = '', ...words] = program;
  return JSON.parse(await printed(command, [...words, app, ...FILES], { cwd }));
}

export interface Bundle {
  /** Of everything the bundler wrote. */
  readonly bytes: number;
  read(): Promise<unknown>;
  remove(): void;
}

/** Bundles the application and takes it where no package is installed but sharp, which is native. */
export async function bundled(
  from: Consumer,
  bundler: string,
  app: string,
  ...words: readonly string[]
): Promise<Bundle> {
  const out = join(from.folder, `out-${bundler}-${words.join('-')}`);
  const script = join(HERE, `${bundler}.mjs`);
  await printed(process.execPath, [script, from.folder, out, ...words], { cwd: from.folder });
  const place = mkdtempSync(join(tmpdir(), 'lectern-bundle-'));
  cpSync(out, place, { recursive: true });
  const bytes = readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
  mkdirSync(join(place, 'node_modules'));
  symlinkSync(join(MODULES, 'sharp'), join(place, 'node_modules/sharp'));
  return {
    bytes,
    read: () => readBy(join(place, app), place),
    remove: () => rmSync(place, { recursive: true, force: true }),
  };
}
