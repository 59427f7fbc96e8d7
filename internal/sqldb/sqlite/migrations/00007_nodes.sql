-- +goose Up
-- The processes that serve from this database. seen is when one was there last, ahead how
-- many milliseconds its clock is ahead of the database's.
CREATE TABLE node (
	id       TEXT   NOT NULL PRIMARY KEY,
	name     TEXT   NOT NULL,
	version  TEXT   NOT NULL,
	roles    TEXT   NOT NULL,
	epoch    TEXT   NOT NULL,
	seq      BIGINT NOT NULL,
	started  BIGINT NOT NULL,
	seen     BIGINT NOT NULL,
	ahead    BIGINT NOT NULL,
	settings TEXT   NOT NULL
);
