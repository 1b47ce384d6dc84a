// A size-bounded map that evicts the least recently used entries. Nothing expires by time.

export interface BoundedMapOptions<V> {
  /** Maximum total weight of all values. */
  readonly most: number;
  /**
   * Weight of a value, 0 or more and constant; without it each counts 1, so that `most` limits the number of entries.
   */
  readonly weigh?: (value: V) => number;
}

/** Evicts the least recently used entries first; `get` and `set` count as use. */
export class BoundedMap<K, V extends NonNullable<unknown>> {
  readonly #entries = new Map<K, V>();
  readonly #most: number;
  readonly #weigh: (value: V) => number;
  #weight = 0;

  constructor({ most, weigh = () => 1 }: BoundedMapOptions<V>) {
    this.#most = most;
    this.#weigh = weigh;
  }

  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) {
      this.#entries.delete(key);
      this.#entries.set(key, value);
    }
    return value;
  }

  /** A value heavier than the whole map is not stored. */
  set(key: K, value: V): void {
    this.delete(key);
    const weight = this.#weigh(value);
    if (weight > this.#most) return;
    this.#entries.set(key, value);
    this.#weight += weight;
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= this.#most) return;
      this.delete(oldest);
    }
  }

  delete(key: K): void {
    const value = this.#entries.get(key);
    if (value === undefined) return;
    this.#weight -= this.#weigh(value);
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
    this.#weight = 0;
  }

  /** From the least to the most recently used. */
  keys(): IterableIterator<K> {
    return this.#entries.keys();
  }
}
