// Archives in a PostgreSQL database, one for each session of a user. The words of a passage are split here, as for
// SQLite, and given to PostgreSQL as a `tsvector`; a table counts in how many passages each word is.

import type { Database, Migration, Sql, SqlValue } from '../database/index.ts';
import { checkSize, indexed, kept, keyOf, passageOf, RESEMBLANCE, trigramsOf } from './passage-row.ts';
import type { Match, Passage, RecallStore, Term } from './store.ts';
import { partsText, wordsOf } from './words.ts';

/** Every `tsvector` also has the number of its archive as a word, so that the index finds passages of one archive. */
const MIGRATIONS: readonly Migration[] = [
  {
    up: `CREATE TABLE archives (
      number INTEGER PRIMARY KEY AUTOINCREMENT, user TEXT NOT NULL, session TEXT NOT NULL, size INTEGER NOT NULL DEFAULT 0,
      UNIQUE (user, session));
    CREATE TABLE passages (
      archive INTEGER NOT NULL REFERENCES archives (number) ON DELETE CASCADE, position INTEGER NOT NULL,
      id TEXT NOT NULL, part INTEGER NOT NULL, line INTEGER NOT NULL, kind TEXT NOT NULL, source TEXT NOT NULL,
      text TEXT NOT NULL, terms tsvector NOT NULL, PRIMARY KEY (archive, position), UNIQUE (archive, id, part));
    CREATE INDEX passages_terms ON passages USING gin (terms);
    CREATE TABLE words (
      archive INTEGER NOT NULL REFERENCES archives (number) ON DELETE CASCADE, word TEXT NOT NULL,
      passages INTEGER NOT NULL, PRIMARY KEY (archive, word));
    CREATE TABLE vectors (
      archive INTEGER NOT NULL, position INTEGER NOT NULL, vector real[] NOT NULL, PRIMARY KEY (archive, position),
      FOREIGN KEY (archive, position) REFERENCES passages (archive, position) ON DELETE CASCADE);`,
    down: 'DROP TABLE vectors; DROP TABLE words; DROP TABLE passages; DROP TABLE archives;',
  },
];

const COLUMNS = 'position, id, part, line, kind, source, text';

/** Weights of D, C, B and A: nothing, the parts of compounds, words of the text, words of the source. */
const WEIGHTS = "'{0, 0.25, 0.5, 1}'";
/** Longer passages are divided by the logarithm of their length. */
const NORMALISED = 1;

/** Positions in a `tsvector` end here; later words have no order. */
const MAX_POSITION = 16_383;
/** Bytes of a word in a `tsvector`. Longer words are data such as base64. */
const MAX_WORD_BYTES = 2046;

export interface PostgresArchives {
  /** The archive of a session, created if absent. */
  open(user: string, session: string): Promise<RecallStore>;
  has(user: string, session: string): Promise<boolean>;
  /** False if there was none. */
  remove(user: string, session: string): Promise<boolean>;
}

/** Archives that nodes share; see `openRecall`. @throws {ReaderError} BUSY, INTERNAL */
export async function createPostgresArchives(database: Database): Promise<PostgresArchives> {
  await database.migrate('recall', MIGRATIONS);
  return {
    open: async (user, session) => {
      const number = await database.write(async (sql) => {
        const known = await numberOf(sql, user, session);
        if (known !== undefined) return known;
        await sql.run('INSERT INTO archives (user, session) VALUES (?, ?) ON CONFLICT DO NOTHING', [
          user,
          session,
        ]);
        return numberOf(sql, user, session);
      });
      if (number === undefined) throw new TypeError('The archive was removed while it was opened.');
      return storeOver(database, number);
    },
    has: async (user, session) => (await database.read((sql) => numberOf(sql, user, session))) !== undefined,
    remove: async (user, session) =>
      (await database.write((sql) =>
        sql.run('DELETE FROM archives WHERE user = ? AND session = ?', [user, session]),
      )) > 0,
  };
}

const numberOf = async (sql: Sql, user: string, session: string): Promise<number | undefined> =>
  (await sql.first('SELECT number FROM archives WHERE user = ? AND session = ?', [user, session]))?.integer(
    'number',
  );

