-- Schema 7: when those who see a node last saw it change.
--
-- `node.updated_at` is the last change of all, behind the game master's screen as well. A node
-- that has changed there since is listed here, with the last change that everybody who sees the
-- node could see. Most nodes are not: for them both are one.
CREATE TABLE shown_change (
  node  INTEGER PRIMARY KEY REFERENCES node (id),
  at    INTEGER NOT NULL,
  by    INTEGER NOT NULL REFERENCES principal (id),
  seal  INTEGER NOT NULL GENERATED ALWAYS AS (seal_of(node, at, by)) STORED
) STRICT;
