// What a workspace is asked to list, match, search or read when everything in it was made by an attacker: patterns that
// explode, files without end, ignore files that are no files, folders without bottom.

import { execFileSync } from 'node:child_process';
import { appendFileSync, closeSync, mkdirSync, openSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repeated, sparse } from './make.mjs';

const MEGABYTE = 2 ** 20;
const GIGABYTE = 2 ** 30;
/** A search ends after limit `maxSearchMilliseconds`, 10 s; the rest is for a loaded machine. */
const SEARCH_SECONDS = 25;

const scaled = { smoke: 64 * MEGABYTE, full: GIGABYTE };
const log = repeated('log.txt', 'a line of a log that is long enough\n', scaled);
const asIn = (make) => (folder) => {
  make(folder);
  return folder;
};
const written = (files) =>
  asIn((folder) => {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(join(folder, name, '..'), { recursive: true });
      writeFileSync(join(folder, name), content);
    }
  });
const search = (name, make, given, expect, more) => ({
  name: `search: ${name}`,
  make,
  operation: ['search', ...given],
  expect,
  seconds: SEARCH_SECONDS,
  ...more,
});
const glob = (name, make, pattern, expect) => ({
  name: `glob: ${name}`,
  make,
  operation: ['glob', pattern],
  expect,
});

/** Text too long for a command line; the child makes it. */
const long = (piece, times) => ({ piece, times });

/** More folders in each other than a walk enters, and no more than Node can remove. */
const deep = asIn((folder) => {
  let descriptor = openSync(folder, 'r');
  for (let level = 0; level < 700; level++) {
    mkdirSync(`/proc/self/fd/${descriptor}/d`);
    const below = openSync(`/proc/self/fd/${descriptor}/d`, 'r');
    closeSync(descriptor);
    descriptor = below;
  }
  writeFileSync(`/proc/self/fd/${descriptor}/f`, 'needle\n');
  closeSync(descriptor);
});

const many = asIn((folder) => {
  mkdirSync(join(folder, 'many'));
  for (let index = 0; index < 20_000; index++)
    writeFileSync(join(folder, 'many', `${'a'.repeat(200)}${index}`), '');
});

const pipes = asIn((folder) => {
  for (const name of ['.gitignore', '.ignore', 'a.txt']) execFileSync('mkfifo', [join(folder, name)]);
  writeFileSync(join(folder, 'b.txt'), 'needle\n');
});

