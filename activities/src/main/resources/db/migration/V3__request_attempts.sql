-- A request that was answered is asked anew when it is sent again under its key.
ALTER TABLE request ADD COLUMN attempt integer NOT NULL DEFAULT 0;
