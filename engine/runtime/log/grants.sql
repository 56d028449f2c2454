-- Grants for the application's role: it may append to the log and read it, and no more.
-- Run by the owner at every start, because the role may be created after the schema.
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'fairdraw_app') THEN
        GRANT USAGE ON SCHEMA log, vault, content TO fairdraw_app;
        GRANT USAGE, CREATE ON SCHEMA views, views_next TO fairdraw_app;
        -- An audit builds its comparison in temporary tables.
        EXECUTE format('GRANT TEMPORARY ON DATABASE %I TO fairdraw_app', current_database());
        GRANT SELECT, INSERT ON log.facts TO fairdraw_app;
        GRANT SELECT, INSERT ON log.outcomes TO fairdraw_app;
        REVOKE DELETE ON log.outcomes FROM fairdraw_app;
        GRANT EXECUTE ON FUNCTION log.purge_outcomes, log.purge_batches TO fairdraw_app;
        GRANT SELECT, INSERT ON log.batches TO fairdraw_app;
        GRANT SELECT, UPDATE ON log.lease TO fairdraw_app;
        GRANT SELECT, INSERT, UPDATE, DELETE ON log.snapshots TO fairdraw_app;
        GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA vault TO fairdraw_app;
        GRANT SELECT, INSERT, DELETE ON content.texts TO fairdraw_app;
        GRANT USAGE ON ALL SEQUENCES IN SCHEMA vault TO fairdraw_app;
    END IF;
END $$;
