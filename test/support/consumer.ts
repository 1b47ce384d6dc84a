// A project that has installed lectern: the real tarball, unpacked, beside links to the packages it needs. Nothing is
// fetched. Code in it finds `lectern` and its entry points by name, as a user's does.

import { execFile, execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT: string = fileURLToPath(new URL('../..', import.meta.url));
const COMPILER: string = join(ROOT, 'node_modules/typescript/bin/tsc');
/** Where packages are installed. */
const INSTALLED: readonly string[] = [ROOT, join(ROOT, 'test/integrations')].map((folder) =>
  join(folder, 'node_modules'),
);

interface Manifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly exports: Readonly<
    Record<string, { readonly types?: string; readonly default?: string } | undefined>
  >;
}

/** Of the package. */
export const MANIFEST: Manifest = JSON.parse(
  readFileSync(join(ROOT, 'package.json'), 'utf8'),
  // All fields are in the file.
) as Manifest;

export interface Consumer {
  /** The project's folder. */
  readonly folder: string;
  /** The name of the tarball that was installed. */
  readonly tarball: string;
  /** Writes a file of the project. */
  write(path: string, text: string): string;
  /** What the compiler says against `files` (name to text) and all declarations they reach; empty where they compile. */
  compile(
    files: Readonly<Record<string, string>>,
    options?: Readonly<Record<string, unknown>>,
  ): Promise<string[]>;
  remove(): void;
}

/** Packs the compiled package and installs it with its dependencies and `packages`, and no optional peer that is not one. */
export function makeConsumer(packages: readonly string[] = []): Consumer {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-consumer-'));
  const modules = join(folder, 'node_modules');
  mkdirSync(modules);
  const packed = execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  const tarball = packed.trim();
  execFileSync('tar', ['-xzf', tarball, '-C', modules], { cwd: folder });
  renameSync(join(modules, 'package'), join(modules, 'lectern'));
  for (const name of new Set([...Object.keys(MANIFEST.dependencies), '@types/node', ...packages])) {
    const link = join(modules, name);
    mkdirSync(dirname(link), { recursive: true });
    const found = INSTALLED.map((place) => join(place, name)).find((path) => existsSync(path));
    if (found === undefined) throw new Error(`\`${name}\` is not installed.`);
    symlinkSync(found, link);
  }
  const write = (path: string, text: string): string => {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  write('package.json', '{ "type": "module" }\n');

  let compilations = 0;
  return {
    folder,
    tarball,
    write,
    async compile(files, options = {}) {
      compilations += 1;
      const place = `compiled-${compilations}`;
      for (const [name, text] of Object.entries(files)) write(join(place, name), text);
      const compilerOptions = {
        strict: true,
        skipLibCheck: false,
        noEmit: true,
        target: 'es2023',
        lib: ['es2023'],
        module: 'nodenext',
        types: ['node'],
        ...options,
      };
      write(join(place, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: Object.keys(files) }));
      const run = promisify(execFile)(process.execPath, [COMPILER, '-p', place, '--pretty', 'false'], {
        cwd: folder,
        maxBuffer: 2 ** 26,
      });
      try {
        await run;
        return [];
      } catch (error) {
        // What a program that fails wrote is in its error.
        const said = (error as { stdout?: string }).stdout ?? '';
        const lines = said.split('\n').filter((line) => /^\S/.test(line));
        if (lines.length === 0) throw error;
        return lines;
      }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
