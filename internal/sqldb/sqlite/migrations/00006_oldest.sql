-- +goose Up
-- The oldest program that may run on this schema, named by the newest schema that it
-- knows itself. Migrations only add; one that an older program cannot work with raises
-- this number to its own.
INSERT INTO meta (name, value) VALUES ('oldest_schema', '6') ON CONFLICT (name) DO NOTHING;
