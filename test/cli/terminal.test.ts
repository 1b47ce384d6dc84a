// What a terminal would obey never reaches one; a pipe gets the text as it is.

import { expect, it } from 'vitest';
import { processTerminal } from '../../src/cli/terminal.ts';

function streamsOf(isTTY: boolean): { readonly process: NodeJS.Process; written(): string } {
  let written = '';
  const stream = {
    isTTY,
    write: (text: string, done?: () => void) => {
      written += text;
      done?.();
    },
  };
  const own: NodeJS.Process = Object.create(process, {
    stdout: { value: stream },
    stderr: { value: stream },
    once: { value: () => undefined },
  });
  return { process: own, written: () => written };
}

it.each([
  [true, 'a\tb\r\n\\u{1b}[31mred\\u{9b}31m\\u{d}over\n'],
  [false, 'a\tb\r\n\u001b[31mred\u009b31m\rover\n'],
])('writes controls to a terminal (%j) as text', async (isTTY, shown) => {
  const { process: own, written } = streamsOf(isTTY);
  const terminal = processTerminal(own);
  await terminal.out('a\tb\r\n\u001b[31mred\u009b31m\rover\n');
  expect(written()).toBe(shown);
  terminal.err('\u001b[2J\n');
  expect(written()).toBe(`${shown}${isTTY ? '\\u{1b}[2J' : '\u001b[2J'}\n`);
});
