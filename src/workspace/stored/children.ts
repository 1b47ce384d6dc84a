// The entries of a folder in object storage, where folders are only the beginnings of keys.

import type { BlobFacts, Blobs } from '../../blobs/index.ts';

/** A file, or without `facts` a folder. */
export interface Child {
  readonly name: string;
  readonly facts?: BlobFacts;
}

/** After this many keys inside one folder, listing goes on after the folder. */
const MANY = 200;

/** The longest key that sorts after any other that starts the same. */
const LAST = '\u{10ffff}'.repeat(225);

/** Groups keys that are already listed. `keys` are sorted, and all start with `prefix`. */
export function* childrenIn(keys: readonly BlobFacts[], prefix: string): Generator<Child> {
  let folder: string | undefined;
  for (const facts of keys) {
    const child = childOf(facts, prefix);
    if (child.facts) yield child;
    else if (child.name !== folder) {
      folder = child.name;
      yield child;
    }
  }
}

/** Entries of the folder at `prefix`. The cost grows with their number, not with that of the files in all folders below. */
export async function* childrenOf(
  blobs: Blobs,
  prefix: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Child> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const from: string = after;
    after = undefined;
    let folder: string | undefined;
    let inside = 0;
    for await (const facts of blobs.list(prefix, { after: from, ...(signal && { signal }) })) {
      const child = childOf(facts, prefix);
      if (child.facts) {
        yield child;
        continue;
      }
      if (child.name !== folder) {
        folder = child.name;
        inside = 0;
        yield child;
      }
      inside += 1;
      if (inside < MANY) continue;
      after = `${prefix}${child.name}/${LAST}`;
      break;
    }
  }
}

function childOf(facts: BlobFacts, prefix: string): Child {
  const rest = facts.key.slice(prefix.length);
  const end = rest.indexOf('/');
  return end < 0 ? { name: rest, facts } : { name: rest.slice(0, end) };
}
