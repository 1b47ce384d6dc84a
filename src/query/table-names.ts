// Names of tables, from names of files: plain words where possible, unique in a query.

import { basename } from 'node:path';
import { withoutEnd } from '../contract/index.ts';

const MAX_NAME = 60;

/** Chooses names, none of them twice, upper and lower case being the same as in SQL. */
export class TableNames {
  readonly #taken = new Set<string>();

  /**
   * The names of one table: a plain word made of `name` and the `place` in it, and as they are `aliases` and `name`,
   * unless another table has them.
   */
  take(name: string, aliases: readonly string[] = [], place = ''): string[] {
    const base = wordOf(name, place);
    let word = base;
    for (let number = 2; this.#taken.has(word.toLowerCase()); number += 1) word = `${base}_${number}`;
    this.#taken.add(word.toLowerCase());
    return [word, ...this.free([...aliases, name + place])];
  }

  /** Those of `names` that no table has; they are taken then. */
  free(names: readonly string[]): string[] {
    return names.filter((name) => {
      const key = name.toLowerCase();
      if (name === '' || this.#taken.has(key) || name.includes('\0')) return false;
      this.#taken.add(key);
      return true;
    });
  }
}

/** `orders-2024.csv` gives `orders_2024`, `2024.csv` gives `t_2024`, `report.pdf#table=3` gives `report_table_3`. */
function wordOf(name: string, place: string): string {
  const stem = basename(name).replace(/(.)\.[^.]{1,8}$/u, '$1') + place;
  const words = stem.normalize('NFC').replace(/[^\p{L}\p{M}\p{N}_]+/gu, '_');
  const word = withoutEnd(words.replace(/^_+/, ''), '_').slice(0, MAX_NAME);
  if (word === '') return 'data';
  return /^\p{N}/u.test(word) ? `t_${word}` : word;
}
