-- Who asked for a version last, and how often it was asked for lately.
CREATE INDEX request_by_version ON request (version, created_at DESC);
