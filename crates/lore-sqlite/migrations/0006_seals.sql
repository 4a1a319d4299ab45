-- Schema 6: a seal in every row, so that damage to a value is noticed.
--
-- SQLite notices a damaged file only where its own structure suffers. `seal` is a checksum
-- over all other columns of a row, in their order. SQLite computes it by itself whenever a
-- row is written, with the function of seal.rs, so no statement can forget it. Events have
-- none: their chain of hashes is one.
--
-- A computed column cannot be added to a table, so each table is made anew: its rows step
-- aside and come back. (Renaming tables instead takes SQLite many times longer than all the
-- rest when a store is new.) The same goes for whoever gives a table another column: what is
-- not under the seal is not protected.

CREATE TABLE unsealed AS SELECT * FROM world;
DROP TABLE world;
CREATE TABLE world (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  uid         BLOB    NOT NULL UNIQUE CHECK (length(uid) = 16),
  name        TEXT    NOT NULL CHECK (name <> ''),
  name_key    TEXT    NOT NULL UNIQUE,
  created_at  INTEGER NOT NULL,
  seal        INTEGER NOT NULL GENERATED ALWAYS AS (seal_of(
    id, uid, name, name_key, created_at
  )) STORED
) STRICT;
INSERT INTO world SELECT * FROM unsealed;
DROP TABLE unsealed;

CREATE TABLE unsealed AS SELECT * FROM principal;
DROP TABLE principal;
CREATE TABLE principal (
  id             INTEGER PRIMARY KEY AUTOINCREMENT,
  name           TEXT    NOT NULL CHECK (name <> ''),
  name_key       TEXT    NOT NULL UNIQUE,
  default_world  INTEGER REFERENCES world (id),
  seal           INTEGER NOT NULL GENERATED ALWAYS AS (seal_of(
    id, name, name_key, default_world
  )) STORED
) STRICT;
INSERT INTO principal SELECT * FROM unsealed;
DROP TABLE unsealed;

CREATE TABLE unsealed AS SELECT * FROM membership;
DROP TABLE membership;
CREATE TABLE membership (
  principal  INTEGER NOT NULL REFERENCES principal (id),
  world      INTEGER NOT NULL REFERENCES world (id),
  role       TEXT    NOT NULL CHECK (role IN ('reader', 'player', 'gm', 'owner')),
  seal       INTEGER NOT NULL GENERATED ALWAYS AS (seal_of(principal, world, role)) STORED,
  PRIMARY KEY (principal, world)
) STRICT, WITHOUT ROWID;
INSERT INTO membership SELECT * FROM unsealed;
DROP TABLE unsealed;

CREATE TABLE unsealed AS SELECT * FROM token;
DROP TABLE token;
CREATE TABLE token (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  public_id    TEXT    NOT NULL UNIQUE,
  secret_hash  BLOB    NOT NULL CHECK (length(secret_hash) = 32),
  principal    INTEGER NOT NULL REFERENCES principal (id),
  world        INTEGER NOT NULL REFERENCES world (id),
  role         TEXT    NOT NULL CHECK (role IN ('reader', 'player', 'gm', 'owner')),
  created_at   INTEGER NOT NULL,
  revoked_at   INTEGER,
  seal         INTEGER NOT NULL GENERATED ALWAYS AS (seal_of(
    id, public_id, secret_hash, principal, world, role, created_at, revoked_at
  )) STORED
) STRICT;
INSERT INTO token SELECT * FROM unsealed;
DROP TABLE unsealed;
CREATE INDEX token_of_principal ON token (principal, world);
CREATE INDEX token_of_world ON token (world, id);

CREATE TABLE unsealed AS SELECT * FROM counter;
DROP TABLE counter;
CREATE TABLE counter (
  world  INTEGER NOT NULL,
  name   TEXT    NOT NULL,
  next   INTEGER NOT NULL CHECK (next > 0),
  seal   INTEGER NOT NULL GENERATED ALWAYS AS (seal_of(world, name, next)) STORED,
  PRIMARY KEY (world, name)
) STRICT, WITHOUT ROWID;
INSERT INTO counter SELECT * FROM unsealed;
DROP TABLE unsealed;

