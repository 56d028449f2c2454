-- The rights of the application and of the auditor. The owner runs this at every start, because the
-- roles may be created after the schema, and because an earlier program granted more.
REVOKE EXECUTE ON FUNCTION log.append_batch FROM PUBLIC;
REVOKE ALL ON log.facts, log.outcomes, log.batches, log.purged FROM PUBLIC;
DO $$
DECLARE
    read_model record;
BEGIN
    -- In a demo one role may be both. It keeps the owner's rights.
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'fairdraw_app' AND rolname <> current_user) THEN
        GRANT USAGE ON SCHEMA log, vault, content TO fairdraw_app;
        GRANT USAGE, CREATE ON SCHEMA views, views_next TO fairdraw_app;
        -- An audit builds its comparison in temporary tables.
        EXECUTE format('GRANT TEMPORARY ON DATABASE %I TO fairdraw_app', current_database());
        -- Only log.append_batch stores facts, outcomes and batches. It has its owner's rights.
        REVOKE ALL ON log.facts, log.outcomes, log.batches, log.purged FROM fairdraw_app;
        GRANT SELECT ON log.facts, log.outcomes, log.batches, log.migrations TO fairdraw_app;
        GRANT EXECUTE ON FUNCTION log.append_batch, log.purge_outcomes, log.purge_batches
            TO fairdraw_app;
        GRANT SELECT, UPDATE ON log.lease TO fairdraw_app;
        GRANT SELECT, INSERT, UPDATE, DELETE ON log.snapshots TO fairdraw_app;
        GRANT SELECT, INSERT, UPDATE ON log.tiles, log.checkpoints, log.cosigned TO fairdraw_app;
        GRANT SELECT, INSERT ON log.topics TO fairdraw_app;
        GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA vault TO fairdraw_app;
        GRANT SELECT, INSERT, DELETE ON content.texts TO fairdraw_app;
        GRANT USAGE ON ALL SEQUENCES IN SCHEMA vault TO fairdraw_app;
    END IF;
    -- Read models that the owner made, when it was also the application's role.
    FOR read_model IN
        SELECT schemaname, tablename FROM pg_tables JOIN pg_roles ON rolname = 'fairdraw_app'
        WHERE schemaname IN ('views', 'views_next') AND tableowner = current_user
            AND rolname <> current_user AND pg_has_role(oid, 'USAGE')
    LOOP
        EXECUTE format('ALTER TABLE %I.%I OWNER TO fairdraw_app',
            read_model.schemaname, read_model.tablename);
    END LOOP;
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'fairdraw_auditor') THEN
        -- All but the vault. The application replaces tables of read models at any time.
        GRANT USAGE ON SCHEMA log, content, views TO fairdraw_auditor;
        GRANT SELECT ON ALL TABLES IN SCHEMA log, content TO fairdraw_auditor;
        EXECUTE format('GRANT CONNECT, TEMPORARY ON DATABASE %I TO fairdraw_auditor',
            current_database());
        IF EXISTS (
            SELECT FROM pg_roles WHERE rolname = 'fairdraw_app' AND pg_has_role(oid, 'USAGE')
        ) THEN
            GRANT SELECT ON ALL TABLES IN SCHEMA views TO fairdraw_auditor;
            ALTER DEFAULT PRIVILEGES FOR ROLE fairdraw_app IN SCHEMA views, views_next
                GRANT SELECT ON TABLES TO fairdraw_auditor;
        END IF;
    END IF;
END $$;
