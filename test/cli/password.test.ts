// A person at a terminal is asked for the password of a protected file, and nothing shows what is typed.

import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { run } from '../../src/cli/run.ts';
import { askSecret } from '../../src/cli/secret-prompt.ts';
import { keptTerminal } from '../support/command-line.ts';

/** Input of a terminal, on which `typed` arrives. `modes` are the raw modes that were set. */
function keyboard(...typed: string[]): { readonly input: PassThrough; readonly modes: boolean[] } {
  const modes: boolean[] = [];
  const input = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (mode: boolean) => {
      modes.push(mode);
      // A terminal line is typed once somebody reads it.
      if (mode) for (const text of typed.splice(0, 1)) setImmediate(() => input.write(text));
    },
  });
  return { input, modes };
}

const signal = new AbortController().signal;

describe('askSecret', () => {
  it.each([
    ['secret\r', 'secret'],
    ['pass wörd \n', 'pass wörd '],
    ['sex\u007fcret\r', 'secret'],
    ['wrong\u0015right\r', 'right'],
    ['\r', ''],
  ])('%j is %j, shown nowhere', async (typed, secret) => {
    const { input, modes } = keyboard(typed);
    let written = '';
    const write = (text: string): void => {
      written += text;
    };
    const answer = await askSecret(input, write, 'Password: ', signal);
    expect(answer).toBe(secret);
    expect(written).toBe('Password: \n');
    expect(modes).toEqual([true, false]);
  });

  it.each(['sec\u0003', '\u0004'])('%j cancels, and the terminal echoes again', async (typed) => {
    const { input, modes } = keyboard(typed);
    const asked = askSecret(input, () => undefined, '', signal);
    await expect(asked).rejects.toMatchObject({ code: 'ABORTED' });
    expect(modes).toEqual([true, false]);
  });

  it('ends with its signal', async () => {
    const { input, modes } = keyboard();
    const stop = new AbortController();
    const asked = askSecret(input, () => undefined, '', stop.signal);
    stop.abort();
    await expect(asked).rejects.toMatchObject({ code: 'ABORTED' });
    expect(modes).toEqual([true, false]);
  });
});

describe('a protected file at a terminal', () => {
  const file = 'fixtures/protected/orders-agile.xlsx';
  const read = async (words: readonly string[], ...typed: string[]) => {
    const { terminal, out, err } = keptTerminal();
    const { input } = keyboard(...typed);
    const status = await run(words, { ...terminal, stdin: input, asksPeople: true });
    return { status, out: out(), err: err() };
  };

  it.each([
    [['read', file], `Password of ${file}: \n`],
    [['read', '--all', file], `Password of ${file}: \n`],
    [['read', '--password-stdin', file], 'Password: \n'],
    [['inspect', '--password-stdin', file], 'Password: \n'],
  ])('%j asks once', async (words, err) => {
    const answer = await read(words, 'reader\r');
    expect(answer.status).toBe(0);
    // Warnings about the workbook follow.
    expect(answer.err.startsWith(err)).toBe(true);
    expect(answer.err.split('Password')).toHaveLength(2);
    expect(answer.out).toContain(words[0] === 'inspect' ? 'xlsx' : 'order,place,when');
  });

  it('says what is wrong with the password, or that one is missing', async () => {
    expect((await read(['read', file], 'wrong\r')).err).toContain('WRONG_PASSWORD');
    expect((await read(['read', file], '\r')).err).toContain('ENCRYPTED_FILE');
    expect(await read(['read', file], '\u0003')).toMatchObject({
      status: 130,
      err: `Password of ${file}: \nlectern: interrupted\n`,
    });
  });
});
