"""The methods of both clients, by task."""

from forebay._api._contents import ContentMethods
from forebay._api._costs import CostMethods
from forebay._api._datasets import DatasetMethods
from forebay._api._pins import PinMethods
from forebay._api._regions import RegionMethods
from forebay._api._requests import RequestMethods
from forebay._api._stores import StoreMethods
from forebay._api._versions import VersionMethods


class Api(
    DatasetMethods, VersionMethods, ContentMethods, RequestMethods, PinMethods, RegionMethods, CostMethods, StoreMethods
):
    """Every method of the control plane's API."""
