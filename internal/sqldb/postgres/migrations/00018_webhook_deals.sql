-- +goose Up
-- The query of the deals of a webhook; '' if it is about games. Then webhook_game has those that were last sent.
ALTER TABLE webhook ADD COLUMN deals TEXT COLLATE "C" NOT NULL DEFAULT '';
CREATE INDEX webhook_deals ON webhook (deals) WHERE deals <> '';
