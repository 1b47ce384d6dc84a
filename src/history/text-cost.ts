// What a text costs by the classes of its characters: a small automaton that knows words, numbers, runs and base64-like
// noise, and a weight for each of its steps. It has no vocabulary, so it is an estimate at best.

/** Steps that have a weight of their own; the sum over all characters is the cost of a text. */
export const STEPS = [
  /** A word's first letter, lower or upper case. */
  'lowerFirst',
  'upperFirst',
  /** Letters 2 to 5, 6 to 9 and all after them. */
  'lowerSoon',
  'lowerLate',
  'lowerLong',
  /** A capital after a capital. */
  'upperNext',
  /** Digits 1, 4, 7 and so on of a number, and those between. */
  'digitFirst',
  'digitNext',
  /** Letters and digits where short runs of them take turns: base64, hashes, minified names. */
  'noise',
  'spaceFirst',
  'spaceSecond',
  'spaceNext',
  'tabFirst',
  'tabNext',
  'breakFirst',
  'breakNext',
  'markFirst',
  'markSoon',
  'markLong',
  /** Latin beyond ASCII, Cyrillic. */
  'alphabetFirst',
  'alphabetNext',
  /** Greek, Hebrew, Arabic, Indic, Thai and their like. */
  'scriptFirst',
  'scriptNext',
  'cjk',
  /** Half of a surrogate pair: emoji, mostly. */
  'half',
  'symbolFirst',
  'symbolNext',
] as const;

export type Step = (typeof STEPS)[number];

/** Weights are thousandths of a token. */
export const scale = 1000;

/** Thousandths of a token for each step. */
export type Weights = Readonly<Record<Step, number>>;

type Profile = 'anthropic' | 'openai' | 'gemini' | 'conservative';

const OPENAI: Weights = {
  lowerFirst: 700,
  upperFirst: 850,
  lowerSoon: 50,
  lowerLate: 120,
  lowerLong: 250,
  upperNext: 350,
  digitFirst: 1000,
  digitNext: 30,
  noise: 680,
  spaceFirst: 20,
  spaceSecond: 800,
  spaceNext: 10,
  tabFirst: 500,
  tabNext: 100,
  breakFirst: 600,
  breakNext: 100,
  markFirst: 800,
  markSoon: 300,
  markLong: 150,
  alphabetFirst: 800,
  alphabetNext: 250,
  scriptFirst: 800,
  scriptNext: 450,
  cjk: 850,
  half: 1200,
  symbolFirst: 1200,
  symbolNext: 700,
};

const times = (weights: Weights, factor: number): Weights => {
  const scaled: Record<Step, number> = { ...weights };
  for (const name of STEPS) scaled[name] = Math.ceil(weights[name] * factor);
  return scaled;
};

const WEIGHTS: Readonly<Record<Profile, Weights>> = {
  anthropic: times(OPENAI, 1.3),
  openai: OPENAI,
  gemini: times(OPENAI, 1.2),
  conservative: times(OPENAI, 1.4),
};

const LOWER = 0;
const UPPER = 1;
const DIGIT = 2;
const SPACE = 3;
const TAB = 4;
const BREAK = 5;
const MARK = 6;
const ALPHABET = 7;
const SCRIPT = 8;
const CJK = 9;
const HALF = 10;
const SYMBOL = 11;
const CLASSES = 12;

/** Runs are told apart up to this length. */
const LONGEST = 10;
/** Short runs of letters and digits in a row, from none to many. */
const NOISES = 4;
/** From here on it is noise: three runs of at most 3 characters without a longer one. */
const NOISY = 3;
const SHORT_RUN = 3;
const CALM_RUN = 5;

/** A state is what went before: its class, the length of its run, and how noisy it was; the last one is "nothing". */
const STATES = CLASSES * LONGEST * NOISES + 1;
/** Steps are looked up by `state << SHIFT | class`, and states are kept shifted. */
const SHIFT = 4;

const isWord = (kind: number): boolean => kind === LOWER || kind === UPPER || kind === DIGIT;

function stateOf(kind: number, run: number, noise: number): number {
  return ((kind * LONGEST + run - 1) * NOISES + noise) << SHIFT;
}

const START = (STATES - 1) << SHIFT;

function stepName(kind: number, run: number, noise: number): Step {
  if (isWord(kind) && noise >= NOISY) return 'noise';
  switch (kind) {
    case LOWER:
      return run === 1 ? 'lowerFirst' : run <= 5 ? 'lowerSoon' : run <= 9 ? 'lowerLate' : 'lowerLong';
    case UPPER:
      return run === 1 ? 'upperFirst' : 'upperNext';
    case DIGIT:
      return run === 1 ? 'digitFirst' : 'digitNext';
    case SPACE:
      return run === 1 ? 'spaceFirst' : run === 2 ? 'spaceSecond' : 'spaceNext';
    case TAB:
      return run === 1 ? 'tabFirst' : 'tabNext';
    case BREAK:
      return run === 1 ? 'breakFirst' : 'breakNext';
    case MARK:
      return run === 1 ? 'markFirst' : run <= 4 ? 'markSoon' : 'markLong';
    case ALPHABET:
      return run === 1 ? 'alphabetFirst' : 'alphabetNext';
    case SCRIPT:
      return run === 1 ? 'scriptFirst' : 'scriptNext';
    case CJK:
      return 'cjk';
    case HALF:
      return 'half';
    default:
      return run === 1 ? 'symbolFirst' : 'symbolNext';
  }
}

