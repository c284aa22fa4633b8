"""What extra/release makes of the project, a file for each kind of thing. Python's own library is all that is needed."""
