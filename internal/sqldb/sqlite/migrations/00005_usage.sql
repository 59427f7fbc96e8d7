-- +goose Up
-- Requests are counted by key, hour, route and outcome, no longer by run as well: a run
-- adds numbered batches.
CREATE TABLE usage_sum (
	key_id  TEXT   NOT NULL,
	hour    BIGINT NOT NULL,
	route   TEXT   NOT NULL,
	outcome TEXT   NOT NULL,
	count   BIGINT NOT NULL,
	PRIMARY KEY (key_id, hour, route, outcome)
);
INSERT INTO usage_sum (key_id, hour, route, outcome, count)
	SELECT key_id, hour, route, outcome, SUM(count) FROM usage GROUP BY key_id, hour, route, outcome;
DROP TABLE usage;
ALTER TABLE usage_sum RENAME TO usage;

-- The last batch of each run of a process that was added to usage. A batch that is sent
-- again is recognized by it.
CREATE TABLE usage_run (
	run    TEXT   NOT NULL PRIMARY KEY,
	number BIGINT NOT NULL,
	at     BIGINT NOT NULL
);
CREATE INDEX usage_run_at ON usage_run (at);
