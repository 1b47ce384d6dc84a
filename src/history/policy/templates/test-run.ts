// Test runs: the runner's summary lines and the failed tests.

import { plural } from '../../../contract/index.ts';
import { listed, quote, type Template } from './template.ts';

const MOST_FAILURES = 10;
const MOST_SUMMARIES = 4;

/** Vitest and Jest, pytest, Cargo, Go, Mocha, node:test and TAP. */
const SUMMARY = [
  /^\s*(?:Test Files|Test Suites|Tests):?\s.*\b\d+ (?:passed|failed|total)\b/,
  /^=+ (?=.* =+$).*\b\d+ (?:passed|failed|errors?|skipped)\b/,
  /^test result: (?:ok|FAILED)\. \d+ passed; \d+ failed;/,
  /^(?:ok|FAIL)\s+\S+\s+(?:[\d.]+s|\(cached\))/,
  /^\s*\d+ (?:passing|failing|pending)\b/,
  /^(?:#|ℹ) (?:tests|pass|fail) \d+$/,
];
const FAILURE = [
  /^\s*(?:FAIL|✗|×|✕|❌)\s+\S/,
  /^FAILED \S+/,
  /^test \S+ \.\.\. FAILED$/,
  /^\s*--- FAIL: \S+/,
  /^not ok \d+/,
  /^test result: FAILED\b/,
];

const isOf = (forms: readonly RegExp[], line: string): boolean => forms.some((form) => form.test(line));

export const testRun: Template = (text) => {
  const lines = text.split('\n');
  const summary = lines.filter((line) => isOf(SUMMARY, line));
  if (summary.length === 0) return null;
  const shown = summary.slice(-MOST_SUMMARIES);
  const failures = [...new Set(lines.filter((line) => isOf(FAILURE, line) && !shown.includes(line)))];
  const which = summary.length > shown.length ? `, last ${shown.length} of ${summary.length} lines` : '';
  return [
    `Test run summary${which}:`,
    ...shown.map((line) => quote(line.trimStart())),
    ...(failures.length > 0
      ? [
          `${plural(failures.length, 'failure line')}:`,
          ...listed(
            failures.map((line) => line.trimStart()),
            MOST_FAILURES,
            'line',
          ),
        ]
      : []),
  ];
};
