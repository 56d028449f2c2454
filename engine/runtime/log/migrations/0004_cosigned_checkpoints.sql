-- Checkpoints with the cosignatures of witnesses: of each hour the newest. `at` is when they were
-- collected, in microseconds.
CREATE TABLE log.cosigned (
    hour bigint PRIMARY KEY,
    size bigint NOT NULL,
    at bigint NOT NULL,
    note text NOT NULL
);
