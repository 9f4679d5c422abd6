"""The command line: each verb parses its options, calls one function, and prints the result."""
