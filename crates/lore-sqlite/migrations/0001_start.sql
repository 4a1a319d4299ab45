-- Schema 1: worlds, who may enter them, what is in them, and the two logs.
--
-- Moments are microseconds since 1970 (UTC). Uids are the sixteen bytes of a
-- UUIDv7. Every `…_key` is lore_core::names::name_key of its neighbour: names
-- are compared by key, because SQLite's own folding knows only ASCII.
-- Things are never removed: `deleted_at` puts them into the bin.

CREATE TABLE world (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  uid         BLOB    NOT NULL UNIQUE CHECK (length(uid) = 16),
  name        TEXT    NOT NULL CHECK (name <> ''),
  name_key    TEXT    NOT NULL UNIQUE,
  created_at  INTEGER NOT NULL
) STRICT;

CREATE TABLE principal (
  id             INTEGER PRIMARY KEY AUTOINCREMENT,
  name           TEXT    NOT NULL CHECK (name <> ''),
  name_key       TEXT    NOT NULL UNIQUE,
  default_world  INTEGER REFERENCES world (id)
) STRICT;

-- Rights that come with making a world. A token grants its own on top, for as
-- long as it is not revoked.
CREATE TABLE membership (
  principal  INTEGER NOT NULL REFERENCES principal (id),
  world      INTEGER NOT NULL REFERENCES world (id),
  role       TEXT    NOT NULL CHECK (role IN ('reader', 'player', 'gm', 'owner')),
  PRIMARY KEY (principal, world)
) STRICT, WITHOUT ROWID;

CREATE TABLE token (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  public_id    TEXT    NOT NULL UNIQUE,
  secret_hash  BLOB    NOT NULL CHECK (length(secret_hash) = 32),
  principal    INTEGER NOT NULL REFERENCES principal (id),
  world        INTEGER NOT NULL REFERENCES world (id),
  role         TEXT    NOT NULL CHECK (role IN ('reader', 'player', 'gm', 'owner')),
  created_at   INTEGER NOT NULL,
  revoked_at   INTEGER
) STRICT;

CREATE INDEX token_of_principal ON token (principal, world);
CREATE INDEX token_of_world ON token (world, id);

