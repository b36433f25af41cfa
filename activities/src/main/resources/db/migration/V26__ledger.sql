-- What workers have counted, as each said last: sums since the account was opened, so that the same
-- statement twice changes nothing. An account outlives the worker that had it.
CREATE TABLE ledger_account (
  id                text COLLATE "C" PRIMARY KEY,
  region            text COLLATE "C" NOT NULL,
  worker            text NOT NULL,
  version           text COLLATE "C" NOT NULL,
  run_id            text COLLATE "C" NOT NULL,   -- whose request was the last before it was opened; or empty
  opened_at         timestamptz NOT NULL,
  noted_at          timestamptz NOT NULL,
  closed            boolean NOT NULL DEFAULT false,
  revision          bigint NOT NULL DEFAULT -1,
  lake_requests     bigint NOT NULL DEFAULT 0,
  lake_bytes        bigint NOT NULL DEFAULT 0,
  peer_requests     bigint NOT NULL DEFAULT 0,
  peer_bytes        bigint NOT NULL DEFAULT 0,
  served_requests   bigint NOT NULL DEFAULT 0,
  served_bytes      bigint NOT NULL DEFAULT 0,
  held_byte_seconds double precision NOT NULL DEFAULT 0
);
CREATE INDEX ledger_account_by_age ON ledger_account (noted_at);

-- What was added to the accounts, by the day (UTC) on which it was noted.
CREATE TABLE ledger (
  day               date NOT NULL,
  region            text COLLATE "C" NOT NULL,
  version           text COLLATE "C" NOT NULL,
  run_id            text COLLATE "C" NOT NULL,
  namespace         text COLLATE "C" NOT NULL GENERATED ALWAYS AS (split_part(version, '/', 1)) STORED,
  dataset           text COLLATE "C" NOT NULL GENERATED ALWAYS AS (split_part(version, '@', 1)) STORED,
  lake_requests     bigint NOT NULL DEFAULT 0,
  lake_bytes        bigint NOT NULL DEFAULT 0,
  peer_requests     bigint NOT NULL DEFAULT 0,
  peer_bytes        bigint NOT NULL DEFAULT 0,
  served_requests   bigint NOT NULL DEFAULT 0,
  served_bytes      bigint NOT NULL DEFAULT 0,
  held_byte_seconds double precision NOT NULL DEFAULT 0,
  evictions         bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (day, region, version, run_id)
);
CREATE INDEX ledger_by_namespace ON ledger (namespace, day);
CREATE INDEX ledger_by_dataset ON ledger (dataset, day);

-- Of which run the request is a part, if it says.
ALTER TABLE request ADD COLUMN asked_by text;
