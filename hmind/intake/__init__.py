"""Turns come in here: wire format, checks, ledger and short-term store."""
