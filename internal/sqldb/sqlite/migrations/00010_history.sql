-- +goose Up
-- What listings have shown of their prices, as encoded rows of package history. A listing
-- has rows once it has shown a second step.
CREATE TABLE history (
	platform INTEGER NOT NULL,
	region   TEXT    NOT NULL,
	product  TEXT    NOT NULL,
	at       BIGINT  NOT NULL,
	steps    BYTEA   NOT NULL,
	PRIMARY KEY (platform, region, product, at)
);
