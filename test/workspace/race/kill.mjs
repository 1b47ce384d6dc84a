// `node test/workspace/race/kill.mjs [rounds]`: kills a process that writes files at some instant, again and again, and
// looks at what it left. Runs what was built (`dist`).

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createWorkspace } from '../../../dist/src/index.js';

const WRITER = fileURLToPath(new URL('./writer.mjs', import.meta.url));
/** From the first file that is written; several files are written in it. */
const MAX_MILLISECONDS = 40;

/**
 * Kills the writer `rounds` times. Whole and broken files of the workspace, names that are no file's, what is left where
 * files are staged after each round at most, and after one more write.
 */
export async function killWriters(dataDir, rounds) {
  let left = 0;
  for (let round = 0; round < rounds; round++) {
    const writer = spawn(process.execPath, [WRITER, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(writer, 'exit');
    await once(writer.stdout, 'data');
    await new Promise((done) => setTimeout(done, (round * MAX_MILLISECONDS) / rounds));
    writer.kill('SIGKILL');
    await ended;
    left = Math.max(left, filesBelow(join(dataDir, 'workspaces', '_staging')).length);
  }
  const files = filesBelow(join(dataDir, 'workspaces', 'u', 's'));
  const isNamed = (path) => /^[0-9a-f]{64}$/.test(basename(path));
  const isWhole = (path) => createHash('sha256').update(readFileSync(path)).digest('hex') === basename(path);
  await createWorkspace({ dataDir, user: 'u', session: 's' }).write('last.txt', 'last\n');
  return {
    whole: files.filter((path) => isNamed(path) && isWhole(path)).length,
    broken: files.filter((path) => isNamed(path) && !isWhole(path)).length,
    other: files.filter((path) => !isNamed(path)),
    left,
    leftAfter: filesBelow(join(dataDir, 'workspaces', '_staging')).length,
  };
}

function filesBelow(folder) {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name));
  } catch {
    return [];
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const dataDir = mkdtempSync(join(tmpdir(), 'lectern-kill-'));
  try {
    console.log(JSON.stringify(await killWriters(dataDir, Number(process.argv[2] ?? 100))));
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}
