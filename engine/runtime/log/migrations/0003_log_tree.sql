-- The Merkle tree over the log's facts, in tiles of up to 256 hashes, and its signed checkpoints:
-- of each hour the newest. The tiles follow from the facts; the checkpoints are what was published.
CREATE TABLE log.tiles (
    level smallint NOT NULL,
    number bigint NOT NULL,
    hashes bytea NOT NULL,
    PRIMARY KEY (level, number)
);
CREATE TABLE log.checkpoints (
    hour bigint PRIMARY KEY,
    size bigint NOT NULL,
    note text NOT NULL
);
