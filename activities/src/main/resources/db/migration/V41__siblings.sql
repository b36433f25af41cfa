-- What came from other regions, of a cloud and on premises, which have prices of their own.
ALTER TABLE ledger_account
  ADD COLUMN sibling_requests     bigint NOT NULL DEFAULT 0,
  ADD COLUMN sibling_bytes        bigint NOT NULL DEFAULT 0,
  ADD COLUMN on_premises_requests bigint NOT NULL DEFAULT 0,
  ADD COLUMN on_premises_bytes    bigint NOT NULL DEFAULT 0;
ALTER TABLE ledger
  ADD COLUMN sibling_requests     bigint NOT NULL DEFAULT 0,
  ADD COLUMN sibling_bytes        bigint NOT NULL DEFAULT 0,
  ADD COLUMN on_premises_requests bigint NOT NULL DEFAULT 0,
  ADD COLUMN on_premises_bytes    bigint NOT NULL DEFAULT 0;
