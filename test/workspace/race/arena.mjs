// A folder with another process in it that swaps a file or folder for a link while operations run, and what counts as a
// leak: a byte, name or size of the outside that is told, and anything outside that changes.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const ATTACKER = fileURLToPath(new URL('./attacker.py', import.meta.url));
const GOOD = 'GOOD canary\n';
const SECRET = 'SECRET';
const SECRET_NAME = 'secret-name';
const SECRET_BYTES = 7777;
const SECRET_SIZE = new RegExp(`\\b${SECRET_BYTES}\\b`);
const SECRET_TEXT = `${SECRET} canary `.padEnd(SECRET_BYTES, '.');

/**
 * What is swapped for what: `folder` is where operations look, inside the root; the link leads to where a folder of the
 * same shape lies.
 */
export const VARIANTS = [
  { name: 'absolute', folder: 'd', swap: ['d', 'evil'], link: (outside) => outside },
  { name: 'above', folder: 'd', swap: ['d', 'evil'], link: () => '../outside' },
  { name: 'inside', folder: 'd', swap: ['d', 'evil'], link: () => 'inner' },
  // Where the root is mounted in a sandbox, there is another folder on the host: the link must not be followed as is.
  { name: 'mounted', folder: 'd', swap: ['d', 'evil'], link: (_, mount) => `${mount}/inner` },
  { name: 'parent', folder: 'p/d/e', swap: ['p/d', 'p/evil'], link: () => '../../outside' },
  { name: 'pipe', folder: 'd', swap: ['d/f', 'd/link'], pipe: true },
  { name: 'file', folder: 'd', swap: ['d/f', 'd/link'], link: () => '../../outside/f' },
];

/** The attack's folders under `base`, which is there and empty. `mount` is what sandboxes would see the root as. */
export function createArena(base, variant, mount = '/workspace') {
  const outside = join(base, 'outside');
  const root = join(base, 'root');
  const fill = (folder, text, named) => {
    for (const at of [folder, join(folder, 'e')]) {
      mkdirSync(at, { recursive: true });
      writeFileSync(join(at, 'f'), text);
      if (named !== undefined) writeFileSync(join(at, named), text);
    }
  };
  const fillOutside = () => {
    fill(outside, SECRET_TEXT, SECRET_NAME);
    fill(join(outside, 'inner'), SECRET_TEXT, SECRET_NAME);
  };
  fillOutside();
  fill(join(root, 'inner'), GOOD);
  fill(join(root, 'd'), GOOD);
  fill(join(root, 'p/d'), GOOD);
  const [swapped, link] = variant.swap.map((path) => join(root, path));
  const plant = (path) => {
    if (variant.pipe) execFileSync('mkfifo', [join(realpathSync(dirname(path)), basename(path))]);
    else symlinkSync(variant.link(outside, mount), path);
  };
  plant(link);
  writeFileSync(join(root, 'plain'), GOOD);

  const swapsFile = variant.swap[0] === `${variant.folder}/f`;

  // Descriptors lead to the same folders whatever name they have at the moment.
  const homes = [...new Set([variant.folder, variant.folder.replace(/^(p\/)?d/, 'inner')])].map((path) =>
    openSync(join(root, path), constants.O_RDONLY | constants.O_DIRECTORY),
  );
  let before = stateOf(outside);
  return {
    root,
    outside,
    swap: [swapped, link],
    /** True once for whatever changed outside since it was asked last; makes the outside as it was. */
    outsideChanged() {
      if (stateOf(outside) === before) return false;
      rmSync(outside, { recursive: true, force: true });
      fillOutside();
      before = stateOf(outside);
      return true;
    },
    /** Puts back what an operation took away inside. */
    restore() {
      for (const home of homes) {
        const at = `/proc/self/fd/${home}`;
        rmSync(join(at, 'in'), { force: true });
        // Where one of the two that are swapped is gone, nothing is swapped until both are there.
        const file = join(at, 'f');
        const other = join(at, 'link');
        if (!exists(file)) {
          if (swapsFile && isFile(other)) plant(file);
          else writeFileSync(file, GOOD);
        } else if (swapsFile && exists(other)) {
          const files = regularOf(file, other);
          const spare = join(at, 'spare');
          if (files === 2) {
            plant(spare);
            renameSync(spare, other);
          } else if (files === 0) {
            writeFileSync(spare, GOOD);
            renameSync(spare, file);
          }
        }
      }
      const plain = join(root, 'plain');
      if (!exists(plain)) writeFileSync(plain, GOOD);
      rmSync(join(root, 'moved'), { force: true });
    },
    close() {
      for (const home of homes) closeSync(home);
    },
  };
}

