-- What is fetched is billed to the run that asked last, and a request may be asked again under its key, by another run.
ALTER TABLE request ADD COLUMN again_at timestamptz;
ALTER TABLE request ADD COLUMN again_by text;
CREATE INDEX request_by_version_again ON request (version, again_at DESC) WHERE again_by IS NOT NULL;
