-- +goose Up
-- What listings have shown of their prices, as encoded rows of package history. A listing
-- has rows once it has shown a second step. The last row of a listing is replaced as it
-- grows.
CREATE TABLE history (
	platform INTEGER          NOT NULL,
	region   TEXT COLLATE "C" NOT NULL,
	product  TEXT COLLATE "C" NOT NULL,
	at       BIGINT           NOT NULL,
	steps    BYTEA            NOT NULL,
	PRIMARY KEY (platform, region, product, at)
) WITH (
	fillfactor = 85,
	autovacuum_vacuum_scale_factor = 0.05,
	autovacuum_vacuum_insert_scale_factor = 0.05,
	autovacuum_analyze_scale_factor = 0.02
);
