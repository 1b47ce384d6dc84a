-- Tables of the first release with several nodes, and a few rows, for tests of later releases. Never edited.

CREATE TABLE IF NOT EXISTS stores (name TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT;

CREATE TABLE keys (
  id TEXT PRIMARY KEY,
  user TEXT NOT NULL,
  scopes TEXT NOT NULL,
  label TEXT NOT NULL,
  created_at TEXT NOT NULL,
  expires_at TEXT,
  revoked_at TEXT,
  hash TEXT NOT NULL
  ) STRICT;

CREATE TABLE idempotency (
  user TEXT NOT NULL,
  key TEXT NOT NULL,
  target TEXT NOT NULL,
  body_hash TEXT,
  answer TEXT,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (user, key)
  ) STRICT;
  CREATE INDEX idempotency_expiry ON idempotency (expires_at);

CREATE TABLE jobs (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  user TEXT NOT NULL,
  request TEXT NOT NULL,
  keep_seconds INTEGER NOT NULL,
  idempotency_key TEXT,
  fingerprint TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  cancelled INTEGER NOT NULL DEFAULT 0,
  ended_at INTEGER,
  expires_at INTEGER,
  seq INTEGER NOT NULL DEFAULT 0,
  done_seq INTEGER
  ) STRICT;
  CREATE UNIQUE INDEX jobs_key ON jobs (user, idempotency_key) WHERE idempotency_key IS NOT NULL;
  CREATE INDEX jobs_user ON jobs (user, number);
  CREATE INDEX jobs_expiry ON jobs (expires_at) WHERE expires_at IS NOT NULL;

  CREATE TABLE items (
  job INTEGER NOT NULL REFERENCES jobs (number) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  user TEXT NOT NULL,
  name TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  blob TEXT,
  sha256 TEXT,
  mime_type TEXT,
  session TEXT,
  path TEXT,
  work TEXT,
  state TEXT NOT NULL DEFAULT 'queued',
  attempts INTEGER NOT NULL DEFAULT 0,
  losses INTEGER NOT NULL DEFAULT 0,
  available_at INTEGER NOT NULL,
  fence INTEGER NOT NULL DEFAULT 0,
  holder TEXT,
  beat INTEGER NOT NULL DEFAULT 0,
  error TEXT,
  PRIMARY KEY (job, position)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX items_state ON items (job, state, bytes);
  CREATE INDEX items_queued ON items (user, job, position) WHERE state = 'queued';
  CREATE INDEX items_running ON items (job, position) WHERE state = 'running';
  CREATE INDEX items_dead ON items (user, job, position) WHERE state = 'dead';
  CREATE INDEX items_work ON items (user, work) WHERE state IN ('succeeded', 'failed');
  CREATE INDEX items_blob ON items (user, blob) WHERE blob IS NOT NULL;

  CREATE TABLE results (
  job INTEGER NOT NULL,
  position INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  json TEXT NOT NULL,
  PRIMARY KEY (job, position),
  FOREIGN KEY (job, position) REFERENCES items (job, position) ON DELETE CASCADE
  ) STRICT;
  CREATE UNIQUE INDEX results_order ON results (job, seq);

  CREATE TABLE turns (
  user TEXT PRIMARY KEY,
  turn INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX turns_order ON turns (turn);

  CREATE TABLE webhooks (
  job INTEGER PRIMARY KEY REFERENCES jobs (number) ON DELETE CASCADE,
  url TEXT NOT NULL,
  secret TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'waiting',
  message_id TEXT,
  body TEXT,
  attempts INTEGER NOT NULL DEFAULT 0,
  next_at INTEGER,
  holder TEXT,
  fence INTEGER NOT NULL DEFAULT 0,
  last_status INTEGER,
  last_error TEXT
  ) STRICT;
  CREATE INDEX webhooks_due ON webhooks (next_at) WHERE next_at IS NOT NULL;

CREATE TABLE quota_folders (
  folder TEXT PRIMARY KEY,
  settled_bytes INTEGER NOT NULL DEFAULT 0,
  settled_files INTEGER NOT NULL DEFAULT 0,
  counted_bytes INTEGER NOT NULL DEFAULT 0,
  counted_files INTEGER NOT NULL DEFAULT 0,
  since_bytes INTEGER NOT NULL DEFAULT 0,
  since_files INTEGER NOT NULL DEFAULT 0,
  counts INTEGER NOT NULL DEFAULT 0,
  last_count INTEGER NOT NULL DEFAULT 0,
  counted_at INTEGER,
  kept_ms INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE TABLE quota_reservations (
  folder TEXT NOT NULL,
  id TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  files INTEGER NOT NULL,
  node TEXT NOT NULL,
  holder TEXT NOT NULL,
  beat INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (folder, id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX quota_nodes ON quota_reservations (node);

INSERT INTO stores (name, version) VALUES ('keys', 1), ('idempotency', 1), ('jobs', 1), ('quotas', 1);

INSERT INTO keys VALUES
  ('abcdefghijkm', 'ada', 'read files', 'laptop', '2026-01-01T00:00:00.000Z', NULL, NULL, '00ff');

INSERT INTO idempotency VALUES ('ada', 'k', 't', 'h', '{"status":201,"headers":{},"body":{}}', 4102444800000);

INSERT INTO jobs ("user", id, request, keep_seconds, fingerprint, created_at, ended_at, expires_at, seq, done_seq) VALUES
  ('ada', 'job_ended', '{}', 60, 'f', 1767225600000, 1767225601000, 4102444800000, 2, 2),
  ('ada', 'job_open', '{}', 60, 'f', 1767225600000, NULL, NULL, 0, NULL);

INSERT INTO items (job, position, "user", name, bytes, session, path, state, available_at, fence, holder) VALUES
  (1, 0, 'ada', 'a.csv', 0, 's', 'a.csv', 'succeeded', 1767225600000, 2, NULL),
  (2, 0, 'ada', 'b.csv', 0, 's', 'b.csv', 'queued', 1767225600000, 0, NULL);

INSERT INTO results VALUES (1, 0, 1, '{"success":true}');

INSERT INTO turns VALUES ('ada', 1);

INSERT INTO quota_folders (folder, settled_bytes, counted_at) VALUES ('ada/s', 10, 1767225600000);
