-- The engine's tables. The owner runs this at every start; each statement may run again.

CREATE SCHEMA IF NOT EXISTS log;
CREATE SCHEMA IF NOT EXISTS vault;
CREATE SCHEMA IF NOT EXISTS content;
CREATE SCHEMA IF NOT EXISTS views;
-- Read models that are being rebuilt, until they replace the ones in `views`.
CREATE SCHEMA IF NOT EXISTS views_next;

-- The first answer for every idempotency key; engine/runtime/log/retention.py has the periods.
CREATE TABLE IF NOT EXISTS log.outcomes (
    actor text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    command bytea NOT NULL,
    answer bytea NOT NULL,
    refused boolean NOT NULL,
    at bigint NOT NULL,
    PRIMARY KEY (actor, key)
);
CREATE INDEX IF NOT EXISTS outcomes_refused ON log.outcomes (at) WHERE refused;
CREATE INDEX IF NOT EXISTS outcomes_accepted ON log.outcomes (at) WHERE NOT refused;

-- One row a transaction of the writer. It shows whether a batch whose answer was lost is stored.
CREATE TABLE IF NOT EXISTS log.batches (
    batch bytea PRIMARY KEY,
    epoch bigint NOT NULL,
    last_position bigint NOT NULL,
    at bigint NOT NULL
);
CREATE INDEX IF NOT EXISTS batches_at ON log.batches (at);

-- The leader's lease. A process without the newest epoch can commit nothing.
CREATE TABLE IF NOT EXISTS log.lease (
    single boolean PRIMARY KEY DEFAULT true CHECK (single),
    epoch bigint NOT NULL,
    holder text NOT NULL,
    renewed_at timestamptz NOT NULL
);
INSERT INTO log.lease (epoch, holder, renewed_at) VALUES (0, '', '-infinity')
ON CONFLICT DO NOTHING;

-- Snapshots of long streams: disposable, used only by the code version that made them.
CREATE TABLE IF NOT EXISTS log.snapshots (
    stream text COLLATE "C" PRIMARY KEY,
    version bigint NOT NULL,
    program bytea NOT NULL,
    state bytea NOT NULL
);

-- Expired rows are deleted in slices of at most `most` rows. Age is relative to the log's last
-- batch, so that a wrong clock expires nothing, and the last batch always stays. The minimum
-- retention is a day, even if the caller passes less.
CREATE OR REPLACE FUNCTION log.purge_outcomes(of_refused boolean, kept_us bigint, most bigint)
RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    before bigint := (SELECT max(at) FROM log.batches) - greatest(kept_us, 86400000000);
    purged bigint;
BEGIN
    -- Two statements, because each has its own partial index.
    IF of_refused THEN
        DELETE FROM log.outcomes WHERE ctid = ANY (ARRAY(
            SELECT ctid FROM log.outcomes WHERE refused AND at < before ORDER BY at LIMIT most));
    ELSE
        DELETE FROM log.outcomes WHERE ctid = ANY (ARRAY(
            SELECT ctid FROM log.outcomes WHERE NOT refused AND at < before
            ORDER BY at LIMIT most));
    END IF;
    GET DIAGNOSTICS purged = ROW_COUNT;
    RETURN purged;
END $$;
CREATE OR REPLACE FUNCTION log.purge_batches(kept_us bigint, most bigint)
RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    before bigint := (SELECT max(at) FROM log.batches) - greatest(kept_us, 86400000000);
    purged bigint;
BEGIN
    DELETE FROM log.batches WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM log.batches WHERE at < before ORDER BY at LIMIT most));
    GET DIAGNOSTICS purged = ROW_COUNT;
    RETURN purged;
END $$;
REVOKE EXECUTE ON FUNCTION log.purge_outcomes, log.purge_batches FROM PUBLIC;

-- No role may change the log.
CREATE OR REPLACE FUNCTION log.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the log is append-only' USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE OR REPLACE TRIGGER facts_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON log.facts
FOR EACH STATEMENT EXECUTE FUNCTION log.refuse_change();

