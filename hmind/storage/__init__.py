"""Connections, tables and migrations."""
