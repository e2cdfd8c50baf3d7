"""One self-contained HTML page of many checks: `content` computes what it shows, `render` writes it."""
