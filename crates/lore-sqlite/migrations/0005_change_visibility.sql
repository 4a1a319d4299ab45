-- Schema 5: who may know of a change, so that nobody is told of what they cannot see.

ALTER TABLE change_log ADD COLUMN visibility TEXT NOT NULL DEFAULT 'members'
  CHECK (visibility IN ('members', 'gm', 'private'));

ALTER TABLE change_log ADD COLUMN private_to INTEGER REFERENCES principal (id)
  CHECK ((visibility = 'private') = (private_to IS NOT NULL));
