-- What happened to versions, as their workflows told it; never changed.
CREATE TABLE happening (
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
CREATE INDEX happening_by_place ON happening (version, region, at);
CREATE INDEX happening_by_age ON happening (at);
