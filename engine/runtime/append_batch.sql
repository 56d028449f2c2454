-- One call a batch: a pipeline of statements would hand the interpreter over for each of them.
CREATE OR REPLACE FUNCTION {schema}.append_batch(
    new_epoch bigint, new_batch bytea, now_at bigint, base bigint,
    streams text[], versions bigint[], topics text[], states bytea[],
    commands text[], actors text[],
    outcome_actors text[], outcome_keys text[], outcome_commands bytea[],
    outcome_answers bytea[], outcome_refused bigint[]
) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    IF new_epoch IS NOT NULL THEN
        PERFORM FROM {schema}.lease WHERE epoch = new_epoch FOR SHARE;
        IF NOT FOUND THEN
            RAISE EXCEPTION 'epoch % has passed', new_epoch USING ERRCODE = {lost};
        END IF;
    END IF;
    -- The order of positions is to be the order of commits, so that no reader misses a fact.
    LOCK TABLE {table} IN EXCLUSIVE MODE;
    PERFORM pg_notify({channel}, '');
    IF base IS NULL THEN
        base := coalesce((SELECT max(notification_id) FROM {table}), 0);
    END IF;
    IF cardinality(outcome_keys) > 0 THEN
        INSERT INTO {schema}.outcomes (actor, key, command, answer, refused, at)
        SELECT o.actor, o.key, o.command, o.answer, o.refused <> 0, now_at
        FROM unnest(
            outcome_actors, outcome_keys, outcome_commands, outcome_answers, outcome_refused
        ) AS o (actor, key, command, answer, refused);
    END IF;
    IF new_epoch IS NOT NULL THEN
        INSERT INTO {schema}.batches (batch, epoch, last_position, at)
        VALUES (new_batch, new_epoch, base + cardinality(streams), now_at);
    END IF;
    INSERT INTO {table} (
        originator_id, originator_version, topic, state, notification_id, at, command_id, actor
    )
    SELECT f.stream, f.version, f.topic, f.state, base + f.number, now_at, f.command, f.actor
    FROM unnest(streams, versions, topics, states, commands, actors)
        WITH ORDINALITY AS f (stream, version, topic, state, command, actor, number);
    RETURN base;
END $$
