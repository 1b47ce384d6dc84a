// Finds what every match of a regular expression contains, so that lines without it can be skipped: a literal, ASCII
// characters of certain kinds one after another, or one of several such texts.

/** Minimum length of a literal worth searching first. */
const LEAST_LITERAL = 3;
/** A literal character of a run counts as this many of its kinds of characters. */
const LITERAL_WEIGHT = 3;
/** Maximum length of a run: searching it takes that many steps a character. */
const MAX_RUN = 32;

export interface RequiredText {
  /** The longest literal, or '' if none is obvious. */
  readonly literal: string;
  /** Without a literal: a `RegExp` of a fixed number of characters, each of one kind, or of several; '' if there is none. */
  readonly run: string;
}

/** Most alternatives: each is tried at every character. */
const MAX_ALTERNATIVES = 20;

const NOTHING: RequiredText = { literal: '', run: '' };

/** Ignores what is in groups, and gives up on unknown syntax. */
export function requiredText(expression: string, folded: boolean): RequiredText {
  if (/\\Q|\(\?[^:P<]/.test(expression)) return NOTHING;
  const alternatives = alternativesOf(expression);
  if (alternatives.length > MAX_ALTERNATIVES) return NOTHING;
  if (alternatives.length === 1) return requiredOf(expression, folded);
  const texts = alternatives.map((one) => {
    const { literal, run } = requiredOf(one, folded);
    // Searched in bytes, where other characters are several.
    const isPlain = /^[\x20-\x7e]*$/.test(literal) && !(folded && /[ks]/i.test(literal));
    return literal === '' ? run : isPlain ? escapeRegex(literal) : '';
  });
  return texts.includes('') ? NOTHING : { literal: '', run: texts.join('|') };
}

/** The alternatives of an expression, which is the only one where there is no `|` outside of groups and classes. */
function alternativesOf(expression: string): string[] {
  const found: string[] = [];
  let from = 0;
  for (let at = 0; at < expression.length; ) {
    if (expression[at] === '|') {
      found.push(expression.slice(from, at));
      from = at + 1;
    }
    at = atomAt(expression, at)?.to ?? at + 1;
  }
  found.push(expression.slice(from));
  return found;
}

function requiredOf(expression: string, folded: boolean): RequiredText {
  let best = '';
  let text = '';
  const runs: Atom[][] = [[]];
  const endText = (): void => {
    if (text.length > best.length) best = text;
    text = '';
  };
  for (let at = 0; at < expression.length; ) {
    const atom = atomAt(expression, at);
    if (atom === undefined) return NOTHING;
    at = atom.to;
    const quantifier = /^(?:[*?]|\+|\{\d+(?:,\d*)?\})\??/.exec(expression.slice(at, at + 16))?.[0] ?? '';
    at += quantifier.length;
    if (atom.literal === undefined || (folded && !/^[\x20-\x7e]$/.test(atom.literal))) endText();
    else if (quantifier === '') text += atom.literal;
    else {
      if (quantifier.startsWith('+')) text += atom.literal;
      endText();
    }
    addTo(runs, isKind(atom, folded) ? atom : undefined, quantifier);
  }
  endText();
  if (best.length >= LEAST_LITERAL) return { literal: best, run: '' };
  const weights = runs.map((run) =>
    run.reduce((sum, { literal }) => sum + (literal ? LITERAL_WEIGHT : 1), 0),
  );
  const run = runs[weights.indexOf(Math.max(...weights))] ?? [];
  return { literal: '', run: run.map(({ source }) => source).join('') };
}

/** Continues the last run with as many of `atom` as there must be; one that may repeat further also begins a new run. */
function addTo(runs: Atom[][], atom: Atom | undefined, quantifier: string): void {
  const [, least = /^[*?]/.test(quantifier) ? '0' : '1'] = /^\{(\d+)/.exec(quantifier) ?? [];
  const atoms = atom ? new Array<Atom>(Math.min(MAX_RUN, Number(least))).fill(atom) : [];
  const run = runs.at(-1) ?? [];
  const isFixed = /^(?:\{\d+\}\??)?$/.test(quantifier) && run.length + Number(least) <= MAX_RUN;
  run.push(...atoms.slice(0, MAX_RUN - run.length));
  if (!atom || !isFixed) runs.push(atoms);
}

/** True for a literal or class of ASCII characters only, none of which folds with another character. */
const isKind = ({ literal, source }: Atom, folded: boolean): boolean =>
  literal === undefined
    ? source !== '' && !(folded && /[A-Za-z]/.test(source.replace(/\\[ds]/g, '')))
    : /^[\x20-\x7e]$/.test(literal) && !(folded && /[ks]/i.test(literal));

/** A character of an expression, or a kind of characters. */
interface Atom {
  readonly literal?: string;
  /** As a `RegExp` has it; '' for what is not a class of ASCII characters. */
  readonly source: string;
  readonly to: number;
}

/** The repeatable unit at this position of an expression, and where it ends; undefined if finding it takes a parser. */
function atomAt(expression: string, at: number): Atom | undefined {
  const character = String.fromCodePoint(expression.codePointAt(at) ?? 0);
  switch (character) {
    case '|':
    case '{':
    case '}':
      return undefined;
    case '.':
    case '^':
    case '$':
      return { source: '', to: at + 1 };
    case '\\': {
      const escaped = expression[at + 1] ?? '';
      if (/[!-/:-@[-`{-~]/.test(escaped)) return literalAt(escaped, at + 2);
      const source = /[dsw]/.test(escaped) ? `\\${escaped}` : '';
      return /[bBdDsSwWAzaftnrv]/.test(escaped) ? { source, to: at + 2 } : undefined;
    }
    case '[': {
      const to = classEnd(expression, at);
      const source = expression.slice(at, to);
      return to === undefined ? undefined : { source: SIMPLE_CLASS.test(source) ? source : '', to };
    }
    case '(': {
      const to = groupEnd(expression, at);
      return to === undefined ? undefined : { source: '', to };
    }
    default:
      return literalAt(character, at + character.length);
  }
}

/** A class that means the same in a `RegExp`, or with `\s` less than there. */
const SIMPLE_CLASS = /^\[(?!\^)(?:[ -Z^-~]|\\[dsw!-/:-@[-`{-~])+\]$/;

const literalAt = (literal: string, to: number): Atom => ({ literal, source: escapeRegex(literal), to });

/** `text` as a `RegExp` matches it. */
export const escapeRegex = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

function classEnd(expression: string, from: number): number | undefined {
  let at = from + 1;
  if (expression[at] === '^') at += 1;
  if (expression[at] === ']') at += 1;
  for (; at < expression.length; at += 1) {
    if (expression[at] === '\\') at += 1;
    else if (expression[at] === '[' && expression[at + 1] === ':') {
      const close = expression.indexOf(':]', at + 2);
      if (close < 0) return undefined;
      at = close + 1;
    } else if (expression[at] === ']') return at + 1;
  }
  return undefined;
}

function groupEnd(expression: string, from: number): number | undefined {
  let depth = 0;
  for (let at = from; at < expression.length; at += 1) {
    const character = expression[at];
    if (character === '\\') at += 1;
    else if (character === '[') {
      const to = classEnd(expression, at);
      if (to === undefined) return undefined;
      at = to - 1;
    } else if (character === '(') depth += 1;
    else if (character === ')') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}
