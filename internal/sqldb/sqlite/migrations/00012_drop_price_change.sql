-- +goose Up
-- Migration 11 has moved the rows into history. Programs before it write price_change.
DROP TABLE price_change;
UPDATE meta SET value = '12' WHERE name = 'oldest_schema';
