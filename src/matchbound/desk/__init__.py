"""The labelling page: a local server over a draw and its records."""
