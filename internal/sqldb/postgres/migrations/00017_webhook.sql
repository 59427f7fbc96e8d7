-- +goose Up
-- What clients of the API are sent when prices change. off_at is 0 while it is on. source, seq and at are the
-- cursor. message_id is the message that is not delivered yet, '' without one: failures of its tries so
-- far, and when the next one is due.
CREATE TABLE webhook (
	id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	key_id     TEXT COLLATE "C" NOT NULL,
	url        TEXT COLLATE "C" NOT NULL,
	secret     TEXT COLLATE "C" NOT NULL,
	created_at BIGINT NOT NULL,
	regions    TEXT COLLATE "C" NOT NULL,
	kind       TEXT COLLATE "C" NOT NULL,
	amount     BIGINT NOT NULL,
	off_at     BIGINT NOT NULL,
	off_reason TEXT COLLATE "C" NOT NULL,
	source     BIGINT NOT NULL,
	seq        BIGINT NOT NULL,
	at         BIGINT NOT NULL,
	message_id TEXT COLLATE "C" NOT NULL,
	failures   BIGINT NOT NULL,
	next_try   BIGINT NOT NULL,
	ping       INTEGER NOT NULL,
	version    BIGINT NOT NULL,
	change     BIGINT NOT NULL
);
CREATE INDEX webhook_key ON webhook (key_id);
CREATE INDEX webhook_change ON webhook (change);
INSERT INTO counter (name, value) VALUES ('webhook_change', 0);

-- The games of a webhook, by platform and id, with what was last sent of them.
CREATE TABLE webhook_game (
	webhook_id TEXT COLLATE "C" NOT NULL,
	game       TEXT COLLATE "C" NOT NULL,
	state      BYTEA NOT NULL,
	PRIMARY KEY (webhook_id, game)
);

-- The bytes of the message that is not delivered yet.
CREATE TABLE webhook_message (
	webhook_id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	body       BYTEA NOT NULL
);

-- The last tries to deliver messages.
CREATE TABLE webhook_try (
	webhook_id TEXT COLLATE "C" NOT NULL,
	number     BIGINT NOT NULL,
	at         BIGINT NOT NULL,
	message_id TEXT COLLATE "C" NOT NULL,
	status     INTEGER NOT NULL,
	error      TEXT COLLATE "C" NOT NULL,
	took       BIGINT NOT NULL,
	PRIMARY KEY (webhook_id, number)
);
