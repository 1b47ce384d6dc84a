// The password of a request, and whether it was used. It leaves this object only to open a file.

import { ReaderError } from '../contract/index.ts';

/** Longer than any format uses: 127 bytes in a PDF, 255 characters in Office. */
const MAX_PASSWORD = 1024;

/** Checks a password. Never quotes the value. @throws {ReaderError} BAD_INPUT */
export function checkPassword(password: unknown): void {
  if (password === undefined) return;
  if (typeof password !== 'string')
    throw new ReaderError(
      'BAD_INPUT',
      `\`password\` is a value of type \`${typeof password}\`; expected text.`,
      'Write `password` as text, or omit it.',
    );
  if (password.length > MAX_PASSWORD)
    throw new ReaderError(
      'BAD_INPUT',
      `\`password\` has ${password.length} characters; expected at most ${MAX_PASSWORD}.`,
      'Pass the password of the file.',
    );
}

export class Password {
  readonly #given: string | undefined;
  #taken = false;

  constructor(given: string | undefined) {
    this.#given = given;
  }

  /** The password; from now on, nothing of the file may be kept between reads. */
  take(): string | undefined {
    if (this.#given !== undefined) this.#taken = true;
    return this.#given;
  }

  /** A password was needed for what was read. */
  get taken(): boolean {
    return this.#taken;
  }
}
