"""What the site shows of reports/ as it stands; nothing is copied by hand."""

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

SHOWN = {".md", ".png", ".gif", ".mp4"}

FOLDERS = {"reproduction": "gallery", "performance": "reports/performance"}
"""Folders of reports/, and where the site has them."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages and figures of the folders."""
    reports = Path(config.config_file_path).parent / "reports"
    for folder, place in FOLDERS.items():
        for path in sorted((reports / folder).iterdir()):
            if path.suffix in SHOWN:
                files.append(File.generated(config, f"{place}/{path.name}", abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Links that lead out of docs/ in the repository lead to the same pages on the site."""
    return markdown.replace("](../reports/performance/", "](reports/performance/")
