"""What time does to memories: fading, letting go, dropping texts on their day, finding what got stuck.

Every function takes the moment it works for, returns how many rows it changed, and may run
twice or in two workers at once: the second changes nothing.
"""
