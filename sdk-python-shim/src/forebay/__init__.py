"""Forebay brings a version of a dataset close to the GPUs, holds it there, and shows it as ordinary files.

    from forebay import ensure_dataset_cached

    with ensure_dataset_cached("vision/digits", "2026-11-20", pin_for="1h", reason="train resnet") as ds:
        train(ds.path)

``ensure_dataset_cached_async`` is the same for asyncio. ``prefetch_dataset`` announces the dataset that a job will need
next. ``Client`` and ``AsyncClient`` cover the whole API of the control plane.

Environment: ``FOREBAY_API`` (address of the control plane), ``FOREBAY_REGION``, ``FOREBAY_MOUNT_ROOT`` (where this
machine mounts datasets, if it differs from the region's path), ``FOREBAY_RUN_ID`` (the run of this process),
``FOREBAY_JOB_UID`` (the Kubernetes Job of this process, for its pins to name),
``FOREBAY_TOKEN_FILE`` (file with a bearer token), ``FOREBAY_SERVICE_CA`` (file with the authorities of a control plane
with https), and, for all programs of the machine, ``SSL_CERT_FILE``, ``SSL_CERT_DIR``, ``HTTPS_PROXY``, ``HTTP_PROXY``,
``ALL_PROXY`` and ``NO_PROXY``. Requests to a control plane on this machine bypass the proxy.

An interruption of a wait, such as Ctrl-C, cancels the request, unless ``detach`` is set. If stderr is closed or full,
messages are lost, but no call fails.

Errors::

    ForebayError                what happened: code, retryable, field
    ├── ConfigurationError      an argument or environment variable is missing or wrong (also a ValueError)
    ├── ConnectionFailed        the control plane does not answer
    ├── UnexpectedAnswer        a server other than Forebay's API answers
    ├── EnsureTimeout           not complete within the caller's time limit; the platform continues
    ├── PinLost                 the pin has ended before its release
    ├── MountMissing            the version is in the region, but this machine does not see it
    └── ApiError                the control plane refused or failed: also status, detail
        ├── InvalidArgument     a field breaks a rule
        ├── NotFound            no such dataset, version, pin or request
        ├── AlreadyExists       the name, or the idempotency key, is used for something different
        ├── Pinned              a pin prevents the eviction of the version
        ├── Evicting            the version is being evicted
        ├── UnknownRegion       no such region
        ├── LakeEmpty           the source has no objects
        ├── InvalidKey          the source has keys that cannot be paths
        ├── LakeObjectChanged   an object was changed in the lake after the version was frozen
        ├── LakeDenied          the lake refuses the platform's credentials
        ├── LakeUnavailable     the lake does not answer
        ├── LakeUnsupported     the lake does not do what S3 promises
        ├── Corrupt             bytes do not match their checksum
        ├── CapacityExceeded    the region is full of bytes that must not be evicted
        ├── TooLarge            the version is larger than the region
        ├── BudgetSpent         the namespace has spent its budget
        ├── Cancelled           the request was cancelled
        ├── DeadlineExceeded    too few bytes were present at the deadline
        ├── Unavailable         a part of the platform does not answer
        ├── Denied              the caller has no permission
        └── InternalError       a defect in Forebay
"""

from forebay._client import AsyncClient, Client
from forebay._dataset import CachedDataset, ensure_dataset_cached, ensure_dataset_cached_async
from forebay._errors import (
    AlreadyExists,
    ApiError,
    BudgetSpent,
    Cancelled,
    CapacityExceeded,
    ConfigurationError,
    ConnectionFailed,
    Corrupt,
    DeadlineExceeded,
    Denied,
    EnsureTimeout,
    Evicting,
    ForebayError,
    ForebayWarning,
    InternalError,
    InvalidArgument,
    InvalidKey,
    LakeDenied,
    LakeEmpty,
    LakeObjectChanged,
    LakeUnavailable,
    LakeUnsupported,
    MountMissing,
    NotFound,
    PinLost,
    Pinned,
    TooLarge,
    Unavailable,
    UnexpectedAnswer,
    UnknownRegion,
)
from forebay._models import (
    Alias,
    Blocked,
    BlockedVersion,
    Budget,
    BytesFrom,
    Check,
    Cost,
    Costs,
    Counted,
    Dataset,
    Difference,
    EnsureStatus,
    Explanation,
    Finding,
    Findings,
    HistoryEntry,
    Manifest,
    Money,
    Origin,
    Pin,
    PinSpec,
    Placement,
    Placements,
    Plan,
    PlanNeeds,
    PlanSource,
    PlanSpace,
    PlanVictim,
    Progress,
    Queued,
    Quota,
    Receipt,
    Region,
    RegionPlan,
    Residency,
    Restored,
    Sweep,
    SweepPlan,
    SweepSchedule,
    SweptVersion,
    Terms,
    Tracking,
    Version,
    VersionObject,
    Victim,
    Worker,
)
from forebay._prefetch import prefetch_dataset
from forebay._release import release_dataset

__version__ = "0.1.0"

__all__ = [
    "Alias",
    "AlreadyExists",
    "ApiError",
    "AsyncClient",
    "Blocked",
    "BlockedVersion",
    "Budget",
    "BudgetSpent",
    "BytesFrom",
    "CachedDataset",
    "Cancelled",
    "CapacityExceeded",
    "Check",
    "Client",
    "ConfigurationError",
    "ConnectionFailed",
    "Corrupt",
    "Cost",
    "Costs",
    "Counted",
    "Dataset",
    "DeadlineExceeded",
    "Denied",
    "Difference",
    "EnsureStatus",
    "EnsureTimeout",
    "Evicting",
    "Explanation",
    "Finding",
    "Findings",
    "ForebayError",
    "ForebayWarning",
    "HistoryEntry",
    "InternalError",
    "InvalidArgument",
    "InvalidKey",
    "LakeDenied",
    "LakeEmpty",
    "LakeObjectChanged",
    "LakeUnavailable",
    "LakeUnsupported",
    "Manifest",
    "Money",
    "MountMissing",
    "NotFound",
    "Origin",
    "Pin",
    "PinLost",
    "PinSpec",
    "Pinned",
    "Placement",
    "Placements",
    "Plan",
    "PlanNeeds",
    "PlanSource",
    "PlanSpace",
    "PlanVictim",
    "Progress",
    "Queued",
    "Quota",
    "Receipt",
    "Region",
    "RegionPlan",
    "Residency",
    "Restored",
    "Sweep",
    "SweepPlan",
    "SweepSchedule",
    "SweptVersion",
    "Terms",
    "TooLarge",
    "Tracking",
    "Unavailable",
    "UnexpectedAnswer",
    "UnknownRegion",
    "Version",
    "VersionObject",
    "Victim",
    "Worker",
    "__version__",
    "ensure_dataset_cached",
    "ensure_dataset_cached_async",
    "prefetch_dataset",
    "release_dataset",
]
