-- +goose Up
-- The users of the dashboard. Email addresses are in lower case.
CREATE TABLE person (
	id            TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	email         TEXT COLLATE "C" NOT NULL UNIQUE,
	password_hash TEXT COLLATE "C" NOT NULL,
	admin         INTEGER          NOT NULL,
	created_at    BIGINT           NOT NULL,
	signed_in_at  BIGINT           NOT NULL,
	disabled_at   BIGINT           NOT NULL,
	epoch         BIGINT           NOT NULL
);
-- A transaction that changes users raises this first, so that of two concurrent
-- ones the second sees the changes of the first.
INSERT INTO counter (name, value) VALUES ('person_change', 0);

-- The users of the identities of sign-in providers.
CREATE TABLE identity (
	issuer  TEXT COLLATE "C" NOT NULL,
	subject TEXT COLLATE "C" NOT NULL,
	user_id TEXT COLLATE "C" NOT NULL,
	PRIMARY KEY (issuer, subject)
);
CREATE INDEX identity_user ON identity (user_id);

-- One-time links that were not used yet. The target is the email address of an
-- invitation, the user id of a reset, and empty for the set-up.
CREATE TABLE link (
	hash       BYTEA            NOT NULL PRIMARY KEY,
	purpose    TEXT COLLATE "C" NOT NULL,
	target     TEXT COLLATE "C" NOT NULL,
	admin      INTEGER          NOT NULL,
	created_by TEXT COLLATE "C" NOT NULL,
	created_at BIGINT           NOT NULL,
	expires_at BIGINT           NOT NULL,
	UNIQUE (purpose, target)
);
CREATE INDEX link_expires ON link (expires_at);

CREATE TABLE session (
	id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	user_id    TEXT COLLATE "C" NOT NULL,
	body       BYTEA            NOT NULL,
	expires_at BIGINT           NOT NULL
);
CREATE INDEX "session_user" ON session (user_id);
CREATE INDEX session_expires ON session (expires_at);

CREATE INDEX api_key_user ON api_key (user_id, id);

-- 1: origin is a full address that has not been shortened yet.
ALTER TABLE audit ADD COLUMN full_origin INTEGER NOT NULL DEFAULT 0;
UPDATE audit SET full_origin = 1 WHERE origin <> '';
CREATE INDEX audit_full_origin ON audit (at) WHERE full_origin = 1;
CREATE INDEX audit_at ON audit (at);
CREATE INDEX audit_object ON audit (object, id);
CREATE INDEX audit_actor ON audit (actor, id);
CREATE INDEX audit_action ON audit (action, id);
