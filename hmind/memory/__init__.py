"""L2 to L4, the ledger and the profile: what is kept and how it is read."""