-- Personal data, outside the facts. Erasing a player deletes the row, and with it the keys that
-- decrypt their private fields and that link the facts' commitments to a name.
CREATE SEQUENCE IF NOT EXISTS vault.player_ids START 10001;
CREATE TABLE IF NOT EXISTS vault.members (
    player bigint PRIMARY KEY,
    username text NOT NULL,
    nickname text NOT NULL,
    member_group int NOT NULL,
    inviter bigint,
    password_hash text NOT NULL,
    commitment_key bytea NOT NULL,
    registration_key text,
    failures int NOT NULL DEFAULT 0,
    first_failure_at bigint NOT NULL DEFAULT 0
);
ALTER TABLE vault.members ADD COLUMN IF NOT EXISTS avatar smallint NOT NULL DEFAULT 1;
-- Until when a temporary password is valid; null for a password that the player chose.
ALTER TABLE vault.members ADD COLUMN IF NOT EXISTS password_until bigint;
CREATE UNIQUE INDEX IF NOT EXISTS members_username ON vault.members (lower(username));
CREATE UNIQUE INDEX IF NOT EXISTS members_registration ON vault.members (registration_key);
CREATE TABLE IF NOT EXISTS vault.sessions (
    token_hash bytea PRIMARY KEY,
    player bigint NOT NULL REFERENCES vault.members ON DELETE CASCADE,
    created_at bigint NOT NULL,
    revoked boolean NOT NULL DEFAULT false
);
CREATE INDEX IF NOT EXISTS sessions_player ON vault.sessions (player);
CREATE INDEX IF NOT EXISTS sessions_created ON vault.sessions (created_at);
ALTER TABLE vault.sessions ADD COLUMN IF NOT EXISTS active_at bigint NOT NULL DEFAULT 0;
-- The session's public id, which does not authenticate, and the kind of device it was opened on.
ALTER TABLE vault.sessions ADD COLUMN IF NOT EXISTS id uuid NOT NULL DEFAULT gen_random_uuid();
ALTER TABLE vault.sessions ADD COLUMN IF NOT EXISTS device text NOT NULL DEFAULT '';

-- Fingerprints of the vault's keys, to detect a lost or exchanged key.
CREATE TABLE IF NOT EXISTS vault.key_fingerprints (
    name text PRIMARY KEY,
    fingerprint bytea NOT NULL
);
-- A random key a player, sealed under a version of the master key, which is not in the database.
CREATE TABLE IF NOT EXISTS vault.member_keys (
    player bigint PRIMARY KEY REFERENCES vault.members ON DELETE CASCADE,
    key_version int NOT NULL,
    sealed bytea NOT NULL
);
-- Blind indexes: which players gave a value that should be unique, without the value itself.
CREATE TABLE IF NOT EXISTS vault.blind_indexes (
    field text NOT NULL,
    hash bytea NOT NULL,
    player bigint NOT NULL REFERENCES vault.members ON DELETE CASCADE,
    PRIMARY KEY (field, hash)
);
ALTER TABLE vault.blind_indexes ADD COLUMN IF NOT EXISTS at bigint NOT NULL DEFAULT 0;
-- Several players may give one value. `at` shows who was first; staff resolve the conflict.
DO $$
BEGIN
    IF EXISTS (
        SELECT FROM pg_index
        WHERE indrelid = 'vault.blind_indexes'::regclass AND indisprimary AND indnkeyatts = 2
    ) THEN
        ALTER TABLE vault.blind_indexes DROP CONSTRAINT blind_indexes_pkey;
        ALTER TABLE vault.blind_indexes ADD PRIMARY KEY (field, hash, player);
    END IF;
