"""The gallery of the site is reports/reproduction as it stands; nothing is copied by hand."""

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

SHOWN = {".md", ".png", ".gif"}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the page of `verify reproduce` and its figures below gallery/."""
    folder = Path(config.config_file_path).parent / "reports" / "reproduction"
    for path in sorted(folder.iterdir()):
        if path.suffix in SHOWN:
            files.append(File.generated(config, f"gallery/{path.name}", abs_src_path=str(path)))
    return files
