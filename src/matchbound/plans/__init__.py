"""Before anything is labelled: the labels that a target needs."""