export const WORKSPACE_CASES = [
  search('1 GB of matches', log, ['line'], { contains: '"line":100' }),
  search('1 GB without a match', log, ['needle'], { contains: '"matches":[]' }),
  search('1 GB without an end of line', repeated('one-line.txt', 'aaaaaaaa', scaled), ['aaab'], {
    contains: '"matches":[]',
  }),
  search('a match in a line of 1 GB', repeated('one-line.txt', 'aaaaaaab', scaled), ['aaab'], {
    contains: '"cut":true',
  }),
  search('hole of 100 GB', sparse('hole.txt', 100 * GIGABYTE, 'text\n'.repeat(1000)), ['needle'], {
    contains: '"matches":[]',
  }),
  search(
    '(a+)+$ in 1 GB of a',
    repeated('a.txt', 'aaaaaaaa', { smoke: 4 * MEGABYTE, full: GIGABYTE }, { tail: 'b\n' }),
    ['(a+)+$', { regex: true }],
    { bounded: true },
  ),
  search(
    'nested repeats',
    repeated('a.txt', 'aaaaaaa ', { smoke: MEGABYTE, full: 16 * MEGABYTE }),
    ['(((a{1,30}){1,30}){1,30}){1,30}', { regex: true }],
    { bounded: true },
  ),
  search('a repeat of a thousand', log, ['(a?){1000}a{1000}', { regex: true }], { bounded: true }),
  search('a pattern of 100,000 choices', log, [long('ab|', 100_000), { regex: true }], {
    bounded: true,
  }),
  search('100,000 brackets', log, [long('(', 100_000), { regex: true }], { error: 'BAD_INPUT' }),
  search('a back-reference', log, ['(a)\\1', { regex: true }], { error: 'BAD_INPUT' }),
  search('every empty match', log, ['x*', { regex: true }], { bounded: true }),
  search('nothing', log, [''], { error: 'BAD_INPUT' }),
  search('ignore files and a text that are pipes', pipes, ['needle'], { contains: 'b.txt' }),
  search(
    'ignore files that are links out, loops and folders',
    asIn((folder) => {
      mkdirSync(join(folder, 'a'));
      symlinkSync('/etc/passwd', join(folder, '.gitignore'));
      symlinkSync('.ignore', join(folder, '.ignore'));
      mkdirSync(join(folder, 'a/.gitignore'));
      writeFileSync(join(folder, 'a/b.txt'), 'needle\n');
    }),
    ['needle'],
    { contains: 'a/b.txt', without: 'root:' },
  ),
  search(
    'an ignore file of 200 MB',
    asIn((folder) => {
      const path = join(folder, '.gitignore');
      for (let piece = 0; piece < 200; piece++) appendFileSync(path, 'a*a*a*a*a*a*b\n'.repeat(75_000));
      writeFileSync(join(folder, `${'a'.repeat(200)}.txt`), 'needle\n');
    }),
    ['needle'],
    { contains: '"line":1' },
  ),
  search('700 folders in each other', deep, ['needle'], { bounded: true }),
  search('20,000 files', many, ['needle'], { contains: '"matches":[]' }),
  glob('a*a*a*...b', many, `**/${'a*'.repeat(100)}b`, { contains: '"entries":[]' }),
  glob('** without end', deep, `${'**/'.repeat(300)}f`, { bounded: true }),
  glob('**/*/**/*... without end', deep, `${'**/*/'.repeat(150)}x`, { bounded: true }),
  glob('{a,b} thirty times', many, '{a,b}'.repeat(30), { bounded: true }),
  glob('braces in each other', many, `${'{a,'.repeat(200)}b${'}'.repeat(200)}`, { bounded: true }),
  glob('a class that does not end', many, '[a-', { bounded: true }),
  glob('a million characters', many, long('a', 1_000_000), { error: 'BAD_INPUT' }),
  glob('above', many, '../**', { error: 'PATH_ESCAPES_WORKSPACE' }),
  {
    name: 'list: 700 folders in each other',
    make: deep,
    operation: ['list', '', { depth: 1e9 }],
    expect: { bounded: true },
  },
  {
    name: 'list: a cursor of another listing',
    make: many,
    operation: ['list', '', { cursor: 'eyJhIjoxfQ' }],
    expect: { error: ['STALE_CURSOR', 'BAD_INPUT'] },
  },
  {
    name: 'list: a cursor of a megabyte',
    make: many,
    operation: ['list', '', { cursor: long('a', 1_000_000) }],
    expect: { error: ['STALE_CURSOR', 'BAD_INPUT'] },
  },
  {
    name: 'read: a pipe in a workspace',
    make: (folder) => join(pipes(folder), 'a.txt'),
    workspace: true,
    expect: { error: 'NOT_A_FILE' },
    seconds: 5,
  },
  {
    name: 'read: a link out of a workspace',
    make: (folder) => {
      symlinkSync('/etc/passwd', join(folder, 'a.txt'));
      return join(folder, 'a.txt');
    },
    workspace: true,
    expect: { error: 'PATH_ESCAPES_WORKSPACE', without: 'root:' },
  },
  {
    name: 'write: over a pipe',
    make: pipes,
    operation: ['write', 'a.txt', 'x', { overwrite: true }],
    expect: { error: 'NOT_A_FILE' },
  },
  {
    name: 'remove: 700 folders in each other',
    make: deep,
    operation: ['remove', 'd', { recursive: true }],
    expect: { bounded: true },
  },
  {
    name: 'saveResult: a name of links and separators',
    make: written({ 'a.txt': 'x' }),
    operation: ['saveResult', 'text\n', { name: '../../../../etc/cron.d/x' }],
    expect: { error: ['PATH_ESCAPES_WORKSPACE', 'BAD_INPUT'] },
  },
];
