// Accounts for a tool result in a few lines, using the first template that matches its form. Deterministic; by then the
// result is archived.

import { safeCut } from '../../../contract/index.ts';
import { outlineIn } from '../../summary/result-outline.ts';
import { command } from './command.ts';
import { diff } from './diff.ts';
import { jsonValue } from './json-value.ts';
import { listing } from './listing.ts';
import { matches, webResults } from './search-results.ts';
import type { Template } from './template.ts';
import { testRun } from './test-run.ts';

/** Longer texts get no account: it must cover the whole text, and reading it all would take too long. */
const LONGEST = 4_000_000;
/** Maximum characters of an account. */
const LONGEST_ACCOUNT = 1200;

const outline: Template = (text) => {
  const lines = outlineIn(text);
  return lines.length === 0 ? null : ['Among its lines:', ...lines];
};

const RUNS =
  /(?:^|[_\-\s.])(?:bash|shell|sh|exec\w*|run|terminal|command|cmd|powershell)(?:$|[_\-\s.])|Bash|Shell/;

/** In order of certainty. */
const TEMPLATES: readonly Template[] = [testRun, diff, webResults, jsonValue, matches, listing];

/** An account of the result `text` of `tool`, or null if no template matches. */
export function accountOf(text: string, tool: string | null): string | null {
  if (text.length > LONGEST) return null;
  const others = RUNS.test(tool ?? '') ? [command] : [outline];
  for (const template of [...TEMPLATES, ...others]) {
    const lines = template(text);
    if (lines !== null) return cutToLines(lines);
  }
  return null;
}

/** As many whole lines of an account as fit. */
function cutToLines(lines: readonly string[]): string {
  let account = '';
  for (const line of lines) {
    if (account.length + line.length + 1 > LONGEST_ACCOUNT) break;
    account += account === '' ? line : `\n${line}`;
  }
  return account === '' ? (lines[0] ?? '').slice(0, safeCut(lines[0] ?? '', LONGEST_ACCOUNT)) : account;
}
