// What a process remembers of the files it has read, for the next read of the same content. A process that reads for
// several users forgets it between them, because a faster answer would show what another user has read.

import { BoundedMap, type BoundedMapOptions } from './bounded-map.ts';

const maps: { clear(): void }[] = [];

/** A map for the life of the process, by the identity of a content and what else the value depends on. */
export function createContentMap<V extends NonNullable<unknown>>(
  options: BoundedMapOptions<V>,
): BoundedMap<string, V> {
  const map = new BoundedMap<string, V>(options);
  maps.push(map);
  return map;
}

/** Empties every content map. */
export function forgetContents(): void {
  for (const map of maps) map.clear();
}
