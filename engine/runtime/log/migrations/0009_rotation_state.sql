-- Whether the rotation to this master key has not ended. Before, this was inferred from players
-- whose keys are still sealed under an older one: without such players a rotation that had only
-- begun counted as ended, and the command that should end it wanted to begin another.
ALTER TABLE vault.key_fingerprints ADD COLUMN is_rotating boolean NOT NULL DEFAULT false;
