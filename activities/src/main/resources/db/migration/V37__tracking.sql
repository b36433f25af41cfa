-- Datasets that follow their source, and what the last check found.
CREATE TABLE tracking (
  dataset          text COLLATE "C" PRIMARY KEY REFERENCES dataset (id) ON DELETE CASCADE,
  interval_seconds bigint NOT NULL CHECK (interval_seconds > 0),
  created_at       timestamptz NOT NULL,
  checked_at       timestamptz,
  made             text COLLATE "C",   -- the version that the last check made
  objects_changed  bigint NOT NULL DEFAULT 0,
  objects_added    bigint NOT NULL DEFAULT 0,
  objects_removed  bigint NOT NULL DEFAULT 0,
  problem_code     text,
  problem_message  text
);
