-- When a row was written last: rows that do not change are not written, so a filling that gets on has a late one.
ALTER TABLE residency ADD COLUMN changed_at timestamptz NOT NULL DEFAULT now();
