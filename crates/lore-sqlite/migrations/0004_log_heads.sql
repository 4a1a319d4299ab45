-- Schema 4: the head of every log, as a document of its node (lore_store::chain::HEAD), so
-- that a log that was cut off at its end is noticed. From here on each append keeps it.

INSERT INTO state (node, name, value, visibility, private_to, version, updated_at, updated_by)
SELECT e.node, 'log_head', json_object('count', e.seq, 'hash', lower(hex(e.hash))),
  'members', NULL, 1, e.at, n.created_by
FROM event e JOIN node n ON n.id = e.node
WHERE e.seq = (SELECT max(l.seq) FROM event l WHERE l.node = e.node);
