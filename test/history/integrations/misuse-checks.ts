// Checks of functions that take options as their last argument, called with invalid ones as untyped callers do.

import { describe, expect, it } from 'vitest';

type Loose = (...args: unknown[]) => unknown;
/** `called` without its types. */
export const loose = (called: unknown): Loose => called as Loose;

/** Calls the function with these options. */
export type Take = (options: unknown) => unknown;

const nameOf = (taker: string): string => taker.replace(/ .*/, '');

/** What a call throws or rejects with. */
export const failing = (call: () => unknown): Promise<unknown> =>
  Promise.resolve()
    .then(call)
    .then(
      () => ({ message: 'It was taken.' }),
      (error: unknown) => error,
    );

const badInput = (message: string | RegExp): object => ({
  code: 'BAD_INPUT',
  message: typeof message === 'string' ? message : expect.stringMatching(message),
});

/** @param taker name of the function, which may be followed by a space and more */
export function checkOptions(taker: string, take: Take): void {
  describe(taker, () => {
    it('refuses an option it does not have, by its own name', async () => {
      const error = await failing(() => take({ windw: 8000 }));
      expect(error).toMatchObject(badInput(`\`${nameOf(taker)}\` has no option \`windw\`.`));
      expect(error).toMatchObject({ hint: 'Did you mean `window`?' });
    });

    it('rejects options that are not an object', async () => {
      for (const odd of [null, 'gpt-5', 7])
        expect(await failing(() => take(odd))).toMatchObject(badInput(new RegExp(`\`${nameOf(taker)}\``)));
    });
  });
}

export function checkOwnFormat(taker: string, take: Take): void {
  it(`${taker} refuses a format and a codec, for it has its own`, async () => {
    for (const name of ['format', 'codec'])
      expect(await failing(() => take({ window: 8000, [name]: 'openai-chat' }))).toMatchObject(
        badInput(`\`${nameOf(taker)}\` has no option \`${name}\`.`),
      );
  });
}
