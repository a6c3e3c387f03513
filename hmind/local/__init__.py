"""What makes H-Mind run on a bare machine: embedded stores and a supervisor for the Procfile. Used by the CLI only."""
