// The notes about content that is missing or may be wrong: in full where there is room, and in a few words in the smallest
// budget, because an answer must not pass a damaged file off as a sound one.

import { OWN, oneLine, type Warning, type WarningCode } from '../contract/index.ts';

/** What such a warning says in the fewest words. */
const SHORT: Partial<Record<WarningCode, string>> = {
  SKIPPED_CONTENT: 'parts not read',
  HIDDEN_TEXT: 'hidden text left out',
  SCANNED_PAGES: 'scans not read',
  INTERRUPTED: 'reading interrupted',
  INVALID_SYNTAX: 'invalid syntax',
  UNBALANCED_QUOTES: 'unbalanced quotes',
  BROKEN_TEXT: 'unreliable text',
  LOSSY_DECODE: 'invalid characters',
  CHANGED_DURING_READ: 'file changed meanwhile',
  REDACTED: 'secrets replaced',
};

/** One line about all of `warnings` that report damage; empty if none does. */
export function damageNote(warnings: readonly Warning[]): string {
  const words = new Set(warnings.flatMap(({ code }) => SHORT[code] ?? []));
  return words.size === 0 ? '' : `${OWN.note}${[...words].join(', ')}]\n`;
}

/**
 * `text` and as many of `warnings` as fit below it: damage at least in a few words, if those fit. A kind of damage that
 * one note describes is not named again for others that do not fit.
 */
export function withWarnings(
  text: string,
  warnings: readonly Warning[],
  fits: (text: string) => boolean,
): string {
  let shown = text;
  let unnamed = warnings;
  for (const { code, message } of warnings) {
    if (code === 'TRUNCATED') continue;
    const candidate = `${ended(shown)}${OWN.note}${oneLine(message)}]\n`;
    const others = unnamed.filter((other) => other.code !== code);
    if (!fits(candidate + damageNote(others))) continue;
    shown = candidate;
    unnamed = others;
  }
  const short = damageNote(unnamed);
  const noted = `${ended(shown)}${short}`;
  return short !== '' && fits(noted) ? noted : shown;
}

/** `text` with a line break at its end, unless it is empty. */
export const ended = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`);
