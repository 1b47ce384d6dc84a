// search_files by file: what a limit or the budget leaves out can be continued; several texts at once.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { textOf } from '../../src/tools/index.ts';
import { makePlace, type Place } from './place.ts';

const FILES = 40;
let place: Place;

const nameOf = (number: number): string => `f${String(number).padStart(2, '0')}.txt`;

beforeEach(async () => {
  const files = Array.from({ length: FILES }, (_, at) => [nameOf(at), 'TODO a.b\n'.repeat((at % 3) + 1)]);
  place = await makePlace({ ...Object.fromEntries(files), 'other.txt': 'axb FIXME\n' });
});
afterEach(() => place.remove());

const search = async (args: Record<string, unknown>): Promise<string> =>
  textOf(await place.run('search_files', args));

async function walked(args: Record<string, unknown>): Promise<string[]> {
  const lines: string[] = [];
  let cursor: string | undefined;
  do {
    const answer = await search({ ...args, ...(cursor !== undefined && { cursor }) });
    lines.push(...answer.split('\n').filter((line) => /^f\d/.test(line)));
    cursor = /cursor "([^"]+)"/.exec(answer)?.[1];
  } while (cursor !== undefined);
  return lines;
}

const NAMES = Array.from({ length: FILES }, (_, at) => nameOf(at));

describe('a list of files', () => {
  it.each([1, 7, 39])('at most %i long goes on by its cursor to the end', async (limit) => {
    const args = { query: 'TODO', output_mode: 'files_with_matches', limit };
    const first = await search(args);
    expect(first).toMatch(
      new RegExp(`\\[${limit} of 40 files, \\d+ matching lines\\. Continue with cursor "`),
    );
    expect(await walked(args)).toEqual(NAMES);
  });

  it('with counts goes on too', async () => {
    const counts = NAMES.map((name, at) => `${name}:${(at % 3) + 1}`);
    expect(await walked({ query: 'TODO', output_mode: 'count', limit: 9 })).toEqual(counts);
  });

  it('that the budget cuts goes on too', async () => {
    const small = await makePlace(Object.fromEntries(NAMES.map((name) => [name, 'TODO\n'])), {
      maxTokensPerFile: 100,
    });
    await place.remove();
    place = small;
    expect(await walked({ query: 'TODO', output_mode: 'files_with_matches' })).toEqual(NAMES);
  });

  it('whole has no cursor', async () => {
    const answer = await search({ query: 'TODO', output_mode: 'files_with_matches' });
    expect(answer).toMatch(/\n\[40 files, 79 matching lines\.\]\n$/);
  });
});

describe('several texts', () => {
  it('are searched for at once', async () => {
    const answer = await search({ pattern: ['FIXME', 'f00'] });
    expect(answer).toContain('other.txt:1: axb FIXME');
    expect(await search({ pattern: ['a.b', 'nowhere'] })).not.toContain('other.txt');
    expect(await search({ pattern: ['a.b', 'nowhere'], regex: true })).toContain('other.txt:1:');
    expect(await search({ pattern: ['FIX\\w+', 'nowhere'] })).toContain('other.txt:1:');
  });

  it('of which one is no text are refused', async () => {
    expect(await search({ pattern: ['FIXME', {}] })).toContain('`pattern` contains an item that is not text');
  });
});

it.each(['(?<=foo)\\.bar', '(TODO)\\1'])('does not propose %s as an expression', async (pattern) => {
  const answer = await search({ pattern });
  expect(answer).toMatch(/No match for/);
  expect(answer).toMatch(/which is not supported\. It was searched literally\./);
  expect(answer).not.toContain('regex');
});

describe('a very long line', () => {
  it('is shown as excerpts, which are counted apart from lines', async () => {
    const word = 'needle ';
    const text = `${`${word}${'x'.repeat(400)} `.repeat(3)}\nneedle\n`;
    await place.remove();
    place = await makePlace({ 'long.txt': text });
    expect(await search({ query: 'needle' })).toContain('[2 matching lines, 4 excerpts in 1 file searched.]');
  });

  it('shows at most 500 characters of a match', async () => {
    await place.remove();
    place = await makePlace({ 'long.txt': `${'ab'.repeat(2000)}\n` });
    const [line = ''] = (await search({ query: '(?:ab){900}', regex: true })).split('\n');
    expect(line.length).toBe('long.txt:1:1: '.length + 500);
  });
});
