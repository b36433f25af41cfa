-- The catalogue: what users declared, and what each version's workflow last reported.
-- From 0.1.0 on a change is another migration, because databases have this one.
-- Names are compared byte by byte, so that pages have one order in every locale of the database.

-- Namespaces, datasets and versions

CREATE TABLE namespace (
  name       text COLLATE "C" PRIMARY KEY,
  created_at timestamptz NOT NULL
);

CREATE TABLE dataset (
  id               text COLLATE "C" PRIMARY KEY,   -- namespace/name
  namespace        text COLLATE "C" NOT NULL REFERENCES namespace (name),
  bucket           text NOT NULL,
  prefix           text NOT NULL,
  ttl_seconds      bigint NOT NULL CHECK (ttl_seconds > 0),
  created_at       timestamptz NOT NULL,
  -- The keys below the prefix that belong to the dataset: patterns, one per line, and a list of keys.
  include_patterns text NOT NULL DEFAULT '',
  exclude_patterns text NOT NULL DEFAULT '',
  key_list         text,   -- s3://bucket/key
  -- A deleted dataset keeps its row, so that the name of a version never means other bytes.
  deleted_at       timestamptz,
  -- The event from which the time to live of its copies counts.
  ttl_after        text NOT NULL DEFAULT 'PIN' CHECK (ttl_after IN ('PIN', 'READ'))
);
CREATE INDEX dataset_by_namespace ON dataset (namespace, id);

CREATE TABLE version (
  id               text COLLATE "C" PRIMARY KEY,   -- namespace/name@version
  dataset          text COLLATE "C" NOT NULL REFERENCES dataset (id),
  ttl_seconds      bigint NOT NULL CHECK (ttl_seconds > 0),
  created_at       timestamptz NOT NULL,
  -- The manifest is set once. The trigger refuses another one.
  manifest_digest  text,
  manifest_uri     text,
  manifest_objects bigint,
  manifest_bytes   bigint,
  manifest_chunks  bigint,
  -- The revision of the last status. An older status that arrives late is ignored.
  revision         bigint NOT NULL DEFAULT 0,
  -- By the database's clock, because control planes may have different ones. The last one is `latest`.
  frozen_at        timestamptz,
  CHECK (num_nulls(manifest_digest, manifest_uri, manifest_objects, manifest_bytes, manifest_chunks) IN (0, 5))
);
CREATE INDEX version_by_dataset ON version (dataset, id);
CREATE INDEX version_by_manifest ON version (dataset, manifest_digest);
CREATE INDEX version_by_freezing ON version (dataset, frozen_at, id) WHERE manifest_digest IS NOT NULL;

CREATE FUNCTION keep_manifest() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.manifest_digest IS NOT NULL AND NEW.manifest_digest IS DISTINCT FROM OLD.manifest_digest THEN
    RAISE EXCEPTION 'version % has manifest % for good', OLD.id, OLD.manifest_digest;
  END IF;
  IF NEW.manifest_digest IS NOT NULL AND NEW.frozen_at IS NULL THEN
    -- Later than the others, whatever the clock was then.
    NEW.frozen_at = greatest(now(),
      (SELECT max(frozen_at) + interval '1 microsecond' FROM version WHERE dataset = NEW.dataset));
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER version_keeps_manifest BEFORE INSERT OR UPDATE ON version
  FOR EACH ROW EXECUTE FUNCTION keep_manifest();

-- The listing from which a version was made, and its difference from the version before.
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

-- Names that users move from one version of a dataset to another.
CREATE TABLE alias (
  dataset  text COLLATE "C" NOT NULL REFERENCES dataset (id),
  name     text COLLATE "C" NOT NULL,
  version  text COLLATE "C" NOT NULL REFERENCES version (id),
  before   text COLLATE "C" REFERENCES version (id),   -- its version before the last move
  moved_at timestamptz NOT NULL,
  PRIMARY KEY (dataset, name)
);

-- Datasets that follow their source, and the result of the last check.
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

-- The space that the versions of a namespace may use in a region. '' is every region without a row.
CREATE TABLE quota (
  namespace text COLLATE "C" NOT NULL REFERENCES namespace (name),
  region    text COLLATE "C" NOT NULL,
  bytes     bigint NOT NULL CHECK (bytes >= 0),
  PRIMARY KEY (namespace, region)
);

-- Read models: the last status that a version's workflow reported. A new one replaces them.

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
  objects_cached  bigint NOT NULL DEFAULT 0,
  -- The present fill: when it began, and the bytes present then.
  filling_since   timestamptz,
  filling_bytes   bigint,
  -- The last write. Unchanged rows are not written, so a late time shows that a fill makes progress.
  changed_at      timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (version, region)
);
CREATE INDEX residency_by_region ON residency (region) WHERE state <> 'ABSENT';
CREATE INDEX residency_blocked ON residency (version, region) WHERE state = 'BLOCKED';

CREATE TABLE pin (
  version    text COLLATE "C" NOT NULL REFERENCES version (id),
  region     text COLLATE "C" NOT NULL,
  id         text COLLATE "C" NOT NULL,
  holder     text NOT NULL,
  reason     text NOT NULL,
  expires_at timestamptz NOT NULL,
  job        text,          -- the uid of the Kubernetes Job that holds the pin
  taken_at   timestamptz,   -- null if the workflow does not know
  PRIMARY KEY (version, region, id)
);
CREATE INDEX pin_by_region ON pin (region, version, id);