/** The run and noise of a character after a state. */
function follow(before: number, run: number, noise: number, kind: number): { run: number; noise: number } {
  if (before === kind) {
    const longer = kind === DIGIT && run === 3 ? 1 : Math.min(run + 1, LONGEST);
    return { run: longer, noise: isWord(kind) && longer === CALM_RUN ? Math.max(noise - 2, 0) : noise };
  }
  // A capital starts a word, it is not one.
  if (before === UPPER && kind === LOWER) return { run: Math.min(run + 1, LONGEST), noise };
  if (isWord(before) && isWord(kind)) {
    const change = run <= SHORT_RUN ? 1 : run >= CALM_RUN ? -2 : 0;
    return { run: 1, noise: Math.min(Math.max(noise + change, 0), NOISES - 1) };
  }
  const joins = (before === MARK && isWord(kind)) || (isWord(before) && kind === MARK);
  return { run: 1, noise: joins ? (kind === MARK ? Math.max(noise - 1, 0) : noise) : 0 };
}

/** The automaton, without weights: where a step leads, and which one it is. */
export interface Automaton {
  readonly classes: Uint8Array;
  readonly next: Uint16Array;
  readonly step: Uint8Array;
}

function build(): Automaton {
  const next = new Uint16Array(STATES << SHIFT);
  const step = new Uint8Array(STATES << SHIFT);
  const set = (state: number, kind: number, run: number, noise: number): void => {
    next[state | kind] = stateOf(kind, run, noise);
    step[state | kind] = STEPS.indexOf(stepName(kind, run, noise));
  };
  for (let kind = 0; kind < CLASSES; kind += 1) {
    set(START, kind, 1, 0);
    for (let before = 0; before < CLASSES; before += 1) {
      for (let run = 1; run <= LONGEST; run += 1) {
        for (let noise = 0; noise < NOISES; noise += 1) {
          const after = follow(before, run, noise, kind);
          set(stateOf(before, run, noise), kind, after.run, after.noise);
        }
      }
    }
  }
  return { classes: classTable(), next, step };
}

/** Ranges of UTF-16 units and their class; what no range names is a symbol. After the Unicode 16 block list. */
const RANGES: readonly (readonly [from: number, to: number, kind: number])[] = [
  [0x09, 0x09, TAB],
  [0x0a, 0x0d, BREAK],
  [0x20, 0x20, SPACE],
  [0x21, 0x7e, MARK],
  [0x30, 0x39, DIGIT],
  [0x41, 0x5a, UPPER],
  [0x61, 0x7a, LOWER],
  [0xc0, 0x36f, ALPHABET],
  [0x370, 0x3ff, SCRIPT],
  [0x400, 0x58f, ALPHABET],
  [0x590, 0x10ff, SCRIPT],
  [0x1100, 0x11ff, CJK],
  [0x1200, 0x1dff, SCRIPT],
  [0x1e00, 0x1eff, ALPHABET],
  [0x1f00, 0x1fff, SCRIPT],
  [0x2c00, 0x2dff, ALPHABET],
  [0x2e80, 0xa4cf, CJK],
  [0xa4d0, 0xabff, SCRIPT],
  [0xac00, 0xd7ff, CJK],
  [0xd800, 0xdfff, HALF],
  [0xf900, 0xfaff, CJK],
  [0xfb1d, 0xfdff, SCRIPT],
  [0xfe30, 0xfe4f, CJK],
  [0xfe70, 0xfefe, SCRIPT],
  [0xff00, 0xffef, CJK],
];

function classTable(): Uint8Array {
  const classes = new Uint8Array(0x10000).fill(SYMBOL);
  for (const [from, to, kind] of RANGES) classes.fill(kind, from, to + 1);
  return classes;
}

let shared: Automaton | undefined;

/** The one automaton, built at first use. */
export function automaton(): Automaton {
  shared ??= build();
  return shared;
}

/** Sums stay exact 32-bit integers over so many characters: no weight is above 2^15. */
const BLOCK = 1 << 15;

/** Costs of texts, in thousandths of a token. */
export interface TextCost {
  /** The largest weight: no character costs more. */
  readonly most: number;
  /** Of `text[from, to)`, as a text of its own. */
  cost(text: string, from: number, to: number): number;
  /** The first index where the cost of `text[0, index + 1)` is above `limit`, or the length. */
  reach(text: string, limit: number): number;
}

const made = new Map<Profile, TextCost>();

/** By the weights of `profile`; made once. */
export function textCost(profile: Profile): TextCost {
  const ready = made.get(profile);
  if (ready !== undefined) return ready;
  const cost = weighted(WEIGHTS[profile]);
  made.set(profile, cost);
  return cost;
}

function weighted(weights: Weights): TextCost {
  const { classes, next, step } = automaton();
  const price = new Int32Array(step.length);
  for (let at = 0; at < step.length; at += 1) {
    const name = STEPS[step[at] ?? 0];
    price[at] = name === undefined ? 0 : weights[name];
  }
  let most = 0;
  for (const name of STEPS) most = Math.max(most, weights[name]);

  function cost(text: string, from: number, to: number): number {
    let sum = 0;
    let state = START;
    for (let at = from; at < to; ) {
      const end = Math.min(at + BLOCK, to);
      let part = 0;
      for (; at < end; at += 1) {
        // Every index is inside its table: units are 16 bits, and the tables hold every state and class.
        const move = state | (classes[text.charCodeAt(at)] as number);
        part = (part + (price[move] as number)) | 0;
        state = next[move] as number;
      }
      sum += part;
    }
    return sum;
  }

  function reach(text: string, limit: number): number {
    let sum = 0;
    let state = START;
    for (let at = 0; at < text.length; at += 1) {
      // As above.
      const move = state | (classes[text.charCodeAt(at)] as number);
      sum += price[move] as number;
      if (sum > limit) return at;
      state = next[move] as number;
    }
    return text.length;
  }

  return { most, cost, reach };
}
