-- Schema 2: documents of state, logs of what happened, and answers to give again.

CREATE TABLE state (
  node        INTEGER NOT NULL REFERENCES node (id),
  name        TEXT    NOT NULL,
  value       TEXT    NOT NULL,
  visibility  TEXT    NOT NULL CHECK (visibility IN ('members', 'gm', 'private')),
  private_to  INTEGER REFERENCES principal (id),
  version     INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  updated_by  INTEGER NOT NULL REFERENCES principal (id),
  PRIMARY KEY (node, name),
  CHECK ((visibility = 'private') = (private_to IS NOT NULL))
) STRICT, WITHOUT ROWID;

-- Rows are only ever added. `hash` is lore_store::chain::link of the row.
CREATE TABLE event (
  node           INTEGER NOT NULL REFERENCES node (id),
  seq            INTEGER NOT NULL CHECK (seq > 0),
  at             INTEGER NOT NULL,
  kind           TEXT    NOT NULL,
  request_id     TEXT    NOT NULL,
  invocation_id  TEXT    NOT NULL,
  participant    BLOB    CHECK (length(participant) = 16),
  character      BLOB    CHECK (length(character) = 16),
  payload        TEXT    NOT NULL,
  secret         TEXT,
  visibility     TEXT    NOT NULL CHECK (visibility IN ('members', 'gm', 'private')),
  private_to     INTEGER REFERENCES principal (id),
  settles        INTEGER,
  previous       BLOB    NOT NULL CHECK (length(previous) = 32),
  hash           BLOB    NOT NULL CHECK (length(hash) = 32),
  PRIMARY KEY (node, seq),
  CHECK ((visibility = 'private') = (private_to IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX event_settles ON event (node, settles) WHERE settles IS NOT NULL;

CREATE TABLE answered (
  principal  INTEGER NOT NULL REFERENCES principal (id),
  world      INTEGER NOT NULL REFERENCES world (id),
  tool       TEXT    NOT NULL,
  key        TEXT    NOT NULL,
  answer     TEXT    NOT NULL,
  at         INTEGER NOT NULL,
  PRIMARY KEY (principal, world, tool, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX answered_by_age ON answered (at);
