// A map that holds a bounded amount and drops what was used longest ago. Nothing expires by time.

export interface BoundedMapOptions<V> {
  /** The most that all values may weigh together. */
  readonly most: number;
  /** What a value weighs, 0 or more, the same each time; 1 without it, so that `most` counts entries. */
  readonly weigh?: (value: V) => number;
}

/** Least recently used entries leave first; `get` and `set` count as use. */
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

  /** A value that weighs more than the whole map may hold is not kept. */
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

  /** From the least to the most recently used. */
  keys(): IterableIterator<K> {
    return this.#entries.keys();
  }
}
