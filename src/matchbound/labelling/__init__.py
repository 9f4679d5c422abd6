"""From a draw to its labels: a page on the user's own machine."""
