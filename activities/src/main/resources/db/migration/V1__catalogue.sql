-- Names are compared byte by byte, so that pages have one order whatever the database's locale.
CREATE TABLE namespace (
  name       text COLLATE "C" PRIMARY KEY,
  created_at timestamptz NOT NULL
);

CREATE TABLE dataset (
  id          text COLLATE "C" PRIMARY KEY,   -- namespace/name
  namespace   text COLLATE "C" NOT NULL REFERENCES namespace (name),
  bucket      text NOT NULL,
  prefix      text NOT NULL,
  ttl_seconds bigint NOT NULL CHECK (ttl_seconds > 0),
  created_at  timestamptz NOT NULL
);
CREATE INDEX dataset_by_namespace ON dataset (namespace, id);

CREATE TABLE version (
  id               text COLLATE "C" PRIMARY KEY,   -- namespace/name@version
  dataset          text COLLATE "C" NOT NULL REFERENCES dataset (id),
  ttl_seconds      bigint NOT NULL CHECK (ttl_seconds > 0),
  created_at       timestamptz NOT NULL,
  -- The manifest is set once: the trigger below refuses another one.
  manifest_digest  text,
  manifest_uri     text,
  manifest_objects bigint,
  manifest_bytes   bigint,
  manifest_chunks  bigint,
  CHECK (num_nulls(manifest_digest, manifest_uri, manifest_objects, manifest_bytes, manifest_chunks) IN (0, 5))
);
CREATE INDEX version_by_dataset ON version (dataset, id);

CREATE FUNCTION keep_manifest() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.manifest_digest IS NOT NULL AND NEW.manifest_digest IS DISTINCT FROM OLD.manifest_digest THEN
    RAISE EXCEPTION 'version % has manifest % for good', OLD.id, OLD.manifest_digest;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER version_keeps_manifest BEFORE UPDATE ON version FOR EACH ROW EXECUTE FUNCTION keep_manifest();

-- What workflows said last of each version: read-models, replaced as a whole.
CREATE TABLE residency (
  version         text COLLATE "C" NOT NULL REFERENCES version (id),
  region          text COLLATE "C" NOT NULL,
  state           text NOT NULL,
  bytes_cached    bigint NOT NULL,
  bytes_from_lake bigint NOT NULL,
  path            text,
  cached_at       timestamptz,
  evictable_at    timestamptz,
  blocked_code    text,
  blocked_message text,
  PRIMARY KEY (version, region)
);
CREATE INDEX residency_by_expiry ON residency (region, evictable_at) WHERE state = 'CACHED';

CREATE TABLE pin (
  version    text COLLATE "C" NOT NULL REFERENCES version (id),
  region     text COLLATE "C" NOT NULL,
  id         text COLLATE "C" NOT NULL,
  holder     text NOT NULL,
  reason     text NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (version, region, id)
);
CREATE INDEX pin_by_region ON pin (region, version, id);

-- What was accepted under which idempotency key, and which run of the workflow answers it.
CREATE TABLE request (
  version     text COLLATE "C" NOT NULL REFERENCES version (id),
  id          text COLLATE "C" NOT NULL,
  region      text NOT NULL,
  body        text NOT NULL,
  workflow_id text NOT NULL,
  run_id      text,
  created_at  timestamptz NOT NULL,
  PRIMARY KEY (version, id)
);
CREATE INDEX request_by_age ON request (created_at);
