"""Asking all layers at once. Starts at ask.py; reads memories, writes only touch.py's last use."""
