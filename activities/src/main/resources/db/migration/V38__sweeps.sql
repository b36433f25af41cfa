-- A deleted dataset keeps its row, and so its name: the name of a version never comes to mean other bytes.
ALTER TABLE dataset ADD COLUMN deleted_at timestamptz;
-- From what the time to live of its copies counts.
ALTER TABLE dataset ADD COLUMN ttl_after text NOT NULL DEFAULT 'PIN' CHECK (ttl_after IN ('PIN', 'READ'));
CREATE INDEX residency_by_region ON residency (region) WHERE state <> 'ABSENT';
