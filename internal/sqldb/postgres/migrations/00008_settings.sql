-- +goose Up
-- The operator's overrides of a database on a server: the file as it was imported.
CREATE TABLE overrides (
	one  INTEGER          NOT NULL PRIMARY KEY CHECK (one = 1),
	body BYTEA            NOT NULL,
	hash TEXT COLLATE "C" NOT NULL
);

-- The profile with which each platform is collected.
CREATE TABLE collect_profile (
	platform      INTEGER          NOT NULL PRIMARY KEY,
	hash          TEXT COLLATE "C" NOT NULL,
	registered_at BIGINT           NOT NULL
);
