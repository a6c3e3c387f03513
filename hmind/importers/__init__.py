"""Files of old conversations: recognising them, reading them, giving their turns to intake."""
