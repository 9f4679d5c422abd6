"""The documentation as a site: `make docs` builds it, from docs/, the README and the code.

The pages of the reference are made from the code when the site is built; no copy of them is kept.
"""
