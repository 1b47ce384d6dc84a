// Names of which none may be there twice: the columns of a table, the keys of an object.

/** Gives each name once: one that is taken gets a number. */
export class UniqueNames {
  readonly #taken = new Set<string>();
  /** Of a name that was there twice, the next number to try. */
  readonly #numbers = new Map<string, number>();

  /** `name`, or with a number where it is taken; it is taken from then on. */
  take(name: string): string {
    let unique = name;
    if (this.#taken.has(name)) {
      let number = this.#numbers.get(name) ?? 2;
      while (this.#taken.has(`${name}_${number}`)) number += 1;
      this.#numbers.set(name, number + 1);
      unique = `${name}_${number}`;
    }
    this.#taken.add(unique);
    return unique;
  }
}
