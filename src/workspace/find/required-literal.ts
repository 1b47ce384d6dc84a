// Finds a literal contained in every match of a regular expression, so that lines without it can be skipped.

/** Minimum length of a literal worth searching first. */
const LEAST_LITERAL = 3;

/**
 * The longest literal contained in every match of `expression`, or '' if none is obvious. Ignores groups, and gives up
 * on unknown syntax.
 */
export function requiredLiteral(expression: string, folded: boolean): string {
  if (/\\Q|\(\?[^:P<]/.test(expression)) return '';
  let best = '';
  let run = '';
  const end = (): void => {
    if (run.length > best.length) best = run;
    run = '';
  };
  for (let at = 0; at < expression.length; ) {
    const atom = atomAt(expression, at);
    if (atom === undefined) return '';
    at = atom.to;
    const quantifier = /^(?:[*?]|\+|\{\d+(?:,\d*)?\})\??/.exec(expression.slice(at, at + 16))?.[0] ?? '';
    at += quantifier.length;
    if (atom.literal === undefined || (folded && !/^[\x20-\x7e]$/.test(atom.literal))) end();
    else if (quantifier === '') run += atom.literal;
    else {
      if (quantifier.startsWith('+')) run += atom.literal;
      end();
    }
  }
  end();
  return best.length >= LEAST_LITERAL ? best : '';
}

/** The repeatable unit at this position of an expression, and where it ends; undefined if finding it takes a parser. */
function atomAt(
  expression: string,
  at: number,
): { readonly literal?: string; readonly to: number } | undefined {
  const character = String.fromCodePoint(expression.codePointAt(at) ?? 0);
  switch (character) {
    case '|':
    case '{':
    case '}':
      return undefined;
    case '.':
    case '^':
    case '$':
      return { to: at + 1 };
    case '\\': {
      const escaped = expression[at + 1] ?? '';
      if (/[!-/:-@[-`{-~]/.test(escaped)) return { literal: escaped, to: at + 2 };
      return /[bBdDsSwWAzaftnrv]/.test(escaped) ? { to: at + 2 } : undefined;
    }
    case '[': {
      const to = classEnd(expression, at);
      return to === undefined ? undefined : { to };
    }
    case '(': {
      const to = groupEnd(expression, at);
      return to === undefined ? undefined : { to };
    }
    default:
      return { literal: character, to: at + character.length };
  }
}

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