-- The next value of each running number. World 0 is the whole store. A counter
-- is part of the transaction that takes from it, so numbers have no gaps.
CREATE TABLE counter (
  world  INTEGER NOT NULL,
  name   TEXT    NOT NULL,
  next   INTEGER NOT NULL CHECK (next > 0),
  PRIMARY KEY (world, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE node (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  uid          BLOB    NOT NULL UNIQUE CHECK (length(uid) = 16),
  world        INTEGER NOT NULL REFERENCES world (id),
  number       INTEGER NOT NULL CHECK (number > 0),
  kind_number  INTEGER NOT NULL CHECK (kind_number > 0),
  kind         TEXT    NOT NULL,
  namespace    TEXT    NOT NULL,
  name         TEXT    NOT NULL CHECK (name <> ''),
  name_key     TEXT    NOT NULL,
  subtype      TEXT,
  subtype_key  TEXT,
  visibility   TEXT    NOT NULL CHECK (visibility IN ('members', 'gm', 'private')),
  private_to   INTEGER REFERENCES principal (id),
  properties   TEXT    NOT NULL,
  version      INTEGER NOT NULL,
  created_at   INTEGER NOT NULL,
  created_by   INTEGER NOT NULL REFERENCES principal (id),
  updated_at   INTEGER NOT NULL,
  updated_by   INTEGER NOT NULL REFERENCES principal (id),
  deleted_at   INTEGER,
  UNIQUE (world, number),
  UNIQUE (world, kind, kind_number),
  CHECK ((visibility = 'private') = (private_to IS NOT NULL))
) STRICT;

CREATE INDEX node_by_name ON node (world, name_key);

CREATE TABLE alias (
  node      INTEGER NOT NULL REFERENCES node (id),
  name_key  TEXT    NOT NULL,
  name      TEXT    NOT NULL CHECK (name <> ''),
  position  INTEGER NOT NULL,
  PRIMARY KEY (node, name_key)
) STRICT, WITHOUT ROWID;

CREATE INDEX alias_by_name ON alias (name_key);

CREATE TABLE tag (
  id     INTEGER PRIMARY KEY AUTOINCREMENT,
  world  INTEGER NOT NULL REFERENCES world (id),
  name   TEXT    NOT NULL CHECK (name <> ''),
  key    TEXT    NOT NULL,
  UNIQUE (world, key)
) STRICT;

CREATE TABLE node_tag (
  node  INTEGER NOT NULL REFERENCES node (id),
  tag   INTEGER NOT NULL REFERENCES tag (id),
  PRIMARY KEY (node, tag)
) STRICT, WITHOUT ROWID;

CREATE INDEX node_tag_by_tag ON node_tag (tag, node);

CREATE TABLE text (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  uid         BLOB    NOT NULL UNIQUE CHECK (length(uid) = 16),
  node        INTEGER NOT NULL REFERENCES node (id),
  kind        TEXT    NOT NULL,
  title       TEXT    NOT NULL,
  body        TEXT    NOT NULL,
  position    INTEGER NOT NULL,
  visibility  TEXT    NOT NULL CHECK (visibility IN ('members', 'gm', 'private')),
  private_to  INTEGER REFERENCES principal (id),
  version     INTEGER NOT NULL,
  created_at  INTEGER NOT NULL,
  created_by  INTEGER NOT NULL REFERENCES principal (id),
  updated_at  INTEGER NOT NULL,
  updated_by  INTEGER NOT NULL REFERENCES principal (id),
  deleted_at  INTEGER,
  CHECK ((visibility = 'private') = (private_to IS NOT NULL))
) STRICT;

CREATE INDEX text_of_node ON text (node, position);

CREATE TABLE edge (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  source      INTEGER NOT NULL REFERENCES node (id),
  target      INTEGER NOT NULL REFERENCES node (id),
  kind        TEXT    NOT NULL,
  weight      REAL    NOT NULL,
  visibility  TEXT    NOT NULL CHECK (visibility IN ('members', 'gm', 'private')),
  private_to  INTEGER REFERENCES principal (id),
  properties  TEXT    NOT NULL,
  version     INTEGER NOT NULL,
  created_at  INTEGER NOT NULL,
  created_by  INTEGER NOT NULL REFERENCES principal (id),
  deleted_at  INTEGER,
  UNIQUE (source, kind, target),
  CHECK ((visibility = 'private') = (private_to IS NOT NULL))
) STRICT;

CREATE INDEX edge_by_target ON edge (target, kind, source);

CREATE TABLE change_log (
  seq    INTEGER PRIMARY KEY,
  world  INTEGER NOT NULL REFERENCES world (id),
  uri    TEXT    NOT NULL,
  at     INTEGER NOT NULL
) STRICT;

CREATE INDEX change_log_of_world ON change_log (world, seq);

-- `detail` is JSON: {"changes": [{"op", "id", "version", "replaced", …}]}.
CREATE TABLE audit (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  world       INTEGER NOT NULL REFERENCES world (id),
  at          INTEGER NOT NULL,
  principal   INTEGER NOT NULL REFERENCES principal (id),
  tool        TEXT    NOT NULL,
  request_id  TEXT    NOT NULL,
  source      TEXT,
  detail      TEXT    NOT NULL
) STRICT;

CREATE INDEX audit_of_world ON audit (world, id);

CREATE TABLE session (
  key            TEXT    PRIMARY KEY,
  principal      INTEGER NOT NULL REFERENCES principal (id),
  opening        TEXT    NOT NULL,
  subscriptions  TEXT    NOT NULL,
  seen_at        INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX session_by_age ON session (seen_at);
