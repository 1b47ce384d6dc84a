-- Tables of the first release with several nodes, and a few rows, for tests of later releases. Never edited.

CREATE SCHEMA lectern;
SET search_path = lectern;

CREATE TABLE IF NOT EXISTS stores (name TEXT COLLATE "C" PRIMARY KEY, version BIGINT NOT NULL);

CREATE TABLE keys (
  id TEXT COLLATE "C" PRIMARY KEY,
  "user" TEXT COLLATE "C" NOT NULL,
  scopes TEXT COLLATE "C" NOT NULL,
  label TEXT COLLATE "C" NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL,
  expires_at TEXT COLLATE "C",
  revoked_at TEXT COLLATE "C",
  hash TEXT COLLATE "C" NOT NULL
  );

CREATE TABLE idempotency (
  "user" TEXT COLLATE "C" NOT NULL,
  key TEXT COLLATE "C" NOT NULL,
  target TEXT COLLATE "C" NOT NULL,
  body_hash TEXT COLLATE "C",
  answer TEXT COLLATE "C",
  expires_at BIGINT NOT NULL,
  PRIMARY KEY ("user", key)
  );
  CREATE INDEX idempotency_expiry ON idempotency (expires_at);

CREATE TABLE jobs (
  number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id TEXT COLLATE "C" NOT NULL UNIQUE,
  "user" TEXT COLLATE "C" NOT NULL,
  request TEXT COLLATE "C" NOT NULL,
  keep_seconds BIGINT NOT NULL,
  idempotency_key TEXT COLLATE "C",
  fingerprint TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL,
  cancelled BIGINT NOT NULL DEFAULT 0,
  ended_at BIGINT,
  expires_at BIGINT,
  seq BIGINT NOT NULL DEFAULT 0,
  done_seq BIGINT
  );
  CREATE UNIQUE INDEX jobs_key ON jobs ("user", idempotency_key) WHERE idempotency_key IS NOT NULL;
  CREATE INDEX jobs_user ON jobs ("user", number);
  CREATE INDEX jobs_expiry ON jobs (expires_at) WHERE expires_at IS NOT NULL;

  CREATE TABLE items (
  job BIGINT NOT NULL REFERENCES jobs (number) ON DELETE CASCADE,
  position BIGINT NOT NULL,
  "user" TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  bytes BIGINT NOT NULL,
  blob TEXT COLLATE "C",
  sha256 TEXT COLLATE "C",
  mime_type TEXT COLLATE "C",
  session TEXT COLLATE "C",
  path TEXT COLLATE "C",
  work TEXT COLLATE "C",
  state TEXT COLLATE "C" NOT NULL DEFAULT 'queued',
  attempts BIGINT NOT NULL DEFAULT 0,
  losses BIGINT NOT NULL DEFAULT 0,
  available_at BIGINT NOT NULL,
  fence BIGINT NOT NULL DEFAULT 0,
  holder TEXT COLLATE "C",
  beat BIGINT NOT NULL DEFAULT 0,
  error TEXT COLLATE "C",
  PRIMARY KEY (job, position)
  );
  CREATE INDEX items_state ON items (job, state, bytes);
  CREATE INDEX items_queued ON items ("user", job, position) WHERE state = 'queued';
  CREATE INDEX items_running ON items (job, position) WHERE state = 'running';
  CREATE INDEX items_dead ON items ("user", job, position) WHERE state = 'dead';
  CREATE INDEX items_work ON items ("user", work) WHERE state IN ('succeeded', 'failed');
  CREATE INDEX items_blob ON items ("user", blob) WHERE blob IS NOT NULL;

  CREATE TABLE results (
  job BIGINT NOT NULL,
  position BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  json TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (job, position),
  FOREIGN KEY (job, position) REFERENCES items (job, position) ON DELETE CASCADE
  );
  CREATE UNIQUE INDEX results_order ON results (job, seq);

  CREATE TABLE turns (
  "user" TEXT COLLATE "C" PRIMARY KEY,
  turn BIGINT NOT NULL
  );
  CREATE INDEX turns_order ON turns (turn);

  CREATE TABLE webhooks (
  job BIGINT PRIMARY KEY REFERENCES jobs (number) ON DELETE CASCADE,
  url TEXT COLLATE "C" NOT NULL,
  secret TEXT COLLATE "C" NOT NULL,
  state TEXT COLLATE "C" NOT NULL DEFAULT 'waiting',
  message_id TEXT COLLATE "C",
  body TEXT COLLATE "C",
  attempts BIGINT NOT NULL DEFAULT 0,
  next_at BIGINT,
  holder TEXT COLLATE "C",
  fence BIGINT NOT NULL DEFAULT 0,
  last_status BIGINT,
  last_error TEXT COLLATE "C"
  );
  CREATE INDEX webhooks_due ON webhooks (next_at) WHERE next_at IS NOT NULL;

CREATE TABLE quota_folders (
  folder TEXT COLLATE "C" PRIMARY KEY,
  settled_bytes BIGINT NOT NULL DEFAULT 0,
  settled_files BIGINT NOT NULL DEFAULT 0,
  counted_bytes BIGINT NOT NULL DEFAULT 0,
  counted_files BIGINT NOT NULL DEFAULT 0,
  since_bytes BIGINT NOT NULL DEFAULT 0,
  since_files BIGINT NOT NULL DEFAULT 0,
  counts BIGINT NOT NULL DEFAULT 0,
  last_count BIGINT NOT NULL DEFAULT 0,
  counted_at BIGINT,
  kept_ms BIGINT NOT NULL DEFAULT 0
  );
  CREATE TABLE quota_reservations (
  folder TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  bytes BIGINT NOT NULL,
  files BIGINT NOT NULL,
  node TEXT COLLATE "C" NOT NULL,
  holder TEXT COLLATE "C" NOT NULL,
  beat BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (folder, id)
  );
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
