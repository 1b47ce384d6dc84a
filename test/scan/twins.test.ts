// The SIMD kernel and its scalar twin agree on every input, however it is cut into pieces, well-formed or not.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Kernel, openKernel, type Pass, scalarKernel } from '../../src/scan/kernel.ts';
import { nestedStart, recordStart } from '../../src/scan/state.ts';
import { draws } from '../support/draws.ts';

const simd = openKernel();
const scalar = scalarKernel();
const START = 64;

const text = (...pieces: string[]): fc.Arbitrary<Uint8Array> =>
  fc
    .array(fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...pieces) }, fc.constant('x'.repeat(17))), {
      maxLength: 120,
    })
    .map((words) => Buffer.from(words.join('')));

const TABLES = text('"', '""', ',', '\n', '\r\n', '\n\n', '\r', 'a', 'bc', '\xff', '\n\r\n', '",', ',"');
const JSONS = text(
  '"',
  '\\',
  '\\\\',
  '\\"',
  '[',
  ']',
  '{',
  '}',
  ',',
  ':',
  ' ',
  '\n',
  'ab',
  '",',
  '[[',
  '\x5b\x3b',
);
const XMLS = text(
  '<a>',
  '</a>',
  '</a "b>',
  "</c 'd/>",
  '<b/>',
  '<c d="e>f">',
  '<c d=\'e\' f="g"/>',
  '<!-- x -->',
  '<![CDATA[>]]>',
  '<?p ?>',
  'text',
  '>',
  '/>',
  '<',
  '/',
  '"',
  "'",
  '<!D>',
  '</',
  '--',
  ']]',
  '?',
  '!',
);

interface Outcome {
  readonly stopped: number;
  readonly state: number[];
}

/** Runs over `bytes` cut at `cuts`, stopping where the container ends. */
function outcome(
  kernel: Kernel,
  pass: Pass,
  start: Float64Array,
  bytes: Uint8Array,
  cuts: number[],
): Outcome {
  kernel.state.set(start);
  const borders = [...new Set([0, ...cuts.map((cut) => Math.min(cut, bytes.length)), bytes.length])];
  borders.sort((a, b) => a - b);
  for (const [index, from] of borders.entries()) {
    const to = borders[index + 1];
    if (to === undefined) break;
    // What lies around a piece must not matter.
    kernel.input.fill(index % 2 ? 0x3c : 0x22, START - 1, START + to - from + 80);
    kernel.input.set(bytes.subarray(from, to), START);
    const stopped = kernel.run(pass, START, START + to - from);
    if (stopped >= 0) return { stopped: stopped - START + from, state: [...kernel.state] };
  }
  return { stopped: -1, state: [...kernel.state] };
}

function agree(pass: Pass, start: Float64Array, bytes: Uint8Array, cuts: number[]): void {
  expect(outcome(simd, pass, start, bytes, cuts)).toEqual(outcome(scalar, pass, start, bytes, cuts));
}

/** The same at the end, whatever the cuts; where a piece ends is no part of it. */
function agreeWhole(pass: Pass, start: Float64Array, bytes: Uint8Array, cuts: number[]): void {
  const whole = outcome(scalar, pass, start, bytes, []);
  const cut = outcome(simd, pass, start, bytes, cuts);
  expect({ ...cut, state: cut.state.slice(0, 10) }).toEqual({ ...whole, state: whole.state.slice(0, 10) });
}

const CUTS = fc.array(fc.nat(600), { maxLength: 4 });
const DIALECTS = [
  { newline: 10 },
  { newline: 10, quote: 34 },
  { newline: 10, quote: 34, delimiter: 44 },
  { newline: 13, quote: 34, delimiter: 44 },
  { newline: 10, quote: 255, delimiter: 0 },
];
const CASES: [string, Pass, Float64Array[], fc.Arbitrary<Uint8Array>][] = [
  ['lines', 'lines', [recordStart({ newline: 10 }), recordStart({ newline: 13 })], TABLES],
  ['records', 'records', DIALECTS.map((dialect) => recordStart(dialect)), TABLES],
  ['JSON', 'json', [nestedStart()], JSONS],
  ['XML', 'xml', [nestedStart()], XMLS],
];

it('measures SIMD, not the twin against itself', () => {
  expect(simd.simd).toBe(true);
  expect(scalar.simd).toBe(false);
});

describe.each(CASES)('%s', (_name, pass, starts, inputs) => {
  it('agrees on random input, in pieces', () => {
    for (const start of starts)
      fc.assert(
        fc.property(inputs, CUTS, (bytes, cuts) => {
          agree(pass, start, bytes, cuts);
          agreeWhole(pass, start, bytes, cuts);
        }),
        { numRuns: draws(1500) },
      );
  });

  it('agrees on random bytes', () => {
    for (const start of starts)
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 400 }), CUTS, (bytes, cuts) =>
          agree(pass, start, bytes, cuts),
        ),
        { numRuns: draws(200) },
      );
  });

  it('agrees on every cut in two, and byte by byte', () => {
    const [start] = starts;
    if (!start) throw new Error('a case without a start');
    for (const bytes of fc.sample(inputs, { numRuns: 12, seed: 7 })) {
      const most = bytes.subarray(0, 260);
      for (let cut = 0; cut <= most.length; cut++) agreeWhole(pass, start, most, [cut]);
      agreeWhole(pass, start, most, [...most.keys()]);
    }
  });

  it('agrees on a container that stays open deep down', () => {
    const [start] = starts;
    if (!start || pass === 'lines' || pass === 'records') return;
    for (const depth of [2, 3, 40]) {
      const deep = start.slice();
      deep[0] = depth;
      deep[4] = depth;
      fc.assert(
        fc.property(inputs, CUTS, (bytes, cuts) => agree(pass, deep, bytes, cuts)),
        { numRuns: draws(400) },
      );
    }
  });

  it('agrees on lengths around 16 and 64 bytes', () => {
    for (const start of starts)
      for (const length of [0, 1, 15, 16, 17, 31, 48, 63, 64, 65, 127, 128, 129, 191, 192, 193])
        for (const bytes of fc.sample(inputs, { numRuns: 20, seed: length + 1 })) {
          const exact = new Uint8Array(length).fill(0x20);
          exact.set(bytes.subarray(0, length), Math.max(0, length - bytes.length));
          agree(pass, start, exact, []);
        }
  });
});

describe('escapes', () => {
  it('agree on every run of backslashes before a quote, at every offset in a block', () => {
    for (let run = 0; run <= 70; run++)
      for (const offset of [0, 1, 30, 62, 63, 64, 65]) {
        const bytes = Buffer.from(`${' '.repeat(offset)}"${'\\'.repeat(run)}",[],"]" ]`);
        agree('json', nestedStart(), bytes, [offset + 1, offset + run]);
        agree('json', nestedStart(), bytes, []);
      }
  });
});

describe('counters', () => {
  it('hold more than 255 newlines in one of sixteen lanes', () => {
    const bytes = new Uint8Array(100_000).fill(10);
    simd.state.set(recordStart({ newline: 10 }));
    simd.input.set(bytes, START);
    simd.run('lines', START, START + bytes.length);
    expect(simd.state[4]).toBe(100_000);
  });
});