CREATE TABLE unsealed AS SELECT * FROM node;
DROP TABLE node;
CREATE TABLE node (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  uid           BLOB    NOT NULL UNIQUE CHECK (length(uid) = 16),
  world         INTEGER NOT NULL REFERENCES world (id),
  number        INTEGER NOT NULL CHECK (number > 0),
  kind_number   INTEGER NOT NULL CHECK (kind_number > 0),
  kind          TEXT    NOT NULL,
  namespace     TEXT    NOT NULL,
  name          TEXT    NOT NULL CHECK (name <> ''),
  name_key      TEXT    NOT NULL,
  subtype       TEXT,
  subtype_key   TEXT,
  visibility    TEXT    NOT NULL CHECK (visibility IN ('members', 'gm', 'private')),
  private_to    INTEGER REFERENCES principal (id),
  properties    TEXT    NOT NULL,
  version       INTEGER NOT NULL,
  created_at    INTEGER NOT NULL,
  created_by    INTEGER NOT NULL REFERENCES principal (id),
  updated_at    INTEGER NOT NULL,
  updated_by    INTEGER NOT NULL REFERENCES principal (id),
  deleted_at    INTEGER,
  derived_name  INTEGER NOT NULL,
  seal          INTEGER NOT NULL GENERATED ALWAYS AS (seal_of(
    id, uid, world, number, kind_number, kind, namespace, name, name_key, subtype,
    subtype_key, visibility, private_to, properties, version, created_at, created_by,
    updated_at, updated_by, deleted_at, derived_name
  )) STORED,
  UNIQUE (world, number),
  UNIQUE (world, kind, kind_number),
  CHECK ((visibility = 'private') = (private_to IS NOT NULL))
) STRICT;
INSERT INTO node SELECT * FROM unsealed;
DROP TABLE unsealed;
CREATE INDEX node_by_name ON node (world, name_key);
CREATE INDEX node_by_namespace ON node (world, kind, namespace, created_at);

CREATE TABLE unsealed AS SELECT * FROM alias;
DROP TABLE alias;
CREATE TABLE alias (
  node      INTEGER NOT NULL REFERENCES node (id),
  name_key  TEXT    NOT NULL,
  name      TEXT    NOT NULL CHECK (name <> ''),
  position  INTEGER NOT NULL,
  seal      INTEGER NOT NULL GENERATED ALWAYS AS (seal_of(node, name_key, name, position)) STORED,
  PRIMARY KEY (node, name_key)
) STRICT, WITHOUT ROWID;
INSERT INTO alias SELECT * FROM unsealed;
DROP TABLE unsealed;
CREATE INDEX alias_by_name ON alias (name_key);

CREATE TABLE unsealed AS SELECT * FROM tag;
DROP TABLE tag;
CREATE TABLE tag (
  id     INTEGER PRIMARY KEY AUTOINCREMENT,
  world  INTEGER NOT NULL REFERENCES world (id),
  name   TEXT    NOT NULL CHECK (name <> ''),
  key    TEXT    NOT NULL,
  seal   INTEGER NOT NULL GENERATED ALWAYS AS (seal_of(id, world, name, key)) STORED,
  UNIQUE (world, key)
) STRICT;
INSERT INTO tag SELECT * FROM unsealed;
DROP TABLE unsealed;

CREATE TABLE unsealed AS SELECT * FROM node_tag;
DROP TABLE node_tag;
CREATE TABLE node_tag (
  node  INTEGER NOT NULL REFERENCES node (id),
  tag   INTEGER NOT NULL REFERENCES tag (id),
  seal  INTEGER NOT NULL GENERATED ALWAYS AS (seal_of(node, tag)) STORED,
  PRIMARY KEY (node, tag)
) STRICT, WITHOUT ROWID;
INSERT INTO node_tag SELECT * FROM unsealed;
DROP TABLE unsealed;
CREATE INDEX node_tag_by_tag ON node_tag (tag, node);

