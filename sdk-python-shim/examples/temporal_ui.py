"""Asks Temporal itself for workflows, through the HTTP API of its Web UI."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import httpx

from checks import wait_until

_NAMESPACE = "/api/v1/namespaces/default/workflows"
_LATEST = 60


class TemporalUi:
    def __init__(self, address: str) -> None:
        self._http = httpx.Client(base_url=address, trust_env=False, timeout=10.0)

    def workflow_ids(self, prefix: str) -> list[str]:
        """Returns the ids of all workflows with this prefix."""
        return sorted({each["workflowId"] for each in self._list(f"WorkflowId STARTS_WITH '{prefix}'")})

    def sweep_that_evicted(self, region: str, version: str, within_seconds: float) -> str | None:
        """Returns the id of the workflow, started by the region's Schedule, that reports the eviction of the version.

        Retries for a while, because a workflow's actions become searchable a moment later.
        """
        found: list[str] = []

        def look() -> bool:
            found.extend(self._sweeps_that_evicted(region, version))
            return bool(found)

        wait_until(look, time.monotonic() + within_seconds)
        return found[0] if found else None

    def close(self) -> None:
        self._http.close()

    def _sweeps_that_evicted(self, region: str, version: str) -> Iterator[str]:
        query = f"TemporalScheduledById = 'eviction-sweep/{region}' AND ExecutionStatus = 'Completed'"
        for sweep in self._list(query)[:_LATEST]:
            for outcome in self._result(sweep):
                what = outcome["version"]
                name = f"{what['dataset']['namespace']}/{what['dataset']['name']}@{what['version']}"
                if name == version and outcome["evicted"]:
                    yield sweep["workflowId"]

    def _list(self, query: str) -> list[dict[str, str]]:
        answer = self._get(_NAMESPACE, {"query": query})
        return [each["execution"] for each in answer.get("executions", [])]

    def _result(self, execution: dict[str, str]) -> list[dict[str, Any]]:
        path = f"{_NAMESPACE}/{quote(execution['workflowId'], safe='')}/history-reverse"
        last = self._get(path, {"execution.runId": execution["runId"], "maximumPageSize": "1"})["history"]["events"][0]
        payloads = last["workflowExecutionCompletedEventAttributes"].get("result", {}).get("payloads", [])
        found: list[dict[str, Any]] = json.loads(base64.b64decode(payloads[0]["data"])) if payloads else []
        return found

    def _get(self, path: str, params: dict[str, str]) -> Any:
        answer = self._http.get(path, params=params)
        answer.raise_for_status()
        return answer.json()
