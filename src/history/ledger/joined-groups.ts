// Groups of items while a conversation is walked: begun one by one, and joined where they turn out to be one.

import type { Group } from './groups.ts';

export class JoinedGroups {
  readonly #kinds: Group['kind'][] = [];
  /** Each leads to an earlier one it is part of, or to itself. */
  readonly #joined: number[] = [];
  /** Messages where each has been seen last. */
  readonly #last: number[] = [];

  /** A new group, first seen in `message`; gives its number. */
  begin(kind: Group['kind'], message: number): number {
    this.#joined.push(this.#kinds.length);
    this.#last.push(message);
    return this.#kinds.push(kind) - 1;
  }

  /** The first group that `group` is part of. */
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

  /** The message where a root has been seen last. */
  last(root: number): number {
    return this.#last[root] ?? 0;
  }

  seen(group: number, message: number): void {
    this.#last[this.root(group)] = message;
  }

  /** Makes one group of two turns and the turns between them. */
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
