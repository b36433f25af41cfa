"""The errors of the package. The package's own documentation describes the tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forebay._text import shown_lines

if TYPE_CHECKING:
    from forebay._models import Progress


class ForebayError(Exception):
    """The root of all exceptions that this package raises on purpose.

    Its text has no control characters, even if a server's message has.

    Attributes:
        code: the machine-readable name of the error, for example ``PINNED``.
        retryable: whether the same request may succeed later without a change by a person.
        field: the field of the request that caused it, if there is one.
    """

    code: str = "FAILED"
    retryable: bool = False
    field: str | None = None

    def __str__(self) -> str:
        return shown_lines(super().__str__())


class ForebayWarning(UserWarning):
    """A fact that a person should know, although the program continues."""


class ConfigurationError(ForebayError, ValueError):
    """An argument or an environment variable of this process is missing or not of the right form."""

    code = "USAGE"


class ConnectionFailed(ForebayError):
    """The control plane could not be reached, or did not answer, within the retry time."""

    code = "CONNECTION_FAILED"
    retryable = True


class UnexpectedAnswer(ForebayError):
    """A server answers, but it does not speak Forebay's API. Often the address is wrong."""

    code = "UNEXPECTED_ANSWER"


class EnsureTimeout(ForebayError):
    """The version is not complete in the region within the caller's time limit.

    The platform continues the work, and a later call joins it.
    """

    code = "ENSURE_TIMEOUT"
    retryable = True

    def __init__(self, message: str, *, progress: Progress | None = None, request_id: str | None = None) -> None:
        super().__init__(message)
        self.progress = progress
        self.request_id = request_id


class PinLost(ForebayError):
    """The pin has ended before its release. The version may be evicted at any time."""

    code = "PIN_LOST"


class MountMissing(ForebayError):
    """The version is in the region, but this machine does not see it."""

    code = "MOUNT_MISSING"


class ApiError(ForebayError):
    """The control plane refused or failed a request.

    Attributes:
        status: the HTTP status.
        detail: what happened and what to do, for people; as the server wrote it.
        retry_after: its header ``Retry-After``; None if it has none.
    """

    retry_after: str | None = None

    def __init__(
        self, code: str, status: int, detail: str, *, retryable: bool = False, field: str | None = None
    ) -> None:
        super().__init__(code, status, detail)
        self.code = code
        self.status = status
        self.detail = detail
        self.retryable = retryable
        self.field = field

    def __str__(self) -> str:
        return shown_lines(f"{self.code}: {self.detail}")


class InvalidArgument(ApiError):
    """A field of the request breaks a rule."""


class NotFound(ApiError):
    """The dataset, version, pin or request does not exist."""


class AlreadyExists(ApiError):
    """The name is used for something different, or the idempotency key for another request."""


class Pinned(ApiError):
    """A pin prevents the eviction of the version."""


class Evicting(ApiError):
    """The version is being evicted. A pin is possible again when the eviction has ended."""


class UnknownRegion(ApiError):
    """This installation has no such region."""


class LakeEmpty(ApiError):
    """The source has no objects, or does not exist."""


class InvalidKey(ApiError):
    """The source has keys that cannot be paths."""


class LakeObjectChanged(ApiError):
    """An object was overwritten or deleted in the lake after the version was frozen."""


class LakeDenied(ApiError):
    """The lake refuses the platform's credentials."""


class LakeUnavailable(ApiError):
    """The lake does not answer, or answers with errors."""


class LakeUnsupported(ApiError):
    """The lake breaks a promise of S3 that the platform relies on, for example if it lists keys in no order."""


class Corrupt(ApiError):
    """Bytes do not match their checksum."""


class CapacityExceeded(ApiError):
    """The region is full of bytes that must not be evicted."""


class TooLarge(ApiError):
    """The version is larger than all the chunk stores of the region together."""


class BudgetSpent(ApiError):
    """The namespace has spent its budget. Fills without a waiting job are delayed."""


class Cancelled(ApiError):
    """The request was cancelled."""


class DeadlineExceeded(ApiError):
    """Too few bytes of the version were present at the caller's deadline."""


class Unavailable(ApiError):
    """A part of the platform does not answer."""


class Denied(ApiError):
    """The caller has no permission, or sent no valid token."""


class InternalError(ApiError):
    """A defect in Forebay."""


_BY_CODE: dict[str, type[ApiError]] = {
    "INVALID_ARGUMENT": InvalidArgument,
    "NOT_FOUND": NotFound,
    "ALREADY_EXISTS": AlreadyExists,
    "PINNED": Pinned,
    "EVICTING": Evicting,
    "UNKNOWN_REGION": UnknownRegion,
    "LAKE_EMPTY": LakeEmpty,
    "INVALID_KEY": InvalidKey,
    "LAKE_OBJECT_CHANGED": LakeObjectChanged,
    "LAKE_DENIED": LakeDenied,
    "LAKE_UNAVAILABLE": LakeUnavailable,
    "LAKE_UNSUPPORTED": LakeUnsupported,
    "CORRUPT": Corrupt,
    "CAPACITY_EXCEEDED": CapacityExceeded,
    "TOO_LARGE": TooLarge,
    "BUDGET_SPENT": BudgetSpent,
    "CANCELLED": Cancelled,
    "DEADLINE_EXCEEDED": DeadlineExceeded,
    "UNAVAILABLE": Unavailable,
    "DENIED": Denied,
    "INTERNAL": InternalError,
}

# For answers without a code, which come from a proxy, or from the HTTP layer below the application.
_BY_STATUS = {400: "INVALID_ARGUMENT", 401: "DENIED", 403: "DENIED"}


def api_error(
    status: int, code: str | None, detail: str, *, retryable: bool = False, field: str | None = None
) -> ApiError:
    """Returns the error of the right type for a problem that the server described."""
    name = code or _BY_STATUS.get(status) or f"HTTP_{status}"
    return _BY_CODE.get(name, ApiError)(name, status, detail, retryable=retryable, field=field)


def add_note(error: BaseException, note: str) -> None:
    """Adds a note to an exception, which its traceback shows, as ``add_note`` of Python 3.11 does."""
    error.__notes__ = [*notes(error), note]  # type: ignore[attr-defined,unused-ignore]


def notes(error: BaseException) -> list[str]:
    return list(getattr(error, "__notes__", ()))
