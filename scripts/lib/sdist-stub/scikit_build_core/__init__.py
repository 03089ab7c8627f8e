"""Stands in for the build backend of the same name while pip downloads a source archive."""
