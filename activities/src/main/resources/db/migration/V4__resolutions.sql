-- Which version `latest` or a digest meant to a request: sent again, it means the same one.
CREATE TABLE resolution (
  dataset    text COLLATE "C" NOT NULL REFERENCES dataset (id),
  asked      text COLLATE "C" NOT NULL,
  request    text COLLATE "C" NOT NULL,
  version    text COLLATE "C" NOT NULL REFERENCES version (id),
  created_at timestamptz NOT NULL,
  PRIMARY KEY (dataset, asked, request)
);
CREATE INDEX resolution_by_age ON resolution (created_at);
CREATE INDEX version_by_age ON version (dataset, created_at, id);
CREATE INDEX version_by_manifest ON version (dataset, manifest_digest);
