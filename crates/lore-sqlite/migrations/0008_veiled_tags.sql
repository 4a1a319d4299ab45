-- Schema 8: a name may be two tags, one that everybody knows and one of the game master's side.
--
-- What only the game master's side knows must not show in what others do with the same name, so
-- the two have rows of their own. Where the page of a tag is hidden, all that has the tag was
-- tagged by the hidden one until now.
CREATE TABLE untold AS SELECT g.*, EXISTS (
    SELECT 1 FROM node h WHERE h.world = g.world AND h.name_key = g.key AND h.kind = 'tag'
      AND h.visibility = 'gm' AND h.deleted_at IS NULL) AS veiled
  FROM (SELECT id, world, name, key FROM tag) g;
DROP TABLE tag;
CREATE TABLE tag (
  id      INTEGER PRIMARY KEY AUTOINCREMENT,
  world   INTEGER NOT NULL REFERENCES world (id),
  name    TEXT    NOT NULL CHECK (name <> ''),
  key     TEXT    NOT NULL,
  veiled  INTEGER NOT NULL CHECK (veiled IN (0, 1)),
  seal    INTEGER NOT NULL GENERATED ALWAYS AS (seal_of(id, world, name, key, veiled)) STORED,
  UNIQUE (world, key, veiled)
) STRICT;
INSERT INTO tag (id, world, name, key, veiled) SELECT id, world, name, key, veiled FROM untold;
DROP TABLE untold;
