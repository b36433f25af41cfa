-- What is fetched is billed to whoever asked last, and a request may be asked again under its key.
ALTER TABLE request ADD COLUMN again_at timestamptz;
CREATE INDEX request_by_version_again ON request (version, again_at DESC) WHERE again_at IS NOT NULL;
