"""The command line: one call for the words typed, one value printed."""
