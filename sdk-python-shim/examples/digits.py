"""Puts a real dataset into a lake: the handwritten digits that scikit-learn ships, as files.

    python digits.py s3://lake/digits/

writes ``images/<index>.png`` (1,797 8-bit PNG files of 8x8 pixels), ``labels.csv`` (file, label), and one large file,
``shards/shard-000.bin`` (256 MiB of pseudo-random bytes, the same on every run). Endpoint and credentials come from the
environment as boto3 reads it: ``AWS_ENDPOINT_URL_S3``, ``AWS_ACCESS_KEY_ID``, ``AWS_SHARED_CREDENTIALS_FILE``, ...

It prints one JSON line: objects, bytes, and the SHA-256 of the shard.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import io
import json
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import boto3
import numpy as np
from botocore.config import Config
from PIL import Image
from sklearn.datasets import load_digits

SHARD_BYTES = 256 << 20
_BLOCK_BYTES = 8 << 20
_SEED = 20261120
_CONNECTIONS = 8
# Pixels of the dataset are 0 to 16, so 15 grey levels for each step fill a byte.
_GREY_STEP = 15


def small_files() -> Iterator[tuple[str, bytes]]:
    """Yields the images and the labels, as (key, content)."""
    digits = load_digits()
    labels = io.StringIO()
    rows = csv.writer(labels, lineterminator="\n")
    rows.writerow(["file", "label"])
    for index, (pixels, label) in enumerate(zip(digits.images, digits.target, strict=True)):
        key = f"images/{index}.png"
        rows.writerow([key, int(label)])
        picture = io.BytesIO()
        Image.fromarray((pixels * _GREY_STEP).astype(np.uint8)).save(picture, format="PNG")
        yield key, picture.getvalue()
    yield "labels.csv", labels.getvalue().encode()


def shard_blocks() -> Iterator[bytes]:
    """Yields the large file, block by block."""
    random = np.random.Generator(np.random.PCG64(_SEED))
    for _ in range(SHARD_BYTES // _BLOCK_BYTES):
        yield random.bytes(_BLOCK_BYTES)


def upload(destination: str) -> dict[str, object]:
    """Writes all files below ``s3://bucket/prefix/``. Returns their number and bytes, and the SHA-256 of the shard."""
    address = urlsplit(destination)
    bucket, prefix = address.netloc, address.path.lstrip("/")
    s3 = boto3.client("s3", config=Config(max_pool_connections=2 * _CONNECTIONS))

    def put(file: tuple[str, bytes]) -> int:
        key, content = file
        s3.put_object(Bucket=bucket, Key=prefix + key, Body=content)
        return len(content)

    with ThreadPoolExecutor(_CONNECTIONS) as pool:
        sizes = list(pool.map(put, small_files()))
    digest = hashlib.sha256()
    with tempfile.TemporaryFile() as shard:
        for block in shard_blocks():
            digest.update(block)
            shard.write(block)
        shard.seek(0)
        s3.upload_fileobj(shard, bucket, prefix + "shards/shard-000.bin")
    return {
        "source": destination,
        "objects": len(sizes) + 1,
        "bytes": sum(sizes) + SHARD_BYTES,
        "shard_sha256": digest.hexdigest(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="Put the handwritten digits into a lake.")
    parser.add_argument("destination", metavar="S3_URI", help="s3://bucket/prefix/")
    options = parser.parse_args()
    if not options.destination.startswith("s3://") or not options.destination.endswith("/"):
        parser.error("the destination must be of the form s3://bucket/prefix/")
    print(json.dumps(upload(options.destination)))


if __name__ == "__main__":
    main()