function storeOver(database: Database, archive: number): RecallStore {
  const passages = async (sql: string, parameters: readonly SqlValue[]) =>
    (await database.read((transaction) => transaction.all(sql, parameters))).map(passageOf);
  return {
    add: (added) => database.write((sql) => append(sql, archive, added)),
    size: () => database.read((sql) => sizeOf(sql, archive)),
    frequencies: (words) => database.read((sql) => frequencies(sql, archive, words)),
    startingWith: (prefix, most) =>
      database.read(async (sql) => {
        const rows = await sql.all(
          'SELECT word FROM words WHERE archive = ? AND word >= ? AND word < ? ORDER BY passages DESC, word LIMIT ?',
          [archive, prefix, `${prefix}\u{10ffff}`, most],
        );
        return rows.map((row) => row.text('word'));
      }),
    resembling: (word, most) => database.read((sql) => resembling(sql, archive, word, most)),
    match: (match, { most, kind }) =>
      database.read(async (sql) => {
        const { query, rank, parameters } = await rankOf(sql, archive, match);
        const rows = await sql.all(
          `SELECT ${COLUMNS} FROM passages
           WHERE terms @@ CAST(? AS tsquery) AND archive = ? ${kind === undefined ? '' : 'AND kind = ?'}
           ORDER BY ${rank} DESC, position DESC LIMIT ?`,
          [query, archive, ...(kind === undefined ? [] : [kind]), ...parameters, most],
        );
        return rows.map(passageOf);
      }),
    entry: (id) =>
      passages(`SELECT ${COLUMNS} FROM passages WHERE archive = ? AND id = ? ORDER BY part`, [archive, id]),
    unembedded: (most) =>
      passages(
        `SELECT ${COLUMNS} FROM passages
         WHERE archive = ? AND position > (SELECT coalesce(max(position), 0) FROM vectors WHERE archive = ?)
         ORDER BY position LIMIT ?`,
        [archive, archive, most],
      ),
    embed: async (vectors) => {
      await database.write(async (sql) => {
        for (const { position, vector } of vectors)
          await sql.run(
            `INSERT INTO vectors VALUES (?, ?, CAST(? AS real[]))
             ON CONFLICT (archive, position) DO UPDATE SET vector = excluded.vector`,
            [archive, position, arrayOf(vector)],
          );
      });
    },
    // Scans the archive: PostgreSQL itself has no index of vectors. They have length 1, so their product is the cosine.
    nearest: (vector, { most, kind }) =>
      passages(
        `SELECT ${COLUMNS} FROM vectors JOIN passages USING (archive, position)
         CROSS JOIN LATERAL (SELECT sum(a * b) AS cosine FROM unnest(vector, CAST(? AS real[])) AS pairs (a, b)) AS compared
         WHERE archive = ? AND cardinality(vector) = ? ${kind === undefined ? '' : 'AND kind = ?'}
         ORDER BY cosine DESC, position DESC LIMIT ?`,
        [arrayOf(vector), archive, vector.length, ...(kind === undefined ? [] : [kind]), most],
      ),
    // The database belongs to whoever opened it.
    close: () => Promise.resolve(),
  };
}

async function sizeOf(sql: Sql, archive: number): Promise<number> {
  return (await sql.first('SELECT size FROM archives WHERE number = ?', [archive]))?.integer('size') ?? 0;
}

async function append(sql: Sql, archive: number, passages: readonly Passage[]): Promise<void> {
  // Others that add to this archive wait here.
  const locked = await sql.first('SELECT size FROM archives WHERE number = ? FOR UPDATE', [archive]);
  const size = locked?.integer('size') ?? 0;
  checkSize(size + passages.length);
  const known = await existing(sql, archive, passages);
  let position = size;
  const counts = new Map<string, number>();
  for (const { id, part, line, kind, source, text } of passages) {
    if (known.has(keyOf(id, part))) continue;
    known.add(keyOf(id, part));
    position += 1;
    const { vector, words } = termsOf(archive, text, source);
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
    await sql.run(
      `INSERT INTO passages (archive, ${COLUMNS}, terms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, CAST(? AS tsvector))`,
      [archive, position, id, part, line, kind, source, kept(text), vector],
    );
  }
  if (position === size) return;
  await sql.run('UPDATE archives SET size = ? WHERE number = ?', [position, archive]);
  await sql.run(
    `INSERT INTO words (archive, word, passages)
     SELECT ?, pair.key, CAST(pair.value AS bigint) FROM jsonb_each_text(CAST(? AS jsonb)) AS pair WHERE true
     ON CONFLICT (archive, word) DO UPDATE SET passages = words.passages + excluded.passages`,
    [archive, JSON.stringify(Object.fromEntries(counts))],
  );
}

/** Keys of passages that the archive has. */
async function existing(sql: Sql, archive: number, passages: readonly Passage[]): Promise<Set<string>> {
  const ids = [...new Set(passages.map(({ id }) => id))];
  const rows = await sql.all(
    `SELECT id, part FROM passages WHERE archive = ?
       AND id IN (SELECT jsonb_array_elements_text(CAST(? AS jsonb)))`,
    [archive, JSON.stringify(ids)],
  );
  return new Set(rows.map((row) => keyOf(row.text('id'), row.integer('part'))));
}

