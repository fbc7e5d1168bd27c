/**
 * What share of the queries has one of its tools first (hit@1), and among the first five (recall@5).
 * @param {readonly { query: string, tools: readonly string[] }[]} queries
 * @param {(query: string) => readonly string[]} search the names of the tools found, best first
 */
export function qualityOf(queries, search) {
  const counts = { hit1: 0, recall5: 0 };
  const missed = [];
  for (const { query, tools } of queries) {
    const place = search(query)
      .slice(0, 5)
      .findIndex((name) => tools.includes(name));
    if (place === 0) counts.hit1++;
    if (place >= 0) counts.recall5++;
    else missed.push(query);
  }
  return { hit1: counts.hit1 / queries.length, recall5: counts.recall5 / queries.length, missed };
}

/** The two halves of a labelled set: what may be tuned on, and what only judges. */
export function halvesOf(queries) {
  return [queries.filter((_, place) => place % 2 === 0), queries.filter((_, place) => place % 2 === 1)];
}
