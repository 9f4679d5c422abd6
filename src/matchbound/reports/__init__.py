"""Certificates as HTML pages for people, and the paper's figures."""
