// The words of an SQL statement as SQLite splits them (SQLite, tokenize.c): enough to find the columns of a table.

export interface SqlWord {
  /** `quoted`: a name or text in quotes. `open` and `close` are parentheses. */
  readonly kind: 'name' | 'quoted' | 'number' | 'blob' | 'open' | 'close' | 'comma' | 'other';
  /** Without quotes. */
  readonly text: string;
  /** In capitals, for keywords; empty unless `kind` is `name`. */
  readonly keyword: string;
}

const PATTERN =
  /(?<space>\s+|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|(?<blob>[xX]'[0-9a-fA-F]*')|'(?<single>(?:[^']|'')*)'|"(?<double>(?:[^"]|"")*)"|`(?<back>(?:[^`]|``)*)`|\[(?<bracket>[^\]]*)\]|(?<number>0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)|(?<name>[\p{L}\p{N}_$\u0080-\u{10ffff}]+)|(?<open>\()|(?<close>\))|(?<comma>,)|(?<other>[\s\S])/uy;

/** The words of `sql`, without spaces and comments. */
export function sqlWords(sql: string): SqlWord[] {
  const words: SqlWord[] = [];
  const pattern = new RegExp(PATTERN);
  for (let found = pattern.exec(sql); found?.groups; found = pattern.exec(sql)) {
    const { groups } = found;
    const quoted =
      groups['single']?.replaceAll("''", "'") ??
      groups['double']?.replaceAll('""', '"') ??
      groups['back']?.replaceAll('``', '`') ??
      groups['bracket'];
    if (quoted !== undefined) words.push({ kind: 'quoted', text: quoted, keyword: '' });
    else if (groups['space'] === undefined) {
      const kind = (['blob', 'number', 'name', 'open', 'close', 'comma'] as const).find(
        (one) => groups[one] !== undefined,
      );
      // A quote that is never closed.
      if (kind === undefined && /['"`[]/.test(found[0])) return words;
      const keyword = kind === 'name' ? found[0].toUpperCase() : '';
      words.push({ kind: kind ?? 'other', text: found[0], keyword });
    }
  }
  return words;
}
