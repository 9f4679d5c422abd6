"""The labelling page: a local server that shows a draw's records and saves labels."""
