-- The outbox of the vault: players whose data changed in a way that the log has to record.
-- Triggers fill it in the transaction of the change, so that no writer can forget it. The leader
-- compares each player with the engine, submits what is missing and deletes the row, unless
-- `changes` has grown meanwhile.
CREATE TABLE vault.changed_players (
    player bigint PRIMARY KEY,
    changes bigint NOT NULL DEFAULT 1
);
CREATE FUNCTION vault.record_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO vault.changed_players AS known (player) VALUES (NEW.player)
    ON CONFLICT (player) DO UPDATE SET changes = known.changes + 1;
    RETURN NULL;
END $$;
CREATE TRIGGER members_changed AFTER UPDATE OF member_group ON vault.members
FOR EACH ROW WHEN (OLD.member_group <> NEW.member_group) EXECUTE FUNCTION vault.record_change();
CREATE TRIGGER private_fields_changed AFTER INSERT ON vault.private_fields
FOR EACH ROW EXECUTE FUNCTION vault.record_change();
CREATE TRIGGER payout_accounts_changed AFTER INSERT OR UPDATE OF current ON vault.payout_accounts
FOR EACH ROW EXECUTE FUNCTION vault.record_change();
CREATE TRIGGER security_codes_changed AFTER INSERT OR UPDATE OF set_at ON vault.security_codes
FOR EACH ROW EXECUTE FUNCTION vault.record_change();
