"""Staff: people, roles, passes and proposals that need a second person."""