CREATE TABLE unsealed AS SELECT * FROM text;
DROP TABLE text;
CREATE TABLE text (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  uid          BLOB    NOT NULL UNIQUE CHECK (length(uid) = 16),
  node         INTEGER NOT NULL REFERENCES node (id),
  kind         TEXT    NOT NULL,
  title        TEXT    NOT NULL,
  body         TEXT    NOT NULL,
  position     INTEGER NOT NULL,
  visibility   TEXT    NOT NULL CHECK (visibility IN ('members', 'gm', 'private')),
  private_to   INTEGER REFERENCES principal (id),
  version      INTEGER NOT NULL,
  created_at   INTEGER NOT NULL,
  created_by   INTEGER NOT NULL REFERENCES principal (id),
  updated_at   INTEGER NOT NULL,
  updated_by   INTEGER NOT NULL REFERENCES principal (id),
  deleted_at   INTEGER,
  source       TEXT,
  session      TEXT,
  author       TEXT,
  occurred_at  INTEGER,
  searchable   INTEGER NOT NULL,
  seal         INTEGER NOT NULL GENERATED ALWAYS AS (seal_of(
    id, uid, node, kind, title, body, position, visibility, private_to, version, created_at,
    created_by, updated_at, updated_by, deleted_at, source, session, author, occurred_at,
    searchable
  )) STORED,
  CHECK ((visibility = 'private') = (private_to IS NOT NULL))
) STRICT;
INSERT INTO text SELECT * FROM unsealed;
DROP TABLE unsealed;
CREATE INDEX text_of_node ON text (node, position);

CREATE TABLE unsealed AS SELECT * FROM edge;
DROP TABLE edge;
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
  seal        INTEGER NOT NULL GENERATED ALWAYS AS (seal_of(
    id, source, target, kind, weight, visibility, private_to, properties, version,
    created_at, created_by, deleted_at
  )) STORED,
  CHECK ((visibility = 'private') = (private_to IS NOT NULL))
) STRICT;
INSERT INTO edge SELECT * FROM unsealed;
DROP TABLE unsealed;
-- Not unique: an edge that somebody does not see must not keep them from drawing theirs.
CREATE INDEX edge_by_source ON edge (source, kind, target);
CREATE INDEX edge_by_target ON edge (target, kind, source);

CREATE TABLE unsealed AS SELECT * FROM state;
DROP TABLE state;
CREATE TABLE state (
  node        INTEGER NOT NULL REFERENCES node (id),
  name        TEXT    NOT NULL,
  value       TEXT    NOT NULL,
  visibility  TEXT    NOT NULL CHECK (visibility IN ('members', 'gm', 'private')),
  private_to  INTEGER REFERENCES principal (id),
  version     INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  updated_by  INTEGER NOT NULL REFERENCES principal (id),
  seal        INTEGER NOT NULL GENERATED ALWAYS AS (seal_of(
    node, name, value, visibility, private_to, version, updated_at, updated_by
  )) STORED,
  PRIMARY KEY (node, name),
  CHECK ((visibility = 'private') = (private_to IS NOT NULL))
) STRICT, WITHOUT ROWID;
INSERT INTO state SELECT * FROM unsealed;
DROP TABLE unsealed;

CREATE TABLE unsealed AS SELECT * FROM answered;
DROP TABLE answered;
CREATE TABLE answered (
  principal  INTEGER NOT NULL REFERENCES principal (id),
  world      INTEGER NOT NULL REFERENCES world (id),
  tool       TEXT    NOT NULL,
  key        TEXT    NOT NULL,
  answer     TEXT    NOT NULL,
  at         INTEGER NOT NULL,
  seal       INTEGER NOT NULL GENERATED ALWAYS AS (seal_of(
    principal, world, tool, key, answer, at
  )) STORED,
  PRIMARY KEY (principal, world, tool, key)
) STRICT, WITHOUT ROWID;
INSERT INTO answered SELECT * FROM unsealed;
DROP TABLE unsealed;
CREATE INDEX answered_by_age ON answered (at);

