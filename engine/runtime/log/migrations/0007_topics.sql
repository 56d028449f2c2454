-- The topics of the facts in the log, each with the position of its first fact. The writer adds a
-- topic together with that fact. An engine that does not know one of them must not lead, and with
-- this table it need not read the log to find out.
CREATE TABLE log.topics (
    topic text COLLATE "C" PRIMARY KEY,
    first_position bigint NOT NULL
);
-- An earlier program that leads during this migration may store the first fact of a topic that is
-- then missing here. Every program that reads the table knows the topics of that program.
INSERT INTO log.topics (topic, first_position)
SELECT topic, min(notification_id) FROM log.facts GROUP BY topic;
