"""The errors of the package. The tree is described in the documentation of the package itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forebay._text import shown_lines

if TYPE_CHECKING:
    from forebay._models import Progress


class ForebayError(Exception):
    """The root of everything this package raises on purpose.

    As text it has no control characters, whoever wrote the message.

    Attributes:
        code: the machine-readable name of the error, for example ``PINNED``.
        retryable: whether the same request may succeed later without anybody changing anything.
        field: the field of the request that is to blame, if one is.
    """

    code: str = "FAILED"
    retryable: bool = False
    field: str | None = None

    def __str__(self) -> str:
        return shown_lines(super().__str__())


class ForebayWarning(UserWarning):
    """Something that a person should know, though the program goes on."""


class ConfigurationError(ForebayError, ValueError):
    """An argument or an environment variable of this process is missing or not of the right form."""

    code = "USAGE"


class ConnectionFailed(ForebayError):
    """The control plane could not be reached, or did not answer, for as long as we were told to try."""

    code = "CONNECTION_FAILED"
    retryable = True


class UnexpectedAnswer(ForebayError):
    """Something answered, but it does not speak Forebay's API: often a wrong address."""

    code = "UNEXPECTED_ANSWER"


class EnsureTimeout(ForebayError):
    """The version is not complete in the region within the caller's time limit.

    The platform goes on with the work: a later call joins it.
    """

    code = "ENSURE_TIMEOUT"
    retryable = True

    def __init__(self, message: str, *, progress: Progress | None = None, request_id: str | None = None) -> None:
        super().__init__(message)
        self.progress = progress
        self.request_id = request_id


class PinLost(ForebayError):
    """The pin has ended though nobody released it: the version may be evicted at any time."""

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
    """The name is taken by something different, or an idempotency key was used for another request."""


class Pinned(ApiError):
    """An eviction of a version that somebody holds."""


class Evicting(ApiError):
    """A pin on a version that is just being evicted; possible again when it is gone."""


class UnknownRegion(ApiError):
    """This installation does not have that region."""


class LakeEmpty(ApiError):
    """The source holds nothing, or does not exist."""


class InvalidKey(ApiError):
    """The source holds keys that cannot be paths."""


class LakeObjectChanged(ApiError):
    """An object was overwritten or deleted in the lake after the version was frozen."""


class LakeDenied(ApiError):
    """The lake refuses the platform's credentials."""


class LakeUnavailable(ApiError):
    """The lake does not answer, or answers with errors."""


class LakeUnsupported(ApiError):
    """The lake breaks a promise of S3 that the platform relies on, as if it lists keys in no order."""


class Corrupt(ApiError):
    """Bytes do not have the checksum they should have."""


class CapacityExceeded(ApiError):
    """The region is full of bytes that must not be evicted."""


class TooLarge(ApiError):
    """The version is larger than all the chunk stores of the region together."""


class BudgetSpent(ApiError):
    """The namespace has spent its budget: what nobody waits for waits."""


class Cancelled(ApiError):
    """The request was taken back."""


class DeadlineExceeded(ApiError):
    """Not enough of the version was there by the caller's deadline."""


class Unavailable(ApiError):
    """A part of the platform does not answer."""


class Denied(ApiError):
    """The caller may not do that, or sent no valid token."""


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

# For answers without a code: they come from a proxy, or from the HTTP layer below the application.
_BY_STATUS = {400: "INVALID_ARGUMENT", 401: "DENIED", 403: "DENIED"}


def api_error(
    status: int, code: str | None, detail: str, *, retryable: bool = False, field: str | None = None
) -> ApiError:
    """Makes the error of the right type for a problem the server described."""
    name = code or _BY_STATUS.get(status) or f"HTTP_{status}"
    return _BY_CODE.get(name, ApiError)(name, status, detail, retryable=retryable, field=field)


def add_note(error: BaseException, note: str) -> None:
    """Adds a note to an exception, which its traceback shows, as ``add_note`` of Python 3.11 does."""
    error.__notes__ = [*notes(error), note]  # type: ignore[attr-defined,unused-ignore]


def notes(error: BaseException) -> list[str]:
    return list(getattr(error, "__notes__", ()))
