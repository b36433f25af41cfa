-- Which of the keys below the prefix belong to a dataset: patterns, one a line, and a list of keys.
ALTER TABLE dataset ADD COLUMN include_patterns text NOT NULL DEFAULT '';
ALTER TABLE dataset ADD COLUMN exclude_patterns text NOT NULL DEFAULT '';
ALTER TABLE dataset ADD COLUMN key_list text;   -- s3://bucket/key

-- What a version was made from, and how it differs from the one that was there before.
CREATE TABLE origin (
  version           text COLLATE "C" PRIMARY KEY REFERENCES version (id) ON DELETE CASCADE,
  bucket            text NOT NULL,
  prefix            text NOT NULL,
  include_patterns  text NOT NULL,
  exclude_patterns  text NOT NULL,
  key_list          text,
  key_list_etag     text,
  key_list_version  text,
  before            text COLLATE "C",   -- the version it was compared with
  objects_unchanged bigint NOT NULL,
  objects_changed   bigint NOT NULL,
  objects_added     bigint NOT NULL,
  objects_removed   bigint NOT NULL,
  bytes_new         bigint NOT NULL,
  frozen_at         timestamptz NOT NULL
);
