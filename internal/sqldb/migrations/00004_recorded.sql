-- +goose Up
-- A listing says itself whether price_change has prices of it, so that nothing
-- else has to be asked before another price is recorded: the bit worth 8 of its flags.
UPDATE listing SET flags = flags + 8
	WHERE (platform, region, product) IN (SELECT platform, region, product FROM price_change);
