-- The only way into the log: it runs with its owner's rights, and the application has no INSERT.
-- One call a batch: with a pipeline of statements, Python would switch threads for each of them.
-- In FROM each unnest would first fill a temporary table: 0.3 instead of 0.1 us a value.
CREATE OR REPLACE FUNCTION {schema}.append_batch(
    new_epoch bigint, new_batch bytea, now_at bigint, base bigint,
    streams text[], versions bigint[], topics text[], states bytea[],
    commands text[], actors text[],
    outcome_actors text[], outcome_keys text[], outcome_commands bytea[],
    outcome_answers bytea[], outcome_kinds bigint[]
) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    log_end bigint;
BEGIN
    IF new_epoch IS NOT NULL THEN
        PERFORM FROM {schema}.lease WHERE epoch = new_epoch FOR SHARE;
        IF NOT FOUND THEN
            RAISE EXCEPTION 'epoch % has passed', new_epoch USING ERRCODE = {lost};
        END IF;
    END IF;
    -- Positions must be in commit order, so that no reader misses a fact.
    -- LOCK TABLE would also wait for a vacuum of the table.
    PERFORM pg_advisory_xact_lock(hashtext('fairdraw log'), hashtext({lock}));
    PERFORM pg_notify({channel}, '');
    log_end := coalesce((SELECT max(notification_id) FROM {table}), 0);
    IF base IS NULL THEN
        base := log_end;
    ELSIF base <> log_end THEN
        -- Facts were deleted while the leader ran. It must not append after a gap.
        RAISE EXCEPTION 'the log ends at %, the writer expected %', log_end, base
            USING ERRCODE = {moved};
    END IF;
    IF cardinality(outcome_keys) > 0 THEN
        INSERT INTO {schema}.outcomes (actor, key, command, answer, refused, at, without_fact)
        SELECT unnest(outcome_actors), unnest(outcome_keys), unnest(outcome_commands),
            unnest(outcome_answers), unnest(outcome_kinds) = {refused}, now_at,
            unnest(outcome_kinds) = {without_fact};
    END IF;
    IF new_epoch IS NOT NULL THEN
        INSERT INTO {schema}.batches (batch, epoch, last_position, at)
        VALUES (new_batch, new_epoch, base + cardinality(streams), now_at);
    END IF;
    INSERT INTO {table} (
        originator_id, originator_version, topic, state, notification_id, at, command_id, actor
    )
    SELECT unnest(streams), unnest(versions), unnest(topics), unnest(states),
        base + generate_series(1, cardinality(streams)), now_at, unnest(commands), unnest(actors);
    RETURN base;
END $$
