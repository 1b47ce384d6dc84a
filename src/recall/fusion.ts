// Several rankings as one, by reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009).

/** The constant of the paper: how slowly the weight of a rank falls. */
const RANK_CONSTANT = 60;

/** What stands high in many of `rankings`, best first; what only one has counts too. */
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
