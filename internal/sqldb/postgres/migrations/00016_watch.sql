-- +goose Up
-- The games that users watch, by platform and id, with the price that they saw on their visit and on
-- the one before it: hundredths, -1 for none.
CREATE TABLE watch (
	user_id  TEXT COLLATE "C" NOT NULL,
	game     TEXT COLLATE "C" NOT NULL,
	region   TEXT COLLATE "C" NOT NULL,
	currency TEXT COLLATE "C" NOT NULL,
	price    BIGINT NOT NULL,
	seen_at  BIGINT NOT NULL,
	prior    BIGINT NOT NULL,
	prior_at BIGINT NOT NULL,
	PRIMARY KEY (user_id, game)
);
