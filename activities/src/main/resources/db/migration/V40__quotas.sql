-- How much room the versions of a namespace may have in a region; '' stands for every region that has no row.
CREATE TABLE quota (
  namespace text COLLATE "C" NOT NULL REFERENCES namespace (name),
  region    text COLLATE "C" NOT NULL,
  bytes     bigint NOT NULL CHECK (bytes >= 0),
  PRIMARY KEY (namespace, region)
);
