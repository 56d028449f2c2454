-- Up to which position no fact was missing when the log was last inspected, so that a start inspects
-- only the later ones. `facts` identifies the log's table: another one is inspected as a whole.
CREATE TABLE log.inspected (
    single boolean PRIMARY KEY DEFAULT true CHECK (single),
    facts text NOT NULL,
    position bigint NOT NULL
);
