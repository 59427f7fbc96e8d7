-- +goose Up
-- The last table of exchange rates that was saved on each UTC day, counted from
-- 1970-01-01. taken_at is when it was saved.
CREATE TABLE rates_day (
	day      INTEGER          NOT NULL PRIMARY KEY,
	body     BYTEA            NOT NULL,
	source   TEXT COLLATE "C" NOT NULL,
	taken_at BIGINT           NOT NULL
);
-- When the present table was saved is not known: the time of its rates stands for it.
INSERT INTO rates_day (day, body, source, taken_at)
	SELECT updated_at / 86400000, body, source, updated_at FROM rates;
