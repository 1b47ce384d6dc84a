// Writes the SQLite databases of fixtures/tabular with the command `sqlite3`. Run by hand:
// `node test/support/make-sqlite-fixtures.mjs`.
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const at = (name) => fileURLToPath(new URL(`../../fixtures/tabular/${name}`, import.meta.url));
function make(name, sql) {
  rmSync(at(name), { force: true });
  execFileSync('sqlite3', [at(name)], { input: sql });
}

make(
  'harbour.sqlite',
  `PRAGMA page_size = 512;
CREATE TABLE ships (id INTEGER PRIMARY KEY, name TEXT NOT NULL, "length (m)" REAL, crew INT, built DATE, note);
CREATE TABLE calls (
  ship INTEGER REFERENCES ships(id), berth TEXT, arrived TEXT,
  fee DECIMAL(10, 2) DEFAULT 0.5, -- in euros
  hours AS (fee * 2) VIRTUAL,
  PRIMARY KEY (berth, arrived)
) WITHOUT ROWID;
CREATE TABLE [log entries] (line TEXT, size ANY) STRICT;
CREATE TABLE empty (a, b);
CREATE INDEX by_name ON ships (name);
CREATE VIEW long_ships AS SELECT name FROM ships WHERE "length (m)" > 100;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150)
INSERT INTO ships SELECT i, 'Ship ' || i, i * 1.5, nullif(i % 7, 0), date('2000-01-01', i || ' days'),
  CASE i % 5 WHEN 0 THEN zeroblob(i) WHEN 1 THEN x'0a0b' WHEN 2 THEN '' WHEN 3 THEN NULL ELSE 9223372036854775807 END
FROM n;
DELETE FROM ships WHERE id % 10 = 0;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
INSERT INTO calls (ship, berth, arrived) SELECT i % 150, 'Berth ' || (i % 4), datetime('2026-01-01', (i * 7) || ' hours') FROM n;
INSERT INTO [log entries] VALUES ('short', 1), (printf('%.2000c', 'long'), 2.0), ('größer, 東京', NULL);
ALTER TABLE ships ADD COLUMN flag TEXT DEFAULT 'NO';
INSERT INTO ships VALUES (1000, 'Last', 10, 3, NULL, NULL, 'PT');
`,
);
