-- Schema 3: how texts came about, what search reads, and how often things are asked for.

ALTER TABLE node ADD COLUMN derived_name INTEGER NOT NULL DEFAULT 0;

ALTER TABLE text ADD COLUMN source TEXT;
ALTER TABLE text ADD COLUMN session TEXT;
ALTER TABLE text ADD COLUMN author TEXT;
ALTER TABLE text ADD COLUMN occurred_at INTEGER;
ALTER TABLE text ADD COLUMN searchable INTEGER NOT NULL DEFAULT 1;

-- What search reads of a text, or of a node's name, aliases, tags and subtype
-- (text 0). Derived: everything here can be made again from the tables above.
-- A row that changes gets a new `seq`, the highest so far, so that an index in
-- memory catches up by reading what comes after the last row it knows. Rows are
-- never removed; whether a thing is live, and who sees it, is asked of its own
-- table. `analysis` is lore_search::Analysis; an empty one is made while reading.
-- `vector` is the embedding of `model`, where an outside model is used.
CREATE TABLE doc (
  seq       INTEGER PRIMARY KEY,
  world     INTEGER NOT NULL REFERENCES world (id),
  node      INTEGER NOT NULL REFERENCES node (id),
  text      INTEGER NOT NULL,
  analysis  BLOB    NOT NULL,
  model     TEXT,
  vector    BLOB,
  UNIQUE (node, text),
  CHECK ((model IS NULL) = (vector IS NULL))
) STRICT;

CREATE INDEX doc_of_world ON doc (world, seq);
CREATE INDEX doc_of_model ON doc (model, seq);

INSERT INTO doc (seq, world, node, text, analysis)
SELECT row_number() OVER (ORDER BY node, text), world, node, text, x''
FROM (SELECT world, id AS node, 0 AS text FROM node
      UNION ALL
      SELECT n.world, n.id, t.id FROM text t JOIN node n ON n.id = t.node);

CREATE TABLE access (
  node     INTEGER PRIMARY KEY REFERENCES node (id),
  count    INTEGER NOT NULL CHECK (count > 0),
  last_at  INTEGER NOT NULL
) STRICT;

-- Things of one sort by age: the newest of them, and those older than a moment.
CREATE INDEX node_by_namespace ON node (world, kind, namespace, created_at);
