-- Names that people move from one version of a dataset to another.
CREATE TABLE alias (
  dataset  text COLLATE "C" NOT NULL REFERENCES dataset (id),
  name     text COLLATE "C" NOT NULL,
  version  text COLLATE "C" NOT NULL REFERENCES version (id),
  before   text COLLATE "C" REFERENCES version (id),   -- what it meant before it was moved last
  moved_at timestamptz NOT NULL,
  PRIMARY KEY (dataset, name)
);
