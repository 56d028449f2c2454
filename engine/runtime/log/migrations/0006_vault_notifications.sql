-- Several processes cache sessions and nicknames. Each is notified of a player whose sessions ended,
-- whose name changed, or who was erased, in the transaction of the change.
CREATE FUNCTION vault.notify_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        PERFORM pg_notify('vault', 'erased ' || OLD.player);
    ELSE
        PERFORM pg_notify('vault', 'changed ' || NEW.player);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER sessions_ended AFTER UPDATE OF revoked ON vault.sessions
FOR EACH ROW WHEN (NEW.revoked AND NOT OLD.revoked) EXECUTE FUNCTION vault.notify_change();
CREATE TRIGGER members_renamed AFTER UPDATE OF nickname ON vault.members
FOR EACH ROW WHEN (NEW.nickname <> OLD.nickname) EXECUTE FUNCTION vault.notify_change();
CREATE TRIGGER members_erased AFTER DELETE ON vault.members
FOR EACH ROW EXECUTE FUNCTION vault.notify_change();
