// The password of a request, and whether it was used. It leaves this object only to open a file.

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
