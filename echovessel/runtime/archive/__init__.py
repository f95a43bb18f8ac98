"""Whole vessels in one file: a zip of JSON lines with a manifest, readable without this program."""

from echovessel.runtime.archive.arrive import Arrived, import_archive
from echovessel.runtime.archive.export import Exported, export_archive
from echovessel.runtime.archive.file import is_archive
from echovessel.runtime.archive.seal import Secret

__all__ = ["Arrived", "Exported", "Secret", "export_archive", "import_archive", "is_archive"]
