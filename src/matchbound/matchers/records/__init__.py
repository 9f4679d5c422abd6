"""Matchers of records: candidates, features of pairs, and a classifier over them."""
