// Where the time of the tests goes, and which failed, from a report of their runner:
//   npm test -- --reporter=json --outputFile.json=tests.json; node test/bench/test-times.mjs tests.json

import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

const SLOWEST = 10;

const [path] = process.argv.slice(2);
if (path === undefined) {
  process.stderr.write('Name the report: node test/bench/test-times.mjs tests.json\n');
  process.exit(2);
}
const { testResults, startTime } = JSON.parse(readFileSync(path, 'utf8'));
const files = testResults
  .map(({ name, startTime: start, endTime: end }) => ({ name, start, end, seconds: (end - start) / 1000 }))
  .sort((a, b) => b.seconds - a.seconds);
const wall = (Math.max(...files.map(({ end }) => end)) - startTime) / 1000;
const sum = files.reduce((seconds, file) => seconds + file.seconds, 0);
process.stdout.write(
  `tests: ${files.length} files in ${wall.toFixed(0)} s, ${sum.toFixed(0)} s one after another; the slowest:\n`,
);
for (const { name, seconds } of files.slice(0, SLOWEST))
  process.stdout.write(`  ${seconds.toFixed(1).padStart(6)} s  ${relative('.', name)}\n`);
for (const { name, message, assertionResults } of testResults) {
  const failed = assertionResults.filter(({ status }) => status === 'failed');
  if (failed.length === 0 && message) process.stdout.write(`FAILED ${relative('.', name)}: ${message}\n`);
  for (const { fullName, failureMessages } of failed)
    process.stdout.write(
      `FAILED ${relative('.', name)}: ${fullName}\n  ${failureMessages.join('\n  ').slice(0, 1000)}\n`,
    );
}
