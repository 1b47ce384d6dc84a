// Lists by key.

/** Adds a value to the list of its key. */
export function addTo<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

export function grouped<K, V>(all: readonly V[], keyOf: (one: V) => K): ReadonlyMap<K, V[]> {
  const groups = new Map<K, V[]>();
  for (const one of all) addTo(groups, keyOf(one), one);
  return groups;
}