END $$;
CREATE INDEX IF NOT EXISTS blind_indexes_player ON vault.blind_indexes (player);
-- Claims of excluded players outlive their erasure, so that the exclusion is recognised.
ALTER TABLE vault.blind_indexes DROP CONSTRAINT IF EXISTS blind_indexes_player_fkey;
-- Values that an excluded, erased player had given, hashed under the pepper, which never changes.
CREATE TABLE IF NOT EXISTS vault.erased_claims (
    field text NOT NULL,
    hash bytea NOT NULL,
    player bigint NOT NULL,
    at bigint NOT NULL,
    PRIMARY KEY (field, hash, player)
);
-- Completed password resets, so that a repeated call makes no second temporary password.
CREATE TABLE IF NOT EXISTS vault.password_resets (
    change text PRIMARY KEY,
    player bigint NOT NULL REFERENCES vault.members ON DELETE CASCADE
);
-- Sealed under the player's key, and unreadable once that is destroyed. The rows outlive a player.
CREATE TABLE IF NOT EXISTS vault.private_fields (
    player bigint NOT NULL,
    field text NOT NULL,
    sealed bytea NOT NULL,
    PRIMARY KEY (player, field)
);
CREATE TABLE IF NOT EXISTS vault.payout_accounts (
    id text PRIMARY KEY,
    player bigint NOT NULL,
    kind smallint NOT NULL,
    sealed bytea NOT NULL,
    saved_at bigint NOT NULL,
    current boolean NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS payout_accounts_current ON vault.payout_accounts (player, kind)
WHERE current;
CREATE INDEX IF NOT EXISTS payout_accounts_player ON vault.payout_accounts (player);
CREATE TABLE IF NOT EXISTS vault.security_codes (
    player bigint PRIMARY KEY REFERENCES vault.members ON DELETE CASCADE,
    code_hash text NOT NULL,
    set_at bigint NOT NULL,
    tries bigint NOT NULL DEFAULT 0,
    forgiven bigint NOT NULL DEFAULT 0
);

-- The texts that facts commit to, by our ids. Texts about a player are erased with the player.
DO $$
BEGIN
    IF to_regclass('vault.words') IS NULL AND to_regclass('vault.deposit_references') IS NOT NULL
    THEN
        ALTER TABLE vault.deposit_references RENAME TO words;
    END IF;
END $$;
CREATE TABLE IF NOT EXISTS vault.words (
    reference text PRIMARY KEY,
    words text NOT NULL,
    commitment_key bytea NOT NULL
);
ALTER TABLE vault.words ADD COLUMN IF NOT EXISTS player bigint;
CREATE INDEX IF NOT EXISTS words_player ON vault.words (player);

-- Which messages a player has read: single ones, and with an empty name all up to a position.
CREATE TABLE IF NOT EXISTS vault.messages_read (
    player bigint NOT NULL REFERENCES vault.members ON DELETE CASCADE,
    message text COLLATE "C" NOT NULL,
    until bigint NOT NULL,
    PRIMARY KEY (player, message)
);

-- What the house publishes, by the hashes that the facts record. No personal data.
CREATE TABLE IF NOT EXISTS content.texts (
    digest text COLLATE "C" PRIMARY KEY,
    content text COLLATE "C" NOT NULL,
    body bytea NOT NULL
);
CREATE INDEX IF NOT EXISTS texts_content ON content.texts (content);

-- Nonces of the payment gateway's messages, for as long as such a message would be accepted.
CREATE TABLE IF NOT EXISTS vault.gateway_nonces (
    nonce text COLLATE "C" PRIMARY KEY,
    at bigint NOT NULL
);
CREATE INDEX IF NOT EXISTS gateway_nonces_at ON vault.gateway_nonces (at);

-- Secrets of the draws not yet revealed, sealed under the master key.
CREATE TABLE IF NOT EXISTS vault.chains (
    game int NOT NULL,
    day text NOT NULL,
    rounds int NOT NULL,
    sealed_tail bytea NOT NULL,
    PRIMARY KEY (game, day)
);

-- The application's role may append to the log and read it, but not change it.
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'fairdraw_app') THEN
        GRANT USAGE ON SCHEMA log, vault, content TO fairdraw_app;
        GRANT USAGE, CREATE ON SCHEMA views, views_next TO fairdraw_app;
        -- A check of a read model builds its reference copy in temporary tables.
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
