// Estimates the cost of a text from its character classes: a small automaton recognises words, numbers, runs and
// base64-like noise, and each of its steps has a weight. There is no vocabulary, so the result is only an estimate.

import { PROFILES, type ProfileName } from '../../models/index.ts';

/** Weights are in thousandths of a token. */
export const scale = 1000;

/** Columns of the table below. */

/**
 * Weighted steps and their weights per profile; the cost of a text is the sum over its characters. Fitted by least
 * squares and then raised slightly, because an estimate that is too high wastes some room, but one that is too low
 * wastes a call:
 * - `anthropic`: 402 steps of a real Claude Opus 4.5 session with the provider's counts (English and TypeScript), other
 *   text held near 1.27 times o200k_base; then 3 % higher. When fitted on one half of the session, the sum of the other
 *   half was 1 % off and its median step 5 %. CJK, base64 and other scripts were not in the session and are not
 *   measured. Later models may produce up to a third more tokens, which the calibration learns.
 * - `openai`: o200k_base counts of 1341 pieces of prose, code, data, logs, base64 and over ten languages; then 4 %
 *   higher.
 * - `gemini`: 1.15 times o200k_base, and one token per digit, as in the published Gemma tokenizers; not measured.
 * - `conservative`: the higher of 1.36 times o200k_base and 1.15 times cl100k_base; CJK and base64 above one token per
 *   character.
 */
const TABLE = {
  /** First letter of a word, lower or upper case. */
  lowerFirst: [320, 726, 805, 947],
  upperFirst: [467, 1061, 1173, 1408],
  /** Letters 2 to 5, 6 to 9, and later ones. */
  lowerSoon: [253, 52, 57, 68],
  lowerLate: [62, 87, 97, 114],
  lowerLong: [623, 150, 166, 197],
  /** A capital after a capital. */
  upperNext: [468, 134, 149, 176],
  /** Digits 1, 4, 7 and so on of a number, and the others. */
  digitFirst: [1589, 1318, 1050, 1600],
  digitNext: [412, 8, 1000, 700],
  /** Letters and digits where short runs of both alternate: base64, hashes, minified names. */
  noise: [950, 720, 800, 1050],
  spaceFirst: [166, 42, 42, 50],
  spaceSecond: [914, 619, 686, 881],
  spaceNext: [65, 8, 9, 11],
  tabFirst: [81, 184, 201, 262],
  tabNext: [103, 66, 73, 86],
  breakFirst: [2022, 728, 808, 874],
  breakNext: [533, 66, 73, 87],
  breakLong: [100, 64, 70, 90],
  markFirst: [374, 849, 939, 1115],
  markSoon: [800, 168, 184, 205],
  markLong: [21, 16, 18, 21],
  /** Latin beyond ASCII, Cyrillic. */
  alphabetFirst: [1564, 947, 1047, 1674],
  alphabetNext: [87, 137, 153, 249],
  /** Greek, Hebrew, Arabic, Indic, Thai and similar scripts. */
  scriptFirst: [64, 144, 110, 1323],
  scriptNext: [608, 480, 540, 1167],
  cjk: [1100, 800, 850, 1300],
  /** Half of a surrogate pair, mostly emoji. */
  half: [1100, 1000, 1000, 1650],
  symbolFirst: [2270, 1639, 1815, 1433],
  symbolNext: [419, 472, 524, 743],
} as const satisfies Readonly<Record<string, readonly [number, number, number, number]>>;

type Step = keyof typeof TABLE;

/** In the automaton's numbering order, which is the key order of the table. */
const STEPS: readonly Step[] = Object.keys(TABLE) as Step[];

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

/** Run lengths are distinguished up to this. */
const LONGEST = 10;
/** Number of consecutive short runs of letters and digits, from none to many. */
const NOISES = 4;
/** Noise starts here: three runs of at most 3 characters without a longer one. */
const NOISY = 3;
const SHORT_RUN = 3;
const CALM_RUN = 5;

/** A state is the previous character's class, its run length and the noise level; the last state is the start. */
const STATES = CLASSES * LONGEST * NOISES + 1;
/** Steps are looked up by `state << SHIFT | class`, and states are stored shifted. */
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
      return run === 1 ? 'breakFirst' : run === 2 ? 'breakNext' : 'breakLong';
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

