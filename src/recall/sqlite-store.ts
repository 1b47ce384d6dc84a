// A store in one SQLite file: passages as rows, and a contentless FTS5 index over their words.

import { basename, join } from 'node:path';
import { ReaderError, systemError } from '../contract/index.ts';
import { type Database, type Migration, openDatabase, type Sql } from '../database/index.ts';
import { makeFolder } from '../disk/index.ts';
import { checkSize, indexed, kept, keyOf, passageOf, RESEMBLANCE, trigramsOf } from './passage-row.ts';
import type { Match, Passage, RecallStore, Term } from './store.ts';
import { partsText } from './words.ts';

const FILE = 'recall.db';
const FOLDER_MODE = 0o700;

/**
 * `words` holds the text, split by FTS5 with underscores and combining marks inside words; `parts` holds the parts of
 * compounds, at half the weight. The source has twice the weight: a file seldom contains its own path.
 */
const MIGRATIONS: readonly Migration[] = [
  {
    up: `CREATE TABLE passages (
     position INTEGER PRIMARY KEY, id TEXT NOT NULL, part INTEGER NOT NULL, line INTEGER NOT NULL, kind TEXT NOT NULL,
     source TEXT NOT NULL, text TEXT NOT NULL, UNIQUE (id, part)) STRICT;
   CREATE VIRTUAL TABLE terms USING fts5(words, parts, source, content='',
     tokenize="unicode61 remove_diacritics 0 categories 'L* N* M* Co' tokenchars '_'");
   INSERT INTO terms(terms, rank) VALUES ('rank', 'bm25(1.0, 0.5, 2.0)');
   CREATE VIRTUAL TABLE vocabulary USING fts5vocab(terms, 'row');
   CREATE TABLE vectors (position INTEGER PRIMARY KEY, vector BLOB NOT NULL) STRICT;`,
    down: 'DROP TABLE vectors; DROP TABLE vocabulary; DROP TABLE terms; DROP TABLE passages;',
  },
];

const COLUMNS = 'position, id, part, line, kind, source, text';

/**
 * Opens or makes the archive in `folder`.
 * @throws {ReaderError} BUSY, CORRUPT_FILE, INTERNAL
 */
export async function openSqliteStore(folder: string): Promise<RecallStore> {
  await makeFolder(folder, FOLDER_MODE).catch((error: unknown) => {
    throw systemError(error, basename(folder), 'change');
  });
  const database = await openDatabase(join(folder, FILE), { of: 'archive' });
  try {
    await database.migrate('recall', MIGRATIONS);
    await database.read(refuseOlder);
  } catch (error) {
    await database.close();
    throw error;
  }
  return storeOver(database);
}

/** Builds before the first release kept an entry in one row. @throws {ReaderError} CORRUPT_FILE for an archive of one */
async function refuseOlder(sql: Sql): Promise<void> {
  const columns = await sql.all("SELECT name FROM pragma_table_info('passages') WHERE name = 'part'");
  if (columns.length > 0) return;
  throw new ReaderError(
    'CORRUPT_FILE',
    `\`${FILE}\` was written by a build of lectern from before the first release, in another form.`,
    `Move \`${FILE}\` away, and add the documents again.`,
  );
}

