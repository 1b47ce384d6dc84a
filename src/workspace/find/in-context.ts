// Arranges matches with the lines around them: every line once, and where lines are left out.

import type { Match } from '../workspace.ts';

export interface NumberedLine {
  readonly line: number;
  readonly text: string;
  /** The match above continues on it. */
  readonly isMatch?: true;
}

/** A match with the lines around it that stand with no other match. */
export interface MatchInContext {
  readonly match: Match;
  readonly above: readonly NumberedLine[];
  readonly below: readonly NumberedLine[];
  /** The first of its file. */
  readonly isFirst: boolean;
  /** Lines of the file are left out above. */
  readonly hasGap: boolean;
}

/** `before` and `after`: lines of context, at most those that the matches bring. */
export function inContext(matches: readonly Match[], before: number, after: number): MatchInContext[] {
  let printed = 0;
  return matches.map((match, index) => {
    const isFirst = matches[index - 1]?.path !== match.path;
    if (isFirst) printed = 0;
    const { line, before: above = [], after: below = [], continued = 0 } = match;
    const first = Math.max(printed + 1, line - Math.min(before, above.length));
    const wanted = continued + after;
    const next = matches[index + 1];
    const free = next?.path === match.path ? Math.max(0, next.line - line - 1) : below.length;
    const hasGap = above.length + below.length > 0 && printed > 0 && first > printed + 1;
    const lines = (texts: readonly string[], from: number): NumberedLine[] =>
      texts.map((text, offset) => ({ line: from + offset, text }));
    const shown = lines(below.slice(0, Math.min(wanted, free)), line + 1).map((one, at) =>
      at < continued ? { ...one, isMatch: true as const } : one,
    );
    printed = line + shown.length;
    return {
      match,
      above: first < line ? lines(above.slice(first - line), first) : [],
      below: shown,
      isFirst,
      hasGap,
    };
  });
}
