-- The uid of the Kubernetes Job that holds a pin, if one does.
ALTER TABLE pin ADD COLUMN job text;
