// Lists written as one text.

/** The words of a list. */
export const words = (list: string): string[] => list.split(' ');

/** `key value key value`, neither with a space. */
export function pairs(list: string): ReadonlyMap<string, string> {
  const all = words(list);
  return new Map(
    all.flatMap((key, at): [string, string][] => (at % 2 === 0 ? [[key, all[at + 1] ?? '']] : [])),
  );
}
