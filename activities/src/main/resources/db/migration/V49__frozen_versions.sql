-- When a version was frozen, by the clock of the database, whichever control plane did it: `latest` is the last one.
ALTER TABLE version ADD COLUMN frozen_at timestamptz;
UPDATE version SET frozen_at = created_at WHERE manifest_digest IS NOT NULL;

CREATE OR REPLACE FUNCTION keep_manifest() RETURNS trigger LANGUAGE plpgsql AS $$
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

DROP TRIGGER version_keeps_manifest ON version;
CREATE TRIGGER version_keeps_manifest BEFORE INSERT OR UPDATE ON version FOR EACH ROW EXECUTE FUNCTION keep_manifest();

DROP INDEX version_by_age;
CREATE INDEX version_by_freezing ON version (dataset, frozen_at, id) WHERE manifest_digest IS NOT NULL;
