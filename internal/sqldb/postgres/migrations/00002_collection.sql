-- +goose Up
-- The state of collection. Kinds of sweeps are the numbers of sweep.Kind.

-- The kind of sweep that last saw a listing, and the time; 0: an import.
ALTER TABLE listing ADD COLUMN swept_by INTEGER NOT NULL DEFAULT 0;
ALTER TABLE listing ADD COLUMN swept_at BIGINT NOT NULL DEFAULT 0;

-- A platform that is collected.
CREATE TABLE collection (
	platform      INTEGER          NOT NULL PRIMARY KEY,
	since         BIGINT           NOT NULL,
	interval_ms   BIGINT           NOT NULL,
	stopped_until BIGINT           NOT NULL,
	stop_reason   TEXT COLLATE "C" NOT NULL
);

-- The state of the sweeps of a scope. The process that runs one holds the lease
-- "collect/<platform>/<region>/<kind>".
CREATE TABLE sweep (
	platform     INTEGER          NOT NULL,
	region       TEXT COLLATE "C" NOT NULL,
	kind         INTEGER          NOT NULL,
	regions      TEXT COLLATE "C" NOT NULL,
	active       INTEGER          NOT NULL,
	interval_ms  BIGINT           NOT NULL,
	began_at     BIGINT           NOT NULL,
	cursor       TEXT COLLATE "C" NOT NULL,
	torn         INTEGER          NOT NULL,
	completed_at BIGINT           NOT NULL,
	collected_at BIGINT           NOT NULL,
	failed       INTEGER          NOT NULL,
	requests     INTEGER          NOT NULL,
	parts        INTEGER          NOT NULL,
	doubtful     INTEGER          NOT NULL,
	withdrawn    INTEGER          NOT NULL,
	held_back    INTEGER          NOT NULL,
	PRIMARY KEY (platform, region, kind)
);

-- The items that are read one by one. An item is read from due_at on, in any
-- sweep; with the largest number, only in the next sweep.
CREATE TABLE sweep_item (
	platform INTEGER          NOT NULL,
	region   TEXT COLLATE "C" NOT NULL,
	kind     INTEGER          NOT NULL,
	item     TEXT COLLATE "C" NOT NULL,
	mark     TEXT COLLATE "C" NOT NULL,
	named_by INTEGER          NOT NULL,
	named_at BIGINT           NOT NULL,
	read_at  BIGINT           NOT NULL,
	due_at   BIGINT           NOT NULL,
	PRIMARY KEY (platform, region, kind, item)
);
CREATE INDEX sweep_item_due ON sweep_item (platform, region, kind, due_at, read_at, item);

-- When the next request may go to a host, in microseconds, for all processes.
CREATE TABLE request_pace (
	host    TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	next_at BIGINT           NOT NULL
);
