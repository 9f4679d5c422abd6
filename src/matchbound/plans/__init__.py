"""Plan an audit before anything is labelled: how many labels a target needs."""
