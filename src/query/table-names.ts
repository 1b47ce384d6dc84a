// Names of tables, from names of files: plain words where possible, unique in a query.

import { basename } from 'node:path';
import { withoutEnd } from '../contract/index.ts';

const MAX_NAME = 60;

/** Chooses names, none of them twice, upper and lower case being the same as in SQL. */
export class TableNames {
  readonly #taken = new Set<string>();

  /**
   * The names of one table: a plain word made of `name`, and as they are `name` and `aliases`, unless another table has
   * them.
   */
  take(name: string, aliases: readonly string[] = []): string[] {
    const base = wordOf(name);
    let word = base;
    for (let number = 2; this.#taken.has(word.toLowerCase()); number += 1) word = `${base}_${number}`;
    this.#taken.add(word.toLowerCase());
    const names = [word];
    for (const alias of [...aliases, name]) {
      const key = alias.toLowerCase();
      if (alias === '' || this.#taken.has(key) || alias.includes('\0')) continue;
      this.#taken.add(key);
      names.push(alias);
    }
    return names;
  }
}

/** `orders-2024.csv` gives `orders_2024`, `2024.csv` gives `t_2024`. */
function wordOf(name: string): string {
  const stem = basename(name).replace(/(.)\.[^.]{1,8}$/u, '$1');
  const words = stem.normalize('NFC').replace(/[^\p{L}\p{M}\p{N}_]+/gu, '_');
  const word = withoutEnd(words.replace(/^_+/, ''), '_').slice(0, MAX_NAME);
  if (word === '') return 'data';
  return /^\p{N}/u.test(word) ? `t_${word}` : word;
}
