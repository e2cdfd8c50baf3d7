"""Reports: `tables` summarises rows of `check`, `formats` and `figures` show them, `write` puts them on disk."""