function storeOver(database: Database): RecallStore {
  return {
    add: (passages) => database.write((sql) => append(sql, passages)),
    size: () => database.read((sql) => sizeOf(sql)),
    frequencies: (words) =>
      database.read(async (sql) => {
        const rows = await sql.all(
          `SELECT term, doc FROM vocabulary WHERE term IN (${words.map(() => '?').join()})`,
          words,
        );
        const found = new Map(rows.map((row) => [row.text('term'), row.integer('doc')]));
        return words.map((word) => found.get(word) ?? 0);
      }),
    startingWith: (prefix, most) =>
      database.read(async (sql) => {
        const rows = await sql.all(
          'SELECT term FROM vocabulary WHERE term >= ? AND term < ? ORDER BY doc DESC LIMIT ?',
          [prefix, `${prefix}\u{10ffff}`, most],
        );
        return rows.map((row) => row.text('term'));
      }),
    resembling: (word, most) => database.read((sql) => resembling(sql, word, most)),
    match: (match, { most, kind }) =>
      database.read(async (sql) => {
        const rows = await sql.all(
          kind === undefined
            ? `SELECT ${COLUMNS} FROM (SELECT rowid AS found, rank AS score FROM terms WHERE terms MATCH ? ORDER BY rank LIMIT ?)
               JOIN passages ON position = found ORDER BY score, position DESC`
            : `SELECT ${COLUMNS} FROM (SELECT rowid AS found, rank AS score FROM terms WHERE terms MATCH ?)
               JOIN passages ON position = found WHERE kind = ? ORDER BY score, position DESC LIMIT ?`,
          kind === undefined ? [expressionOf(match), most] : [expressionOf(match), kind, most],
        );
        return rows.map(passageOf);
      }),
    entry: (id) =>
      database.read(async (sql) => {
        const rows = await sql.all(`SELECT ${COLUMNS} FROM passages WHERE id = ? ORDER BY part`, [id]);
        return rows.map(passageOf);
      }),
    unembedded: (most) =>
      database.read(async (sql) => {
        const rows = await sql.all(
          `SELECT ${COLUMNS} FROM passages WHERE position > (SELECT coalesce(max(position), 0) FROM vectors) ORDER BY position LIMIT ?`,
          [most],
        );
        return rows.map(passageOf);
      }),
    embed: (vectors) =>
      database.write(async (sql) => {
        for (const { position, vector } of vectors)
          await sql.run('INSERT OR REPLACE INTO vectors VALUES (?, vector32(?))', [position, jsonOf(vector)]);
      }),
    nearest: (vector, { most, kind }) =>
      database.read(async (sql) => {
        const rows = await sql.all(
          `SELECT ${COLUMNS} FROM vectors JOIN passages USING (position)
           WHERE length(vector) = length(vector32(?1)) ${kind === undefined ? '' : 'AND kind = ?3'}
           ORDER BY vector_distance_cos(vector, vector32(?1)), position DESC LIMIT ?2`,
          [jsonOf(vector), most, ...(kind === undefined ? [] : [kind])],
        );
        return rows.map(passageOf);
      }),
    close: () => database.close(),
  };
}

async function sizeOf(sql: Sql): Promise<number> {
  // Rows are only ever appended.
  return (await sql.first('SELECT coalesce(max(position), 0) AS size FROM passages'))?.integer('size') ?? 0;
}

async function append(sql: Sql, passages: readonly Passage[]): Promise<void> {
  const size = await sizeOf(sql);
  checkSize(size + passages.length);
  // Two statements for all rows: preparing a statement costs more than inserting a row.
  const rows = passages.map(({ id, part, line, kind, source, text }) => [
    id,
    part,
    line,
    kind,
    source,
    kept(text),
  ]);
  const added = await sql.all(
    `INSERT INTO passages (id, part, line, kind, source, text)
     SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5 FROM json_each(?) WHERE true
     ON CONFLICT DO NOTHING RETURNING position, id, part, source`,
    [JSON.stringify(rows)],
  );
  const texts = new Map(passages.map((passage) => [keyOf(passage.id, passage.part), passage.text]));
  const words = added.map((row) => {
    const text = texts.get(keyOf(row.text('id'), row.integer('part'))) ?? '';
    const plain = indexed(text);
    return [row.integer('position'), plain, partsText(plain), row.text('source')];
  });
  await sql.run(
    'INSERT INTO terms (rowid, words, parts, source) SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(?)',
    [JSON.stringify(words)],
  );
}

/** Words that contain `word`, or if none does, words with the same first letter that share most of its trigrams. */
async function resembling(sql: Sql, word: string, most: number): Promise<string[]> {
  const containing = await sql.all(
    'SELECT term FROM vocabulary WHERE instr(term, ?) > 0 ORDER BY length(term), doc DESC LIMIT ?',
    [word, most],
  );
  if (containing.length > 0) return containing.map((row) => row.text('term'));
  const [first = ''] = word;
  const trigrams = trigramsOf(word);
  if (trigrams.length === 0) return [];
  const shared = trigrams.map(() => '(instr(term, ?) > 0)').join(' + ');
  const rows = await sql.all(
    `SELECT term FROM (SELECT term, doc, ${shared} AS shared FROM vocabulary
       WHERE term >= ? AND term < ? AND length(term) BETWEEN ? AND ?)
     WHERE shared >= ? ORDER BY shared DESC, abs(length(term) - ?), doc DESC LIMIT ?`,
    [
      ...trigrams,
      first,
      `${first}\u{10ffff}`,
      Math.floor(word.length / 2),
      word.length * 2,
      Math.ceil(trigrams.length * RESEMBLANCE),
      word.length,
      most,
    ],
  );
  return rows.map((row) => row.text('term'));
}

/** The FTS5 query. */
function expressionOf(match: Match): string {
  return match.map((terms) => `(${terms.map(termOf).join(' OR ')})`).join(' AND ');
}

function termOf({ kind, text }: Term): string {
  const quoted = `"${text.replaceAll('"', '""')}"`;
  return kind === 'prefix' ? `${quoted} *` : quoted;
}

const jsonOf = (vector: Float32Array): string => JSON.stringify([...vector]);
