"""Helpers that the protocol tests share: they run the program, talk to it, and stand in for
services."""
