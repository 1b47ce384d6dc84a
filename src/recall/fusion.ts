// Several rankings as one, by reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009).

/** The constant `k` of the paper. A larger one lowers the weight of the first ranks. */
const RANK_CONSTANT = 60;

/** The items of all `rankings`, best first: the higher and the more often an item is ranked, the better. */
export function fused<T extends { readonly position: number }>(rankings: readonly (readonly T[])[]): T[] {
  const scores = new Map<number, { readonly item: T; score: number }>();
  for (const ranking of rankings)
    for (const [rank, item] of ranking.entries()) {
      const found = scores.get(item.position) ?? { item, score: 0 };
      found.score += 1 / (RANK_CONSTANT + rank + 1);
      scores.set(item.position, found);
    }
  return [...scores.values()]
    .sort((a, b) => b.score - a.score || b.item.position - a.item.position)
    .map(({ item }) => item);
}
