"""Datasets that tests create in the lake."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import boto3


class Lake:
    """Writes objects to the lake."""

    def __init__(self, endpoint: str, bucket: str) -> None:
        self.bucket = bucket
        self._s3: Any = boto3.client("s3", endpoint_url=endpoint)

    def put(self, prefix: str, files: Mapping[str, bytes]) -> None:
        for name, content in files.items():
            self._s3.put_object(Bucket=self.bucket, Key=prefix + name, Body=content)


@dataclass(frozen=True)
class Sample:
    """A dataset of one test."""

    name: str
    source: str
    files: Mapping[str, bytes]

    @property
    def bytes(self) -> int:
        return sum(len(content) for content in self.files.values())
