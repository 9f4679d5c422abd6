"""A certificate for people: one offline page, and the paper's figures."""
