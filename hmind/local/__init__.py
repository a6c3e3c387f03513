"""Real PostgreSQL and Valkey from wheels, and the processes of the Procfile, on one machine."""
