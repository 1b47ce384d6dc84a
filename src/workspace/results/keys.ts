// Makes names unique: the columns of a table, the keys of an object.

/** Returns each name once; adds a number to a name already used. */
export class UniqueNames {
  readonly #taken = new Set<string>();
  /** The next number to try for a name already used. */
  readonly #numbers = new Map<string, number>();

  /** `name`, with a number added if it is already used. */
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
