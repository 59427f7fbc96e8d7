-- +goose Up
-- The mark of the part of a sweep that has last confirmed the listing, plus the listing's
-- generation at that time. 0: there is none.
ALTER TABLE listing ADD COLUMN part_mark BIGINT NOT NULL DEFAULT 0;
