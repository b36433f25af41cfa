-- How far a region is, in files too, and since when it is being filled.
ALTER TABLE residency ADD COLUMN objects_cached bigint NOT NULL DEFAULT 0;
ALTER TABLE residency ADD COLUMN filling_since timestamptz;
ALTER TABLE residency ADD COLUMN filling_bytes bigint;
