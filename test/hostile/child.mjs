// One hostile case in a process of its own: reads as the case says, then a harmless file, and prints what happened as
// one line of JSON. Started by main.mjs, never by hand.

import {
  appendFileSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

const job = JSON.parse(process.argv[2] ?? '{}', (_, value) =>
  value?.piece === undefined ? value : value.piece.repeat(value.times),
);
const { dist, folder, request, action, pages, operation } = job;
const { createReader, createTokenCounter, createWorkspace } = await import(
  pathToFileURL(join(dist, 'src/index.js')).href
);

/** Connections tried by anything in this thread. */
let sockets = 0;
const { connect } = Socket.prototype;
Socket.prototype.connect = function counted(...given) {
  sockets++;
  return connect.apply(this, given);
};

const workspace = job.workspace ? createWorkspace({ root: folder }) : undefined;
const reader = createReader({
  environment: {},
  ...(workspace && { workspace }),
  ...(job.isolated && { isolation: 'process' }),
});
/** The most memory that any child has been seen with: of one that is gone nothing can be asked. */
let childPeak = 0;
const watch = setInterval(() => {
  for (const pid of readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').split(' ')) {
    if (pid === '') continue;
    try {
      childPeak = Math.max(childPeak, peakOf(pid));
    } catch {
      // It has ended since.
    }
  }
}, 20);
/** Not `resourceUsage().maxRSS`: that starts with what the parent has. */
const peakOf = (pid) =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
/** As the reader is asked for it. */
const named = (file) => (workspace ? relative(folder, file) : file);
const path = named(job.path);
const counter = createTokenCounter();
/** Open files and folders, without the pipes and events of a thread that waits for its next document. */
const openFiles = () =>
  readdirSync('/proc/self/fd').filter((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`).startsWith('/');
    } catch {
      return false; // the one that lists them
    }
  }).length;
const harmless = join(folder, 'harmless.txt');
writeFileSync(harmless, 'harmless\n');
await reader.read(named(harmless));
// What is loaded on first use may keep a descriptor; that is no leak.
await reader.read({ bytes: new Uint8Array(1), name: 'harmless.bin' });
// A child stands by from the second read on.
if (job.isolated) await settled();
const openBefore = openFiles();

/** Resolves when no child has been started or ended for a while. */
async function settled() {
  for (let same = 0, known = -1; same < 10; ) {
    await sleep(10);
    const now = openFiles();
    same = now === known ? same + 1 : 0;
    known = now;
  }
}

/** Does `befall` once the reader has the file open. */
function onceOpen(befall) {
  let waiting = true;
  const look = () => {
    if (!waiting) return;
    const open = readdirSync('/proc/self/fd').some((descriptor) => {
      try {
        return readlinkSync(`/proc/self/fd/${descriptor}`) === path;
      } catch {
        return false;
      }
    });
    if (open) befall();
    else setImmediate(look);
  };
  setImmediate(look);
  return () => {
    waiting = false;
  };
}

/** What befalls the file while it is read; returns how to stop it. */
function disturb() {
  switch (action) {
    case 'grow': {
      const timer = setInterval(() => appendFileSync(path, 'one more line\n'.repeat(1000)), 2);
      return () => clearInterval(timer);
    }
    case 'shrink':
      // Not at once: what is cut off before its size is known is a smaller file and nothing more.
      return onceOpen(() => setTimeout(() => truncateSync(path, 1 << 20), 10));
    case 'replace':
      writeFileSync(`${path}.new`, 'another file\n');
      return onceOpen(() => renameSync(`${path}.new`, path));
    case 'remove':
      return onceOpen(() => unlinkSync(path));
    default:
      return () => {};
  }
}

/** An operation of the workspace as if it were a read. */
async function answerOf([name, ...given]) {
  try {
    const answer = await workspace[name](...given);
    return {
      success: true,
      processor: name,
      content: [{ text: JSON.stringify(answer ?? null) }],
      warnings: [],
    };
  } catch ({ code, message, hint }) {
    return { success: false, error: { code, message, hint } };
  }
}

const results = [];
const start = performance.now();
const calm = disturb();
let first = 0;
if (operation) results.push(await answerOf(operation));
else if (action === 'inspect') results.push(await reader.inspect(path));
else {
  let asked = request;
  for (let page = 0; page < pages; page++) {
    const result = await reader.read(path, asked);
    results.push(result);
    if (page === 0) first = performance.now() - start;
    const next = result.success ? result.truncation?.next : undefined;
    if (!next) break;
    if (action === 'replace between pages') {
      writeFileSync(`${path}.new`, 'another file\n');
      renameSync(`${path}.new`, path);
    }
    asked = { cursor: next.cursor, ...(request.maxTokens !== undefined && { maxTokens: request.maxTokens }) };
  }
}
calm();
const milliseconds = performance.now() - start;
const after = await reader.read(named(harmless));
if (job.isolated) await settled();
const openAfter = openFiles();
clearInterval(watch);
await reader.close();
process.stdout.write(
  JSON.stringify({
    results,
    tokens: results.map((result) => (result.success && 'text' in result ? counter.count(result.text) : 0)),
    milliseconds,
    first,
    peak: peakOf('self'),
    childPeak,
    left: readdirSync(tmpdir()),
    harmless: after.success && after.text === 'harmless\n',
    sockets,
    run: '__hostile' in globalThis,
    leaked: openAfter - openBefore,
  }),
);
