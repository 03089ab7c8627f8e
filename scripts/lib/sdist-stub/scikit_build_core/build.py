"""The two answers pip wants before it hands over a source archive: its name and its version.

They come from the archive's PKG-INFO, so pip's own check of name and version still means something.
"""

import email.parser
import os
import shutil


def get_requires_for_build_wheel(config_settings=None):
    return []


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    with open("PKG-INFO", encoding="utf-8") as file:
        info = email.parser.Parser().parse(file, headersonly=True)
    # pip takes the name from the folder's.
    folder = f"{info['Name'].replace('-', '_')}-{info['Version']}.dist-info"
    os.makedirs(os.path.join(metadata_directory, folder))
    shutil.copyfile("PKG-INFO", os.path.join(metadata_directory, folder, "METADATA"))
    return folder


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    raise RuntimeError("this backend only serves downloads")
