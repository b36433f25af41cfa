-- Whoever asks after a request that was taken back must not bring it to life again.
ALTER TABLE request ADD COLUMN cancelled boolean NOT NULL DEFAULT false;