/** The state after a character of class `kind`. */
function follow(before: number, run: number, noise: number, kind: number): number {
  if (before === kind) {
    const longer = kind === DIGIT && run === 3 ? 1 : Math.min(run + 1, LONGEST);
    const calmer = isWord(kind) && longer === CALM_RUN;
    return stateOf(kind, longer, calmer ? Math.max(noise - 2, 0) : noise);
  }
  // A capital starts a word but is not a run of its own.
  if (before === UPPER && kind === LOWER) return stateOf(kind, Math.min(run + 1, LONGEST), noise);
  if (isWord(before) && isWord(kind)) {
    const change = run <= SHORT_RUN ? 1 : run >= CALM_RUN ? -2 : 0;
    return stateOf(kind, 1, Math.min(Math.max(noise + change, 0), NOISES - 1));
  }
  const joins = (before === MARK && isWord(kind)) || (isWord(before) && kind === MARK);
  return stateOf(kind, 1, joins ? (kind === MARK ? Math.max(noise - 1, 0) : noise) : 0);
}

/** The automaton without weights. All transitions into a state use the same step. */
interface Automaton {
  readonly classes: Uint8Array;
  readonly next: Uint16Array;
  /** Step by unshifted state; unused for the start state, which has no incoming transition. */
  readonly step: Uint8Array;
}

function build(): Automaton {
  const next = new Uint16Array(STATES << SHIFT);
  const step = new Uint8Array(STATES);
  for (let kind = 0; kind < CLASSES; kind += 1) {
    next[START | kind] = stateOf(kind, 1, 0);
    for (let run = 1; run <= LONGEST; run += 1) {
      for (let noise = 0; noise < NOISES; noise += 1) {
        const state = stateOf(kind, run, noise);
        step[state >> SHIFT] = STEPS.indexOf(stepName(kind, run, noise));
        for (let after = 0; after < CLASSES; after += 1)
          next[state | after] = follow(kind, run, noise, after);
      }
    }
  }
  return { classes: classTable(), next, step };
}

/** Classes of UTF-16 ranges, from the Unicode 16 block list; units outside all ranges are symbols. */
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

/** The shared automaton, built on first use. */
function automaton(): Automaton {
  shared ??= build();
  return shared;
}

/** Sums over this many characters fit in 32-bit integers, as no weight exceeds 2^15. */
const BLOCK = 1 << 15;

/** Costs of texts, in thousandths of a token. */
export interface TextCost {
  /** Cost of `text[from, to)` as a separate text. */
  cost(text: string, from: number, to: number): number;
  /** The first index at which `text[from, index + 1)`, as a separate text, costs more than `limit`; else the length. */
  reach(text: string, from: number, limit: number): number;
}

const made = new Map<ProfileName, TextCost>();

/** Uses the weights of `profile`; cached. */
export function textCost(profile: ProfileName): TextCost {
  const ready = made.get(profile);
  if (ready !== undefined) return ready;
  const cost = weighted(PROFILES.indexOf(profile));
  made.set(profile, cost);
  return cost;
}

function weighted(column: number): TextCost {
  const weights = STEPS.map((name) => TABLE[name][column] ?? 0);
  const { classes, next, step } = automaton();
  const price = next.map((state) => weights[step[state >> SHIFT] ?? 0] ?? 0);

  function cost(text: string, from: number, to: number): number {
    let sum = 0;
    let state = START;
    for (let at = from; at < to; ) {
      const end = Math.min(at + BLOCK, to);
      let part = 0;
      for (; at < end; at += 1) {
        // Every index is in range: units have 16 bits, and the tables cover every state and class.
        const move = state | (classes[text.charCodeAt(at)] as number);
        part = (part + (price[move] as number)) | 0;
        state = next[move] as number;
      }
      sum += part;
    }
    return sum;
  }

  function reach(text: string, from: number, limit: number): number {
    let sum = 0;
    let state = START;
    for (let at = from; at < text.length; at += 1) {
      // As above.
      const move = state | (classes[text.charCodeAt(at)] as number);
      sum += price[move] as number;
      if (sum > limit) return at;
      state = next[move] as number;
    }
    return text.length;
  }

  return { cost, reach };
}
