// `node test/bench/load.mjs`: a real `lectern serve` under the reads of many clients, on files of about 100 KB in several
// formats. Prints requests a second, percentiles, errors, and the memory of the service from minute to minute.

import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { packageOf } from '../hostile/package-file.mjs';

const HELP = `Usage: node test/bench/load.mjs [options]

  --clients N  requests under way at a time (default 16)
  --seconds N  how long (default 60)
  --warm N     seconds before it counts (default 5)
  --url URL    a service that runs already, in place of one of its own
`;

const { values } = parseArgs({
  options: {
    clients: { type: 'string', default: '16' },
    seconds: { type: 'string', default: '60' },
    warm: { type: 'string', default: '5' },
    url: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}

const CLI = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url));
const KILOBYTES = 100 * 1024;
const filled = (make) => {
  let text = '';
  for (let at = 0; text.length < KILOBYTES; at += 1) text += make(at);
  return text;
};

/** Each content is its own, so that a cache of conversions helps no more than in real use. */
const FILES = [
  {
    name: 'orders.csv',
    make: (id) =>
      `order,customer,amount\n${filled((at) => `${id}-${at},"Customer ${at % 97}",${at * 7}.50\n`)}`,
  },
  {
    name: 'service.log',
    make: (id) => filled((at) => `2026-01-01T00:00:00Z INFO request ${id} ${at} took ${at % 300} ms\n`),
  },
  {
    name: 'orders.json',
    make: (id) =>
      JSON.stringify(
        Array.from({ length: 1500 }, (_, at) => ({
          id: `${id}-${at}`,
          name: `Item ${at}`,
          price: at * 3,
          tags: ['a', 'b'],
        })),
      ),
  },
  {
    name: 'page.html',
    make: (id) =>
      `<!doctype html><title>${id}</title><h1>Page ${id}</h1>${filled((at) => `<p>Paragraph ${at} of a <b>page</b> with <a href="/x">a link</a>.</p>\n`)}`,
  },
  {
    name: 'guide.md',
    make: (id) =>
      `# Guide ${id}\n\n${filled((at) => `## Section ${at}\n\nSome text that is read by an agent, ${at}.\n\n`)}`,
  },
  {
    name: 'feed.xml',
    make: (id) =>
      `<?xml version="1.0"?><feed id="${id}">${filled((at) => `<entry n="${at}"><title>Entry ${at}</title></entry>\n`)}</feed>`,
  },
  { name: 'memo.docx', make: (id) => docx(id) },
];

function docx(id) {
  const body = filled((at) => `<w:p><w:r><w:t>Paragraph ${at} of memo ${id}.</w:t></w:r></w:p>`);
  return packageOf({
    '[Content_Types].xml':
      '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
    '_rels/.rels':
      '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>',
    'word/document.xml': `<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${body}</w:body></w:document>`,
  });
}

const folder = mkdtempSync(join(tmpdir(), 'lectern-load-'));
const service = values.url === undefined ? await serve() : { url: values.url };
const { hostname, port } = new URL(service.url);
const agent = new Agent({ keepAlive: true, maxSockets: Number(values.clients) });
const took = [];
const errors = new Map();
let sent = 0;
let counting = false;
let until = Number.POSITIVE_INFINITY;

function serve() {
  const child = spawn(
    process.execPath,
    [
      CLI,
      'serve',
      '--port',
      '0',
      '--data-dir',
      folder,
      '--quiet',
      '--requests-per-minute',
      '1000000000',
      '--request-burst',
      '1000000000',
    ],
    { stdio: ['ignore', 'inherit', 'pipe'] },
  );
  return new Promise((resolve, reject) => {
    let text = '';
    child.stderr.on('data', (piece) => {
      text += piece;
      const url = /listening on (\S+)/.exec(text)?.[1];
      if (url) resolve({ url, child });
    });
    child.once('exit', (code) => reject(new Error(`lectern serve ended with ${code}: ${text}`)));
  });
}

function read() {
  const { name, make } = FILES[sent % FILES.length];
  const body = Buffer.from(make(sent));
  sent += 1;
  const begun = performance.now();
  return new Promise((resolve) => {
    const done = (outcome) => {
      if (counting) {
        took.push(performance.now() - begun);
        if (outcome !== undefined) errors.set(outcome, (errors.get(outcome) ?? 0) + 1);
      }
      resolve();
    };
    const outgoing = request(
      {
        host: hostname,
        port,
        agent,
        method: 'POST',
        path: `/v1/read?name=${name}&maxTokens=2000`,
        headers: { 'content-length': body.length },
      },
      (incoming) => {
        incoming.resume();
        incoming.once('end', () =>
          done(incoming.statusCode === 200 ? undefined : `${name}: ${incoming.statusCode}`),
        );
        incoming.once('error', (error) => done(`${name}: ${error.message}`));
      },
    );
    outgoing.once('error', (error) => done(`${name}: ${error.message}`));
    outgoing.end(body);
  });
}

async function client() {
  while (performance.now() < until) await read();
}

/** Resident megabytes of the service alone, and with the processes that it started. */
function memory() {
  const { pid } = service.child ?? {};
  if (pid === undefined) return undefined;
  const own = residentOf(pid);
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && groupOf(name) === pid)
    .map(residentOf);
  return {
    own: Math.round(own / 1024),
    all: Math.round((own + children.reduce((sum, kilobytes) => sum + kilobytes, 0)) / 1024),
  };
}

function residentOf(pid) {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0; // it has ended
  }
}

function groupOf(pid) {
  try {
    return Number(/PPid:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return undefined;
  }
}

const running = Array.from({ length: Number(values.clients) }, client);
await new Promise((resolve) => setTimeout(resolve, Number(values.warm) * 1000));
counting = true;
const begun = performance.now();
until = begun + Number(values.seconds) * 1000;
const minutes = [memory()];
const minute = setInterval(() => minutes.push(memory()), Math.min(60, Number(values.seconds) / 4) * 1000);
await Promise.all(running);
clearInterval(minute);
const seconds = (performance.now() - begun) / 1000;
agent.destroy();
service.child?.kill('SIGTERM');
service.child?.removeAllListeners('exit');
if (service.child) await new Promise((resolve) => service.child.once('exit', resolve));
rmSync(folder, { recursive: true, force: true });

took.sort((one, other) => one - other);
const percentile = (share) => took[Math.min(took.length - 1, Math.floor(took.length * share))]?.toFixed(1);
console.log(
  `${values.clients} clients, ${seconds.toFixed(0)} s, files of 100 KB: ${FILES.map(({ name }) => name).join(', ')}`,
);
console.log(
  `requests/s ${(took.length / seconds).toFixed(1)}   p50 ${percentile(0.5)} ms   p99 ${percentile(0.99)} ms   most ${percentile(1)} ms`,
);
console.log(
  `errors ${[...errors.values()].reduce((sum, count) => sum + count, 0)} of ${took.length}${errors.size > 0 ? `: ${JSON.stringify([...errors])}` : ''}`,
);
console.log(
  `resident MB, service (with its children): ${minutes.map((one) => (one ? `${one.own} (${one.all})` : '?')).join('  ')}`,
);
process.exit(errors.size > 0 ? 1 : 0);
