// Random documents of the mock format, read at once by several callers, each with the outcome it must have.

/** What a document does, and how its read must end; `weight` is its share. */
const KINDS = [
  { step: '', weight: 50, outcome: 'read' },
  { step: 'noise', weight: 5, outcome: 'read' },
  { step: 'heap', weight: 4, outcome: 'OUT_OF_MEMORY' },
  { step: 'buffers', weight: 3, outcome: 'OUT_OF_MEMORY' },
  { step: 'exit', weight: 5, outcome: 'CRASHED' },
  { step: 'abort', weight: 4, outcome: 'CRASHED' },
  { step: 'segv', weight: 4, outcome: 'CRASHED' },
  { step: 'garbage', weight: 4, outcome: 'CRASHED' },
  { step: 'lie', weight: 4, outcome: 'CRASHED' },
  { step: 'huge', weight: 3, outcome: 'CRASHED' },
  { step: 'throw', weight: 4, outcome: 'INTERNAL' },
  { step: 'overflow', weight: 4, outcome: 'INTERNAL' },
  { step: 'hang', weight: 3, outcome: 'TIMED_OUT' },
  { step: 'spin', weight: 3, outcome: 'TIMED_OUT' },
];

/** `count` documents; the same for the same seed. `calm` ones are all read. */
export function documents(count, seed, calm = false) {
  const total = KINDS.reduce((sum, { weight }) => sum + weight, 0);
  let state = seed;
  const random = () => {
    // mulberry32
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return Array.from({ length: count }, (_, index) => {
    const kind = calm ? KINDS[0] : pick(random() * total);
    const steps = [...(kind.step === '' ? [] : [kind.step]), `text document ${index}`];
    return { name: `${index}.mock`, steps, outcome: kind.outcome };
  });
}

/** The kind at `at` on a line on which each takes its weight. */
function pick(at) {
  let end = 0;
  for (const kind of KINDS) {
    end += kind.weight;
    if (at < end) return kind;
  }
  return KINDS[0];
}

/**
 * Reads the documents with `callers` at a time.
 * @returns {Promise<{ expected: Record<string, number>, counted: Record<string, number>, wrong: string[], times: number[] }>}
 * counts by outcome, the documents that ended otherwise, and the milliseconds of those that were read
 */
export async function readAll(reader, all, callers) {
  const expected = {};
  const counted = {};
  const wrong = [];
  const times = [];
  const queue = all.values();
  const caller = async () => {
    for (const { name, steps, outcome } of queue) {
      const started = performance.now();
      const answer = await reader.read({ name, bytes: Buffer.from(steps.join('\n')) });
      const ended = answer.success ? 'read' : answer.error.code;
      if (answer.success) times.push(performance.now() - started);
      expected[outcome] = (expected[outcome] ?? 0) + 1;
      counted[ended] = (counted[ended] ?? 0) + 1;
      if (ended !== outcome) wrong.push(`${name} (${steps[0]}): ${ended}`);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return { expected, counted, wrong, times };
}
