-- When a pin was taken last; null where nobody knows.
ALTER TABLE pin ADD COLUMN taken_at timestamptz;
