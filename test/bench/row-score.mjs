// Scores the tables of a Markdown text against rows that are known: a row is right if all its cells stand in one row of one
// table, each in a cell of its own, in order, and in the columns in which the other rows of that table have theirs.

const plain = (text) =>
  text
    .normalize('NFKC')
    .replace(/<br\s*\/?>/gi, ' ')
    .replace(/\\(?=[^\w\s])|\*\*|&nbsp;/g, '')
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/\u2019/g, "'")
    .replace(/[$\u20AC\u00A3]|\bEUR\b/g, '')
    .replace(/(?:[.\u2026]\s*){4,}$/g, '')
    .replace(/\s+/g, '')
    .toLowerCase();

/** The pipe tables of a text, as rows of plain cells. */
export function tablesOf(markdown) {
  const tables = [];
  let open;
  for (const line of markdown.split('\n')) {
    if (!/^\s*\|.*\|\s*$/.test(line)) {
      open = undefined;
      continue;
    }
    const cells = line
      .trim()
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim());
    if (cells.every((cell) => /^:?-{3,}:?$/.test(cell))) continue;
    if (open === undefined) {
      open = [];
      tables.push(open);
    }
    open.push(cells.map(plain));
  }
  return tables;
}

/**
 * @param markdown what a reader gave
 * @param rows `{ cells, columns, heading }`: the texts that are not empty, the column of each (undefined if it spans), and
 *   whether it is a heading across the table
 * @param names the lowest names above the columns, by column
 */
export function scoreRows(markdown, rows, names) {
  const tables = tablesOf(markdown);
  const found = tables.map(() => []);
  const wanted = rows.map(({ cells }) => cells.map(plain));
  const used = new Set();
  const outside = new Set(
    markdown
      .split('\n')
      .filter((line) => !line.trim().startsWith('|'))
      .map((line) => plain(line.replace(/^#+\s*/, ''))),
  );
  const wrong = [];
  let headings = 0;
  let headingsRight = 0;
  rows.forEach((row, index) => {
    const texts = wanted[index];
    if (row.heading) {
      headings += 1;
      const alone = tables.some((table) =>
        table.some((cells) => cells.filter((cell) => cell !== '').join('\n') === texts[0]),
      );
      if (alone || outside.has(texts[0])) headingsRight += 1;
      else wrong.push(row);
      return;
    }
    const key = texts.join('\n');
    for (const [number, table] of tables.entries()) {
      const at = table.findIndex(
        (cells, line) =>
          !used.has(cells) && line >= 0 && cells.filter((cell) => cell !== '').join('\n') === key,
      );
      if (at < 0) continue;
      used.add(table[at]);
      found[number].push({ row, at, cells: table[at] });
      return;
    }
    wrong.push(row);
  });
  let right = 0;
  let heads = 0;
  let headsRight = 0;
  for (const [number, matches] of found.entries()) {
    const place = placesOf(matches);
    for (const match of matches) {
      if (isInPlace(match, place)) right += 1;
      else wrong.push(match.row);
    }
    if (matches.length < 3) continue;
    heads += 1;
    const first = Math.min(...matches.map(({ at }) => at));
    const above = tables[number].slice(0, first);
    if (
      names.every(
        (name, column) =>
          name === '' ||
          place.get(column) === undefined ||
          above
            .map((cells) => cells[place.get(column)] ?? '')
            .join('')
            .includes(plain(name)),
      )
    )
      headsRight += 1;
  }
  const count = rows.length - headings;
  return { rows: count, right, headings, headingsRight, heads, headsRight, wrong };
}

/** The cell in which most rows of a table have each column. */
function placesOf(matches) {
  const votes = new Map();
  for (const match of matches)
    for (const [column, at] of positions(match)) {
      const vote = votes.get(column) ?? new Map();
      vote.set(at, (vote.get(at) ?? 0) + 1);
      votes.set(column, vote);
    }
  return new Map([...votes].map(([column, vote]) => [column, [...vote].sort((a, b) => b[1] - a[1])[0][0]]));
}

function positions({ row, cells }) {
  const full = cells.flatMap((cell, index) => (cell === '' ? [] : [index]));
  return row.columns.flatMap((column, index) => (column === undefined ? [] : [[column, full[index]]]));
}

const isInPlace = (match, place) => positions(match).every(([column, at]) => place.get(column) === at);
