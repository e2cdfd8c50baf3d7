"""Searches and thresholds put together to tables and figures, each made again by one command."""
