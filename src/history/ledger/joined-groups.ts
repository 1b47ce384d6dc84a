// Union-find over groups of items during a pass: groups are created in order and joined when they turn out to be one.

import type { Group } from './groups.ts';

export class JoinedGroups {
  readonly #kinds: Group['kind'][] = [];
  /** Parent of each group: an earlier group, or itself. */
  readonly #joined: number[] = [];
  /** Last message in which each group was seen. */
  readonly #last: number[] = [];

  /** Creates a group first seen in `message`; returns its number. */
  begin(kind: Group['kind'], message: number): number {
    this.#joined.push(this.#kinds.length);
    this.#last.push(message);
    return this.#kinds.push(kind) - 1;
  }

  /** The first group of the joined set that contains `group`. */
  root(group: number): number {
    let root = group;
    for (let next = this.#joined[root]; next !== undefined && next !== root; next = this.#joined[root])
      root = next;
    this.#joined[group] = root;
    return root;
  }

  /** The root of the newest group. */
  newest(): number {
    return this.root(this.#kinds.length - 1);
  }

  kind(group: number): Group['kind'] {
    return this.#kinds[group] ?? 'system';
  }

  /** The last message in which a root was seen. */
  last(root: number): number {
    return this.#last[root] ?? 0;
  }

  seen(group: number, message: number): void {
    this.#last[this.root(group)] = message;
  }

  /** Joins two turns and all turns between them. */
  join(a: number, b: number): void {
    const from = Math.min(this.root(a), this.root(b));
    for (let at = Math.max(this.root(a), this.root(b)); at > from; at -= 1) {
      if (this.#kinds[at] !== 'turn') continue;
      const root = this.root(at);
      if (root <= from) break;
      this.#joined[root] = from;
      this.#last[from] = Math.max(this.last(from), this.last(root));
    }
  }
}
