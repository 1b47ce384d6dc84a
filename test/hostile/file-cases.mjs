// Files that are no files, and files that change under the reader (cases 35-41, R3, R12, R13).

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { file, repeated, sparse } from './make.mjs';

const MEGABYTE = 2 ** 20;
const GIGABYTE = 2 ** 30;
const log = (name) =>
  repeated(name, 'a line of a log that is long enough\n', { smoke: 256 * MEGABYTE, full: GIGABYTE });
const notAFile = { error: 'NOT_A_FILE' };

export const FILE_CASES = [
  { name: 'empty file', make: file('empty.txt', ''), expect: { warning: 'EMPTY_FILE' } },
  { name: 'blanks alone', make: file('blank.txt', ' \n\t\n'), expect: { whole: ' \n\t\n' } },
  { name: 'no extension', make: file('noext', 'plain\n'), expect: { whole: 'plain\n' } },
  { name: 'dot file', make: file('.hidden', 'plain\n'), expect: { whole: 'plain\n' } },
  {
    name: 'text named .png',
    make: file('a.png', 'plain text, no picture\n'),
    expect: { processor: 'text' },
  },
  { name: 'text named .xlsx', make: file('a.xlsx', 'a,b\n1,2\n'), expect: { warning: 'FORMAT_MISMATCH' } },
  { name: 'hole of 100 GB', make: sparse('hole.txt', 100 * GIGABYTE), expect: { bounded: true }, seconds: 5 },
  {
    name: 'text, then a hole of 20 GB',
    make: sparse('tail.txt', 20 * GIGABYTE, 'text\n'.repeat(100000)),
    expect: { bounded: true },
    seconds: 90,
    full: true,
  },
  {
    name: 'grows while read',
    make: log('grow.txt'),
    action: 'grow',
    expect: { warning: 'CHANGED_DURING_READ' },
    seconds: 60,
  },
  {
    name: 'shrinks while read',
    make: log('shrink.txt'),
    action: 'shrink',
    expect: { warning: 'CHANGED_DURING_READ' },
  },
  {
    name: 'replaced while read',
    make: log('replace.txt'),
    action: 'replace',
    expect: { contains: 'a line of a log' },
  },
  {
    name: 'deleted while read',
    make: log('remove.txt'),
    action: 'remove',
    expect: { contains: 'a line of a log' },
  },
  {
    name: 'replaced between pages',
    make: log('pages.txt'),
    action: 'replace between pages',
    pages: 2,
    expect: { last: 'STALE_CURSOR' },
  },
  { name: 'directory named .pdf', make: (folder) => made(folder, 'x.pdf', mkdirSync), expect: notAFile },
  { name: 'directory named .json', make: (folder) => made(folder, 'x.json', mkdirSync), expect: notAFile },
  {
    name: 'FIFO',
    make: (folder) => made(folder, 'fifo.txt', (path) => execFileSync('/usr/bin/env', ['mkfifo', path])),
    expect: notAFile,
  },
  { name: 'socket', make: (folder) => made(folder, 'socket.txt', listen), expect: notAFile },
  { name: 'device /dev/zero', make: () => '/dev/zero', expect: notAFile },
  { name: 'device /dev/null', make: () => '/dev/null', expect: notAFile },
  {
    name: 'link to /dev/zero',
    make: (folder) => made(folder, 'zero.txt', (path) => symlinkSync('/dev/zero', path)),
    expect: notAFile,
  },
  {
    name: 'link to itself',
    make: (folder) => made(folder, 'loop.txt', (path) => symlinkSync(path, path)),
    expect: { error: ['FILE_NOT_FOUND', 'ACCESS_DENIED', 'BAD_INPUT', 'NOT_A_FILE'] },
  },
  {
    name: 'link to nothing',
    make: (folder) => made(folder, 'dangling.txt', (path) => symlinkSync('nowhere', path)),
    expect: { error: 'FILE_NOT_FOUND' },
  },
  {
    name: 'missing file',
    make: (folder) => join(folder, 'missing.txt'),
    expect: { error: 'FILE_NOT_FOUND' },
  },
  {
    name: 'file without permission',
    make: (folder) => locked(folder),
    expect: process.getuid?.() === 0 ? { whole: 'secret\n' } : { error: 'ACCESS_DENIED' },
  },
  {
    name: 'NUL in the path',
    make: (folder) => join(folder, 'a\u0000b'),
    expect: { error: ['BAD_INPUT', 'FILE_NOT_FOUND'] },
  },
  { name: 'empty path', make: () => '', expect: { error: ['BAD_INPUT', 'FILE_NOT_FOUND', 'NOT_A_FILE'] } },
  {
    name: 'name of 256 bytes',
    make: (folder) => join(folder, 'n'.repeat(256)),
    expect: { error: ['BAD_INPUT', 'FILE_NOT_FOUND'] },
  },
  {
    name: 'remote URL as a path',
    make: () => 'http://127.0.0.1:9/x',
    expect: { error: ['BAD_INPUT', 'FILE_NOT_FOUND'] },
  },
  {
    name: 'name with escapes',
    make: file('\u001b[31mred\u202e.txt', 'plain\n'),
    expect: { whole: 'plain\n' },
  },
  {
    name: '`$&` in name and text',
    make: file('$& $$.txt', "$& $$ $` $'\n"),
    expect: { whole: "$& $$ $` $'\n" },
  },
  {
    name: 'lines from 0',
    make: file('a.txt', 'a\nb\n'),
    request: { lines: '0-1' },
    expect: { error: 'BAD_INPUT' },
  },
  {
    name: 'lines past the end',
    make: file('a.txt', 'a\nb\n'),
    request: { lines: '9-' },
    expect: { error: 'BAD_INPUT' },
  },
  {
    name: 'lines NaN',
    make: file('a.txt', 'a\nb\n'),
    request: { lines: 'NaN' },
    expect: { error: 'BAD_INPUT' },
  },
  {
    name: 'budget of 0',
    make: file('a.txt', 'a\nb\n'),
    request: { maxTokens: 0 },
    expect: { bounded: true },
  },
  {
    name: 'budget of 1',
    make: file('a.txt', 'a\nb\n'.repeat(1000)),
    request: { maxTokens: 1 },
    expect: { bounded: true },
  },
  {
    name: 'cursor of rubbish',
    make: file('a.txt', 'a\n'),
    request: { cursor: 'AAAA' },
    expect: { error: ['STALE_CURSOR', 'BAD_INPUT'] },
  },
];

function made(folder, name, make) {
  const path = join(folder, name);
  make(path);
  return path;
}

function locked(folder) {
  const path = file('locked.txt', 'secret\n')(folder);
  chmodSync(path, 0);
  return path;
}

function listen(path) {
  const server = createServer().listen(path);
  // The socket's file stays for the time of the suite; the server does not keep the process alive.
  server.unref();
}
