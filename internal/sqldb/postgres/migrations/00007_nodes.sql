-- +goose Up
-- The processes that serve from this database. seen is when one was there last, ahead how
-- many milliseconds its clock is ahead of the database's.
CREATE TABLE node (
	id       TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	name     TEXT COLLATE "C" NOT NULL,
	version  TEXT COLLATE "C" NOT NULL,
	roles    TEXT COLLATE "C" NOT NULL,
	epoch    TEXT COLLATE "C" NOT NULL,
	seq      BIGINT           NOT NULL,
	started  BIGINT           NOT NULL,
	seen     BIGINT           NOT NULL,
	ahead    BIGINT           NOT NULL,
	settings TEXT COLLATE "C" NOT NULL
);
