-- +goose Up
-- The flag 8 of a listing marks that price_change has prices of it, so that
-- recording another price needs no query.
UPDATE listing SET flags = flags + 8
	WHERE (platform, region, product) IN (SELECT platform, region, product FROM price_change);
