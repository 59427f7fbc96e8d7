-- +goose Up
-- Programs before this migration cannot read rows of version 2, which later ones write. The
-- table stays: here each table is apart from its index.
UPDATE meta SET value = '13' WHERE name = 'oldest_schema';
