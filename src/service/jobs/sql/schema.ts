// Tables of the job queue, as migrations: steps are appended, never edited.

import type { Migration } from '../../database.ts';

export const JOB_TABLES: readonly Migration[] = [
  {
    up: `
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
  `,
    down: 'DROP TABLE webhooks; DROP TABLE turns; DROP TABLE results; DROP TABLE items; DROP TABLE jobs;',
  },
];
