// An account of a tool's result in a few lines, by the form of its text: the first template that knows it. Deterministic; the
// result itself is in the archive by then.

import { safeCut } from '../../../contract/index.ts';
import { outlineIn } from '../../summary/result-outline.ts';
import { command } from './command.ts';
import { diff } from './diff.ts';
import { jsonValue } from './json-value.ts';
import { listing } from './listing.ts';
import { matches, webResults } from './search-results.ts';
import type { Template } from './template.ts';
import { testRun } from './test-run.ts';

/** Longer texts are judged by a form that is read to its end: an account of a part would not be true of the whole. */
const LONGEST = 4_000_000;
/** Characters of an account. */
const LONGEST_ACCOUNT = 1200;

const outline: Template = (text) => {
  const lines = outlineIn(text);
  return lines.length === 0 ? null : ['Among its lines:', ...lines];
};

const RUNS =
  /(?:^|[_\-\s.])(?:bash|shell|sh|exec\w*|run|terminal|command|cmd|powershell)(?:$|[_\-\s.])|Bash|Shell/;

/** In the order asked: what is surest first. */
const TEMPLATES: readonly Template[] = [testRun, diff, webResults, jsonValue, matches, listing];

/** An account of the result `text` of `tool`; null where no template knows what to say. */
export function accountOf(text: string, tool: string | null): string | null {
  if (text.length > LONGEST) return null;
  const others = RUNS.test(tool ?? '') ? [command] : [outline];
  for (const template of [...TEMPLATES, ...others]) {
    const lines = template(text);
    if (lines !== null) return cutToLines(lines);
  }
  return null;
}

/** Whole lines of an account, as many as it may have. */
function cutToLines(lines: readonly string[]): string {
  let account = '';
  for (const line of lines) {
    if (account.length + line.length + 1 > LONGEST_ACCOUNT) break;
    account += account === '' ? line : `\n${line}`;
  }
  return account === '' ? (lines[0] ?? '').slice(0, safeCut(lines[0] ?? '', LONGEST_ACCOUNT)) : account;
}
