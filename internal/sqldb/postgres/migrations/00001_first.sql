-- +goose Up
-- The tables of SQLite's migrations with the same numbers. Times are Unix
-- milliseconds (0: not known), amounts are hundredths (-1: none), unknown texts are
-- empty. Texts are compared by their bytes, as SQLite does: the order of a language
-- changes with the server's operating system.

-- One row per sequence. A transaction that raises one locks its row until commit,
-- so that rows with rising numbers become visible in order.
CREATE TABLE counter (
	name  TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	value BIGINT           NOT NULL
);
INSERT INTO counter (name, value) VALUES
	('generation', 0), ('facts', 0), ('prose', 0), ('key_change', 0), ('audit', 0);

CREATE TABLE meta (
	name  TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	value TEXT COLLATE "C" NOT NULL
);

-- The fields of a listing that Merge reads (facts) and those that only its card
-- shows (prose), stored once per content. Rows are added and never changed.
CREATE TABLE facts (
	id   BIGINT NOT NULL PRIMARY KEY,
	hash BYTEA  NOT NULL UNIQUE,
	body BYTEA  NOT NULL
);
CREATE TABLE prose (
	id     BIGINT  NOT NULL PRIMARY KEY,
	hash   BYTEA   NOT NULL UNIQUE,
	fields INTEGER NOT NULL,
	body   BYTEA   NOT NULL
);

CREATE TABLE listing (
	platform         INTEGER          NOT NULL,
	region           TEXT COLLATE "C" NOT NULL,
	product          TEXT COLLATE "C" NOT NULL,
	generation       BIGINT           NOT NULL,
	first_seen       BIGINT           NOT NULL,
	observed_at      BIGINT           NOT NULL,
	seen_at          BIGINT           NOT NULL,
	priced_at        BIGINT           NOT NULL,
	withdrawn        INTEGER          NOT NULL,
	currency         TEXT COLLATE "C" NOT NULL,
	base             BIGINT           NOT NULL,
	current          BIGINT           NOT NULL,
	base_text        TEXT COLLATE "C" NOT NULL,
	current_text     TEXT COLLATE "C" NOT NULL,
	discount_percent INTEGER          NOT NULL,
	discount_label   TEXT COLLATE "C" NOT NULL,
	discount_ends_at BIGINT           NOT NULL,
	flags            INTEGER          NOT NULL,
	source           TEXT COLLATE "C" NOT NULL,
	popularity       DOUBLE PRECISION NOT NULL,
	locale           TEXT COLLATE "C" NOT NULL,
	store_url        TEXT COLLATE "C" NOT NULL,
	facts_id         BIGINT           NOT NULL,
	prose_id         BIGINT           NOT NULL,
	content_hash     BYTEA            NOT NULL,
	price_hash       BYTEA            NOT NULL,
	PRIMARY KEY (platform, region, product)
) WITH (
	-- A sweep writes seen_at of every row: with some room in each page that changes
	-- no index. The tables are large, so vacuum and analyze come at a smaller share
	-- of changed rows than by default.
	fillfactor = 85,
	autovacuum_vacuum_scale_factor = 0.05,
	autovacuum_vacuum_insert_scale_factor = 0.05,
	autovacuum_analyze_scale_factor = 0.02
);
CREATE INDEX listing_generation ON listing (generation);

-- The prices of a listing since its first price change. A price that never
-- changed is only in listing.
CREATE TABLE price_change (
	platform INTEGER          NOT NULL,
	region   TEXT COLLATE "C" NOT NULL,
	product  TEXT COLLATE "C" NOT NULL,
	at       BIGINT           NOT NULL,
	currency TEXT COLLATE "C" NOT NULL,
	base     BIGINT           NOT NULL,
	current  BIGINT           NOT NULL,
	flags    INTEGER          NOT NULL,
	PRIMARY KEY (platform, region, product, at)
);

CREATE TABLE api_key (
	id             TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	hash           BYTEA            NOT NULL UNIQUE,
	prefix         TEXT COLLATE "C" NOT NULL,
	name           TEXT COLLATE "C" NOT NULL,
	user_id        TEXT COLLATE "C" NOT NULL,
	created_at     BIGINT           NOT NULL,
	expires_at     BIGINT           NOT NULL,
	last_used_at   BIGINT           NOT NULL,
	revoked_at     BIGINT           NOT NULL,
	suspended_at   BIGINT           NOT NULL,
	suspend_reason TEXT COLLATE "C" NOT NULL,
	permissions    TEXT COLLATE "C" NOT NULL,
	limit_minute   INTEGER          NOT NULL,
	limit_day      INTEGER          NOT NULL,
	change         BIGINT           NOT NULL
);
CREATE INDEX api_key_change ON api_key (change);

CREATE TABLE audit (
	id     BIGINT           NOT NULL PRIMARY KEY,
	at     BIGINT           NOT NULL,
	actor  TEXT COLLATE "C" NOT NULL,
	action TEXT COLLATE "C" NOT NULL,
	object TEXT COLLATE "C" NOT NULL,
	detail TEXT COLLATE "C" NOT NULL,
	origin TEXT COLLATE "C" NOT NULL
);

CREATE TABLE quota_state (
	key_id      TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	minute      BIGINT           NOT NULL,
	minute_used INTEGER          NOT NULL,
	day_used    INTEGER          NOT NULL
);

CREATE TABLE usage (
	key_id  TEXT COLLATE "C" NOT NULL,
	hour    BIGINT           NOT NULL,
	route   TEXT COLLATE "C" NOT NULL,
	outcome TEXT COLLATE "C" NOT NULL,
	run     TEXT COLLATE "C" NOT NULL,
	count   BIGINT           NOT NULL,
	PRIMARY KEY (key_id, hour, route, outcome, run)
);

CREATE TABLE rates (
	one        INTEGER          NOT NULL PRIMARY KEY CHECK (one = 1),
	body       BYTEA            NOT NULL,
	updated_at BIGINT           NOT NULL,
	imported   INTEGER          NOT NULL,
	source     TEXT COLLATE "C" NOT NULL
);

CREATE TABLE platform_override (
	platform INTEGER          NOT NULL PRIMARY KEY,
	status   TEXT COLLATE "C" NOT NULL
);

CREATE TABLE publication (
	one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
	seq BIGINT  NOT NULL
);
INSERT INTO publication (one, seq) VALUES (1, 0);

CREATE TABLE lease (
	name       TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	holder     TEXT COLLATE "C" NOT NULL,
	until      BIGINT           NOT NULL,
	token      BIGINT           NOT NULL,
	due_at     BIGINT           NOT NULL,
	cursor     TEXT COLLATE "C" NOT NULL,
	attempts   INTEGER          NOT NULL,
	last_error TEXT COLLATE "C" NOT NULL
);

-- The products that an id had when it was served.
CREATE TABLE served_id (
	platform INTEGER          NOT NULL,
	id       TEXT COLLATE "C" NOT NULL,
	product  TEXT COLLATE "C" NOT NULL,
	PRIMARY KEY (platform, id, product)
);

-- The outcomes of all listings ever saved, for the metrics.
CREATE TABLE saved_total (
	effect TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	count  BIGINT           NOT NULL
);
INSERT INTO saved_total (effect, count) VALUES ('new', 0), ('changed', 0), ('unchanged', 0), ('older', 0);