/** A passage as a `tsvector`: words of the text (B), then parts of compounds (C), then words of the source (A). */
function termsOf(
  archive: number,
  text: string,
  source: string,
): { readonly vector: string; readonly words: Iterable<string> } {
  const plain = indexed(text);
  const places = new Map<string, string[]>();
  let position = 0;
  const add = (words: readonly string[], weight: string): void => {
    for (const word of words) {
      position = Math.min(MAX_POSITION, position + 1);
      if (Buffer.byteLength(word) > MAX_WORD_BYTES) continue;
      places.set(word, [...(places.get(word) ?? []), `${position}${weight}`]);
    }
    position = Math.min(MAX_POSITION, position + 1); // a phrase does not cross this
  };
  add(wordsOf(plain), 'B');
  add(wordsOf(partsText(plain)), 'C');
  add(wordsOf(indexed(source)), 'A');
  const lexemes = [...places].map(([word, at]) => `'${word}':${at.slice(0, 255).join(',')}`);
  return { vector: [`'${markOf(archive)}'`, ...lexemes].join(' '), words: places.keys() };
}

/** Not a word of any text. */
const markOf = (archive: number): string => `#${archive}`;

async function frequencies(sql: Sql, archive: number, words: readonly string[]): Promise<readonly number[]> {
  const rows = await sql.all(
    `SELECT word, passages FROM words WHERE archive = ?
       AND word IN (SELECT jsonb_array_elements_text(CAST(? AS jsonb)))`,
    [archive, JSON.stringify(words)],
  );
  const found = new Map(rows.map((row) => [row.text('word'), row.integer('passages')]));
  return words.map((word) => found.get(word) ?? 0);
}

/**
 * The query, and the rank of a passage: the sum of the ranks of its terms, each times how rare its word is. PostgreSQL
 * ranks by how often and where a word occurs in a passage alone.
 */
async function rankOf(
  sql: Sql,
  archive: number,
  match: Match,
): Promise<{ readonly query: string; readonly rank: string; readonly parameters: readonly SqlValue[] }> {
  const groups = match.map((terms) => terms.map(queryOf).filter((text) => text !== ''));
  const query = [`'${markOf(archive)}'`, ...groups.map((terms) => `(${terms.join(' | ') || "''"})`)].join(
    ' & ',
  );
  const size = await sizeOf(sql, archive);
  const terms = match.flat();
  const counts = await frequencies(
    sql,
    archive,
    terms.map(({ kind, text }) => (kind === 'word' ? text : (wordsOf(text)[0] ?? ''))),
  );
  const ranks: string[] = [];
  const parameters: SqlValue[] = [];
  for (const [at, term] of terms.entries()) {
    const text = queryOf(term);
    if (text === '') continue;
    const count = counts[at] ?? 0;
    ranks.push(`ts_rank(${WEIGHTS}, terms, CAST(? AS tsquery), ${NORMALISED}) * CAST(? AS double precision)`);
    parameters.push(text, String(Math.log(1 + (size - count + 0.5) / (count + 0.5))));
  }
  return { query, rank: ranks.length === 0 ? '0' : `(${ranks.join(' + ')})`, parameters };
}

/** A term in the language of `tsquery`: words are letters, digits, marks and `_` alone, so quoting them is safe. */
function queryOf({ kind, text }: Term): string {
  const words = wordsOf(text).map((word) => `'${word}'`);
  if (kind === 'prefix') return words.map((word) => `${word}:*`).join(' <-> ');
  return words.length > 1 ? `(${words.join(' <-> ')})` : (words[0] ?? '');
}

/** Words that contain `word`, or if none does, words with the same first letter that share most of its trigrams. */
async function resembling(sql: Sql, archive: number, word: string, most: number): Promise<string[]> {
  const containing = await sql.all(
    `SELECT word FROM words WHERE archive = ? AND strpos(word, ?) > 0
     ORDER BY length(word), passages DESC, word LIMIT ?`,
    [archive, word, most],
  );
  if (containing.length > 0) return containing.map((row) => row.text('word'));
  const [first = ''] = word;
  const trigrams = trigramsOf(word);
  if (trigrams.length === 0) return [];
  const shared = trigrams.map(() => 'CASE WHEN strpos(word, ?) > 0 THEN 1 ELSE 0 END').join(' + ');
  const rows = await sql.all(
    `SELECT word FROM (SELECT word, passages, ${shared} AS shared FROM words
       WHERE archive = ? AND word >= ? AND word < ? AND length(word) BETWEEN ? AND ?) AS alike
     WHERE shared >= ? ORDER BY shared DESC, abs(length(word) - ?), passages DESC LIMIT ?`,
    [
      ...trigrams,
      archive,
      first,
      `${first}\u{10ffff}`,
      Math.floor(word.length / 2),
      word.length * 2,
      Math.ceil(trigrams.length * RESEMBLANCE),
      word.length,
      most,
    ],
  );
  return rows.map((row) => row.text('word'));
}

/** The vector with length 1, as PostgreSQL writes arrays. */
function arrayOf(vector: Float32Array): string {
  const length = Math.hypot(...vector) || 1;
  return `{${Array.from(vector, (part) => part / length).join(',')}}`;
}
