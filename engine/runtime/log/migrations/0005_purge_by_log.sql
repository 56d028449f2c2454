-- The log finds old acceptances. Their own index, into which every accepted command inserted, cost
-- 2 % of the writer's throughput and served only the purge.

-- An acceptance whose command recorded no fact. The log cannot find it, so it has an index.
ALTER TABLE log.outcomes ADD COLUMN without_fact boolean NOT NULL DEFAULT false;
CREATE INDEX outcomes_without_fact ON log.outcomes (at) WHERE without_fact;

-- The acceptances of all facts up to this position have been deleted.
CREATE TABLE log.purged (
    single boolean PRIMARY KEY DEFAULT true CHECK (single),
    position bigint NOT NULL
);
INSERT INTO log.purged (position) VALUES (0);

-- For outcomes that log.append_batch did not store as they are now: those of an earlier program,
-- and imported ones.
CREATE FUNCTION log.prepare_purge() RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    -- Before the oldest acceptance there is nothing to delete.
    start bigint := coalesce(
        (SELECT min(notification_id) - 1 FROM log.facts
            WHERE at >= (SELECT min(at) FROM log.outcomes WHERE NOT refused)),
        (SELECT max(notification_id) FROM log.facts), 0);
BEGIN
    UPDATE log.purged SET position = start;
    UPDATE log.outcomes SET without_fact = true
    WHERE NOT refused AND NOT EXISTS (
        SELECT FROM log.facts WHERE notification_id > start AND facts.at = outcomes.at
            AND facts.actor COLLATE "C" = outcomes.actor
            AND facts.command_id COLLATE "C" = outcomes.key);
END $$;
REVOKE EXECUTE ON FUNCTION log.prepare_purge FROM PUBLIC;
SELECT log.prepare_purge();
DROP INDEX log.outcomes_accepted;

-- As before, but acceptances are deleted in the order of the log. Every fact with a command's id has
-- an acceptance, or had one, so that a call never reads many of them in vain. The planner must use
-- the indexes also when its statistics are missing or old: a plan lives as long as its connection.
CREATE OR REPLACE FUNCTION log.purge_outcomes(of_refused boolean, kept_us bigint, most bigint)
RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
    last_at bigint := coalesce((SELECT max(at) FROM log.batches), 0);
    before bigint := last_at - greatest(kept_us, 86400000000);
    purged bigint;
    deleted bigint;
    reached bigint;
    fact record;
BEGIN
    IF of_refused THEN
        DELETE FROM log.outcomes WHERE ctid = ANY (ARRAY(
            SELECT ctid FROM log.outcomes WHERE refused AND at < before ORDER BY at LIMIT most));
        GET DIAGNOSTICS purged = ROW_COUNT;
        RETURN purged;
    END IF;
    DELETE FROM log.outcomes WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM log.outcomes WHERE without_fact AND at < before ORDER BY at LIMIT most));
    GET DIAGNOSTICS purged = ROW_COUNT;
    -- The lock lets one purge at a time move the position.
    SELECT position INTO reached FROM log.purged FOR UPDATE;
    <<walk>>
    LOOP
        -- Without a limit the planner would sort the rest of the log.
        FOR fact IN
            SELECT notification_id, at, actor, command_id FROM log.facts
            WHERE notification_id > reached ORDER BY notification_id LIMIT 500
        LOOP
            EXIT walk WHEN purged >= most OR fact.at >= before;
            reached := fact.notification_id;
            -- An empty id is no key.
            CONTINUE WHEN fact.command_id = '';
            -- The key may have been used again since: that answer is younger.
            DELETE FROM log.outcomes
            WHERE actor = fact.actor COLLATE "C" AND key = fact.command_id COLLATE "C"
                AND NOT refused AND at < before;
            GET DIAGNOSTICS deleted = ROW_COUNT;
            purged := purged + deleted;
        END LOOP;
        EXIT walk WHEN NOT FOUND;
    END LOOP;
    UPDATE log.purged SET position = reached WHERE position < reached;
    RETURN purged;
END $$;

-- A parameter has a new name, which CREATE OR REPLACE refuses. The program creates its function
-- after the migrations.
DROP FUNCTION IF EXISTS log.append_batch;