CREATE TABLE unsealed AS SELECT * FROM session;
DROP TABLE session;
CREATE TABLE session (
  key            TEXT    PRIMARY KEY,
  principal      INTEGER NOT NULL REFERENCES principal (id),
  opening        TEXT    NOT NULL,
  subscriptions  TEXT    NOT NULL,
  seen_at        INTEGER NOT NULL,
  seal           INTEGER NOT NULL GENERATED ALWAYS AS (seal_of(
    key, principal, opening, subscriptions, seen_at
  )) STORED
) STRICT, WITHOUT ROWID;
INSERT INTO session SELECT * FROM unsealed;
DROP TABLE unsealed;
CREATE INDEX session_by_age ON session (seen_at);

CREATE TABLE unsealed AS SELECT * FROM access;
DROP TABLE access;
CREATE TABLE access (
  node     INTEGER PRIMARY KEY REFERENCES node (id),
  count    INTEGER NOT NULL CHECK (count > 0),
  last_at  INTEGER NOT NULL,
  seal     INTEGER NOT NULL GENERATED ALWAYS AS (seal_of(node, count, last_at)) STORED
) STRICT;
INSERT INTO access SELECT * FROM unsealed;
DROP TABLE unsealed;

CREATE TABLE unsealed AS SELECT * FROM change_log;
DROP TABLE change_log;
CREATE TABLE change_log (
  seq         INTEGER PRIMARY KEY,
  world       INTEGER NOT NULL REFERENCES world (id),
  uri         TEXT    NOT NULL,
  at          INTEGER NOT NULL,
  visibility  TEXT    NOT NULL CHECK (visibility IN ('members', 'gm', 'private')),
  private_to  INTEGER REFERENCES principal (id),
  seal        INTEGER NOT NULL GENERATED ALWAYS AS (seal_of(
    seq, world, uri, at, visibility, private_to
  )) STORED,
  CHECK ((visibility = 'private') = (private_to IS NOT NULL))
) STRICT;
INSERT INTO change_log SELECT * FROM unsealed;
DROP TABLE unsealed;
CREATE INDEX change_log_of_world ON change_log (world, seq);

CREATE TABLE unsealed AS SELECT * FROM audit;
DROP TABLE audit;
CREATE TABLE audit (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  world       INTEGER NOT NULL REFERENCES world (id),
  at          INTEGER NOT NULL,
  principal   INTEGER NOT NULL REFERENCES principal (id),
  tool        TEXT    NOT NULL,
  request_id  TEXT    NOT NULL,
  source      TEXT,
  detail      TEXT    NOT NULL,
  seal        INTEGER NOT NULL GENERATED ALWAYS AS (seal_of(
    id, world, at, principal, tool, request_id, source, detail
  )) STORED
) STRICT;
INSERT INTO audit SELECT * FROM unsealed;
DROP TABLE unsealed;
CREATE INDEX audit_of_world ON audit (world, id);

CREATE TABLE unsealed AS SELECT * FROM doc;
DROP TABLE doc;
CREATE TABLE doc (
  seq       INTEGER PRIMARY KEY,
  world     INTEGER NOT NULL REFERENCES world (id),
  node      INTEGER NOT NULL REFERENCES node (id),
  text      INTEGER NOT NULL,
  analysis  BLOB    NOT NULL,
  model     TEXT,
  vector    BLOB,
  seal      INTEGER NOT NULL GENERATED ALWAYS AS (seal_of(
    seq, world, node, text, analysis, model, vector
  )) STORED,
  UNIQUE (node, text),
  CHECK ((model IS NULL) = (vector IS NULL))
) STRICT;
INSERT INTO doc SELECT * FROM unsealed;
DROP TABLE unsealed;
CREATE INDEX doc_of_world ON doc (world, seq);
CREATE INDEX doc_of_model ON doc (model, seq);
