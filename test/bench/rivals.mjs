// Installs packages that are raced against and are no dependencies of lectern, into a folder of their own.

import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The packages, each as `name@version`, are in `folder/node_modules` when this resolves. Runs no install scripts.
 * @param {string} folder
 * @param {readonly string[]} packages
 * @returns {Promise<void>}
 */
export async function installed(folder, packages) {
  const names = packages.map((spec) => spec.slice(0, spec.lastIndexOf('@')));
  if (names.every((name) => existsSync(join(folder, 'node_modules', name)))) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  await new Promise((resolve, reject) => {
    const words = ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', ...packages];
    execFile('npm', words, { cwd: folder, timeout: 180_000 }, (error, _out, err) =>
      error ? reject(new Error(`npm install failed: ${err.slice(0, 300) || error.message}`)) : resolve(),
    );
  });
}
