-- A round that is held for the same reason as the one before is counted in its row.

ALTER TABLE cycles ADD COLUMN times INTEGER NOT NULL DEFAULT 1;
ALTER TABLE cycles ADD COLUMN until INTEGER; -- the last time of several
