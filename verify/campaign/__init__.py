"""Campaigns: `config` declares a sample, `sample` draws it, `run` checks it in parallel, `store` keeps every result."""