/** Names, inodes, sizes, times and number of links of everything in a folder: reading it changes none of them. */
function stateOf(folder) {
  const { ino, mtimeNs } = lstatSync(folder, { bigint: true });
  const lines = [`${ino} ${mtimeNs}`];
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) lines.push(entry.name, stateOf(path));
    else {
      const stats = lstatSync(path, { bigint: true });
      lines.push(`${entry.name} ${stats.ino} ${stats.size} ${stats.ctimeNs} ${stats.nlink}`);
    }
  }
  return lines.join('\n');
}

/** How many of the two are files, where several looks agree: a swap between two looks makes one count double. */
function regularOf(first, second) {
  const count = () => [first, second].filter(isFile).length;
  const files = count();
  for (let look = 0; look < 8; look++) if (count() !== files) return 1;
  return files;
}

function isFile(path) {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function exists(path) {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Starts swapping; `stop` ends it and says how often it swapped. */
export async function startAttacker([first, second]) {
  const attacker = spawn('python3', [ATTACKER, first, second], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(attacker, 'close');
  const lines = createInterface({ input: attacker.stdout })[Symbol.asyncIterator]();
  const { value } = await lines.next();
  if (value !== 'ready') throw new Error('the attacker did not start');
  return {
    async stop() {
      attacker.kill('SIGTERM');
      const { value: swaps } = await lines.next();
      await ended;
      return Number(swaps);
    },
  };
}

/** What can be attacked: the name of a contestant's method, what is asked of it, and whether it changes anything. */
export const OPERATIONS = [
  { name: 'read', run: (one, folder) => one.read(`${folder}/f`) },
  { name: 'readerRead', run: (one, folder) => one.readerRead(`${folder}/f`) },
  { name: 'write', changes: true, run: writeOf('write') },
  { name: 'list', run: (one, folder, turn) => one.list(turn % 2 === 0 ? folder : '') },
  {
    name: 'glob',
    run: (one, folder, turn) => one.glob(turn % 2 === 0 ? `${folder}/*` : `**/${SECRET_NAME}*`),
  },
  { name: 'search', run: (one, folder, turn) => one.search('canary', turn % 2 === 0 ? folder : '') },
  { name: 'stat', run: (one, folder) => one.stat(`${folder}/f`) },
  { name: 'remove', changes: true, run: (one, folder) => one.remove(`${folder}/f`) },
  {
    name: 'move',
    changes: true,
    run: (one, folder, turn) =>
      turn % 2 === 0 ? one.move(`${folder}/f`, 'moved') : one.move('plain', `${folder}/in`),
  },
  { name: 'saveResult', changes: true, run: writeOf('saveResult') },
];

/** New names and the name of a file that is there, in turn. */
function writeOf(method) {
  return (one, folder, turn) => one[method](`${folder}/${turn % 2 === 0 ? 'f' : `new${turn % 50}`}`, GOOD);
}

/**
 * Runs one operation against one arena under attack for so many milliseconds. An answer is good, a throw refused; what
 * tells or changes the outside is leaked, whichever it is.
 */
export async function attack(contestant, operation, arena, folder, milliseconds) {
  const attacker = await startAttacker(arena.swap);
  const codes = {};
  let good = 0;
  let refused = 0;
  let leaked = 0;
  let told = '';
  const until = performance.now() + milliseconds;
  let swaps = 0;
  try {
    for (let turn = 0; performance.now() < until; turn++) {
      let leak = false;
      try {
        const answer = await operation.run(contestant, folder, turn);
        leak = tells(answer);
        if (!leak) good++;
      } catch (error) {
        refused++;
        const code = error.code ?? error.name;
        codes[code] = (codes[code] ?? 0) + 1;
        if (`${error.message} ${error.hint}`.includes(arena.root)) told = error.message;
      }
      if (arena.outsideChanged()) leak = true;
      if (leak) leaked++;
      if (operation.changes) arena.restore();
    }
  } finally {
    swaps = await attacker.stop();
  }
  return { good, refused, leaked, codes, told, swaps };
}

function tells(answer) {
  const text = typeof answer === 'string' ? answer : JSON.stringify(answer ?? null);
  return text.includes(SECRET) || text.includes(SECRET_NAME) || SECRET_SIZE.test(text);
}

/** A workspace, and what reads its files, as something to attack. */
export function contestantOf(workspace, reader) {
  const read = async (path) => {
    const { handle } = await workspace.open(path);
    try {
      return await handle.readFile('utf8');
    } finally {
      await handle.close();
    }
  };
  return {
    read,
    async readerRead(path) {
      const result = await reader.read(path);
      if (!result.success) throw result.error;
      return result;
    },
    write: (path, text) => workspace.write(path, text, { overwrite: true }),
    list: (path) => workspace.list(path, { depth: 5 }),
    glob: (pattern) => workspace.glob(pattern),
    search: (query, path) => workspace.search(query, { path, ignore: false }),
    stat: (path) => workspace.stat(path),
    remove: (path) => workspace.remove(path),
    move: (from, to) => workspace.move(from, to, { overwrite: true }),
    saveResult: (name, text) => workspace.saveResult(text, { name, overwrite: true, format: 'text' }),
  };
}
