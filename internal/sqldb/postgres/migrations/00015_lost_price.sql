-- +goose Up
-- Prices that a sweep no longer found, until its end decides whether they go. region is that
-- of the listing. A row counts only if the listing was not seen with a price since.
CREATE TABLE lost_price (
	platform INTEGER          NOT NULL,
	kind     INTEGER          NOT NULL,
	region   TEXT COLLATE "C" NOT NULL,
	product  TEXT COLLATE "C" NOT NULL,
	at       BIGINT           NOT NULL,
	PRIMARY KEY (platform, kind, region, product)
);
-- How many prices were found and removed since the last sweep began.
ALTER TABLE sweep ADD COLUMN priced INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sweep ADD COLUMN unpriced INTEGER NOT NULL DEFAULT 0;
