# SPDX-License-Identifier: Apache-2.0
"""Stands in for the build backend of scikit-image, so that pip hands out its source without compiling it."""
import email
import pathlib
import shutil


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """Gives pip the metadata that come with the source."""
    info = email.message_from_string(pathlib.Path("PKG-INFO").read_text(encoding="utf-8"))
    folder = pathlib.Path(metadata_directory, f"{info['Name'].replace('-', '_')}-{info['Version']}.dist-info")
    folder.mkdir()
    shutil.copy("PKG-INFO", folder / "METADATA")
    return folder.name
