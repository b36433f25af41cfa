-- Who sends a request again and again hears once that it has failed, before it is begun anew.
ALTER TABLE request ADD COLUMN told boolean NOT NULL DEFAULT false;