-- Requests

-- Accepted requests by idempotency key, each with the workflow run that answers it.
CREATE TABLE request (
  version     text COLLATE "C" NOT NULL REFERENCES version (id),
  id          text COLLATE "C" NOT NULL,
  region      text NOT NULL,
  body        text NOT NULL,
  workflow_id text NOT NULL,
  run_id      text,
  created_at  timestamptz NOT NULL,
  -- Counts how often the request was begun again under its key, after it was answered.
  attempt     integer NOT NULL DEFAULT 0,
  asked_by    text,   -- the client's run, if the request names one
  cancelled   boolean NOT NULL DEFAULT false,
  -- Whether a client has received the failure. Each failure is answered once before a new attempt.
  delivered   boolean NOT NULL DEFAULT false,
  -- The last repetition of the request. The cost of bytes goes to the run that asked last.
  repeated_at timestamptz,
  repeated_by text,
  PRIMARY KEY (version, id)
);
CREATE INDEX request_by_age ON request (created_at);
CREATE INDEX request_by_version ON request (version, created_at DESC);
CREATE INDEX request_by_version_repeated ON request (version, repeated_at DESC) WHERE repeated_by IS NOT NULL;

-- The version that `latest`, an alias or a digest meant to a request, so that its repetition means the same one.
CREATE TABLE resolution (
  dataset    text COLLATE "C" NOT NULL REFERENCES dataset (id),
  asked      text COLLATE "C" NOT NULL,
  request    text COLLATE "C" NOT NULL,
  version    text COLLATE "C" NOT NULL REFERENCES version (id),
  created_at timestamptz NOT NULL,
  PRIMARY KEY (dataset, asked, request)
);
CREATE INDEX resolution_by_age ON resolution (created_at);

-- Reports

-- The events of versions, as their workflows reported them. Rows never change.
CREATE TABLE history_entry (
  version text COLLATE "C" NOT NULL,
  id      text COLLATE "C" NOT NULL,
  region  text COLLATE "C" NOT NULL,
  at      timestamptz NOT NULL,
  kind    text NOT NULL,
  code    text,
  text    text NOT NULL,
  bytes   bigint NOT NULL,
  PRIMARY KEY (version, id)
);
CREATE INDEX history_entry_by_place ON history_entry (version, region, at);
CREATE INDEX history_entry_by_age ON history_entry (at);

-- The last count of each worker's account, as a sum since the account was opened: a repeated report
-- changes nothing. An account outlives its worker.
CREATE TABLE ledger_account (
  id                   text COLLATE "C" PRIMARY KEY,
  region               text COLLATE "C" NOT NULL,
  worker               text NOT NULL,
  version              text COLLATE "C" NOT NULL,
  run_id               text COLLATE "C" NOT NULL,   -- of the last request before it was opened; may be empty
  opened_at            timestamptz NOT NULL,
  noted_at             timestamptz NOT NULL,
  closed               boolean NOT NULL DEFAULT false,
  revision             bigint NOT NULL DEFAULT -1,
  lake_requests        bigint NOT NULL DEFAULT 0,
  lake_bytes           bigint NOT NULL DEFAULT 0,
  peer_requests        bigint NOT NULL DEFAULT 0,
  peer_bytes           bigint NOT NULL DEFAULT 0,
  served_requests      bigint NOT NULL DEFAULT 0,
  served_bytes         bigint NOT NULL DEFAULT 0,
  held_byte_seconds    double precision NOT NULL DEFAULT 0,
  -- From other regions, which have prices of their own: in a cloud, and on premises.
  sibling_requests     bigint NOT NULL DEFAULT 0,
  sibling_bytes        bigint NOT NULL DEFAULT 0,
  on_premises_requests bigint NOT NULL DEFAULT 0,
  on_premises_bytes    bigint NOT NULL DEFAULT 0
);
CREATE INDEX ledger_account_by_age ON ledger_account (noted_at);

-- The growth of the accounts, by the day (UTC) on which it was noted.
CREATE TABLE ledger (
  day                  date NOT NULL,
  region               text COLLATE "C" NOT NULL,
  version              text COLLATE "C" NOT NULL,
  run_id               text COLLATE "C" NOT NULL,
  namespace            text COLLATE "C" NOT NULL GENERATED ALWAYS AS (split_part(version, '/', 1)) STORED,
  dataset              text COLLATE "C" NOT NULL GENERATED ALWAYS AS (split_part(version, '@', 1)) STORED,
  lake_requests        bigint NOT NULL DEFAULT 0,
  lake_bytes           bigint NOT NULL DEFAULT 0,
  peer_requests        bigint NOT NULL DEFAULT 0,
  peer_bytes           bigint NOT NULL DEFAULT 0,
  served_requests      bigint NOT NULL DEFAULT 0,
  served_bytes         bigint NOT NULL DEFAULT 0,
  held_byte_seconds    double precision NOT NULL DEFAULT 0,
  evictions            bigint NOT NULL DEFAULT 0,
  sibling_requests     bigint NOT NULL DEFAULT 0,
  sibling_bytes        bigint NOT NULL DEFAULT 0,
  on_premises_requests bigint NOT NULL DEFAULT 0,
  on_premises_bytes    bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (day, region, version, run_id)
);
CREATE INDEX ledger_by_namespace ON ledger (namespace, day);
CREATE INDEX ledger_by_dataset ON ledger (dataset, day);
