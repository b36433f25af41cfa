-- By which a status of a version that arrives late is known to be an old one.
ALTER TABLE version ADD COLUMN revision bigint NOT NULL DEFAULT 0;
