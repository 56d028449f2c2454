-- The newest checkpoint is read several times a second. Without an index each read sorted all of
-- them, and there is one an hour for ever.
CREATE INDEX checkpoints_size ON log.checkpoints (size, hour);
CREATE INDEX cosigned_size ON log.cosigned (size);
