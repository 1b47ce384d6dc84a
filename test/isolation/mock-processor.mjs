// A format whose files say what is to happen to the process that reads them: the hostile files of every kind in one.

import { Buffer } from 'node:buffer';
import { closeSync, writeFileSync, writeSync } from 'node:fs';
import { connect } from 'node:net';

/** Steps of a `.mock` file, one a line: `text WORDS`, `call SOCKET`, or the name of what happens. */
const STEPS = {
  hang: () => new Promise(() => {}),
  spin: () => {
    for (;;);
  },
  heap: () => {
    const held = [];
    for (;;) held.push(new Array(100_000).fill(held.length));
  },
  buffers: () => {
    const held = [];
    for (;;) held.push(Buffer.alloc(16 * 1024 * 1024, held.length));
  },
  throw: () => {
    throw new TypeError('a fault');
  },
  exit: () => process.exit(0),
  fail: () => process.exit(7),
  abort: () => process.abort(),
  segv: () => process.kill(process.pid, 'SIGSEGV'),
  kill: () => process.kill(process.pid, 'SIGKILL'),
  overflow: () => {
    const deeper = () => deeper() + 1;
    return deeper();
  },
  noise: () => {
    for (let index = 0; index < 1000; index += 1) console.log('noise', index);
    console.error('noise on standard error');
  },
  garbage: () => writeSync(3, Buffer.alloc(4096, 0xa5)),
  lie: () => writeSync(3, framed({ kind: 'part', part: { kind: 'text', text: 7 } })),
  forge: () => writeSync(3, framed({ kind: 'read', id: 0, position: -5, length: 1e15 })),
  huge: () => writeSync(3, Buffer.from([0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0])),
  close: () => {
    closeSync(3);
    return new Promise(() => setInterval(() => {}, 1000));
  },
  /** Questions without end. */
  flood: () => {
    const question = framed({ kind: 'get', id: 0, key: 'a.b' });
    for (;;) push(question);
  },
  deep: () => push(framedText(`{"kind":${'['.repeat(2_000_000)}${']'.repeat(2_000_000)}}`)),
  wide: () => push(framedText(`{"kind":[${'{},'.repeat(2_000_000)}{}]}`)),
  /** A question that is not one. */
  question: () => push(framed({ kind: 'put', id: 1e300, key: '../../outside' })),
  /** More answers than were asked for. */
  answers: () => {
    for (let index = 0; index < 1000; index += 1) push(framed({ kind: 'ended' }));
    return new Promise(() => {});
  },
  /** Holds more than half of the memory that tests allow. */
  hold: () => {
    globalThis.held = Buffer.alloc(900 * 1024 * 1024, 1);
  },
  litter: () => writeFileSync('left-behind', 'temporary'),
};

const framed = (value) => framedText(JSON.stringify(value));

function framedText(text) {
  const json = Buffer.from(text);
  const prefix = Buffer.alloc(8);
  prefix.writeUInt32LE(json.length, 0);
  return Buffer.concat([prefix, json]);
}

/** Writes all of it, however slowly the other end reads. */
function push(bytes) {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(3, bytes, at);
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
    }
  }
}

/** Sends the number of this process to a socket, and waits for the answer. The socket stays open as long as the process. */
export function call(path) {
  return new Promise((resolve, reject) => {
    const socket = connect({ path, allowHalfOpen: true }, () => socket.write(`${process.pid}\n`));
    socket.on('error', reject).on('end', resolve).resume();
  });
}

/** Steps that give parts themselves. */
const GIVERS = {
  async *drip() {
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      yield { kind: 'text', text: '', shown: [] };
    }
  },
  async *endless() {
    for (;;) yield { kind: 'text', text: '', shown: [] };
  },
  /** Lists and names as long as a message can hold. */
  async *extents() {
    const shown = Array.from({ length: 150_000 }, (_, at) => ({ unit: 'row', from: 2 * at, to: 2 * at }));
    yield { kind: 'text', text: 'most\n', shown };
  },
  async *position() {
    const position = Array.from({ length: 2000 }, (_, at) => at);
    yield { kind: 'text', text: 'most\n', shown: [], next: { position } };
  },
  async *wholes(context) {
    for (let at = 0; at < 120_000; at += 1) context.whole({ unit: 'row', of: 1, name: `table ${at}` });
    yield { kind: 'text', text: 'most\n', shown: [] };
  },
  async *names(context) {
    const name = 'n'.repeat(1_000_000);
    context.whole({ unit: 'row', of: 1, name });
    context.describe({ [name]: name });
    yield { kind: 'text', text: 'most\n', shown: [{ unit: 'row', from: 1, to: 1, name }] };
  },
  async *result() {
    yield { kind: 'text', text: 'x'.repeat(300_000_000), shown: [] };
  },
};

export const MOCK = {
  name: 'mock',
  fileType: 'text',
  extensions: ['.mock'],
  mimeTypes: ['application/x-mock'],
  selects: [],
  textual: false,
  matches: () => true,
  async *process(source, context) {
    const steps = Buffer.from(await source.bytes())
      .toString('utf8')
      .split('\n')
      .filter((line) => line !== '');
    const texts = steps.filter((step) => step.startsWith('text '));
    context.whole({ unit: 'line', of: texts.length });
    let line = context.selection.resume?.[0] ?? 0;
    let passed = 0;
    for (const step of steps) {
      if (!step.startsWith('text ')) {
        if (passed >= line) {
          await STEPS[step]?.();
          if (step.startsWith('call ')) await call(step.slice('call '.length));
          if (GIVERS[step]) yield* GIVERS[step](context);
        }
        continue;
      }
      passed += 1;
      if (passed <= line) continue;
      line = passed;
      yield {
        kind: 'text',
        text: `${step.slice('text '.length)}\n`,
        shown: [{ unit: 'line', from: line, to: line }],
        ...(line < texts.length && { next: { position: [line] } }),
      };
    }
  },
};
