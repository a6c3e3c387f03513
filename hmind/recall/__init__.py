"""Asking all layers at once. Starts at recall.py; reads memories, writes only touch.py's last use."""
