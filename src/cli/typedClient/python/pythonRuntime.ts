/** The part that all generated Python clients share. It needs only the standard library. */
export const pythonRuntime = `
from __future__ import annotations

import difflib
import io
import json
import os
import random
import shutil
import socket
import time
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Callable, Dict, Generator, Generic, Iterator, List, Literal, Mapping, Optional, Sequence, Tuple, TypedDict, TypeVar, Union

Row = TypeVar("Row")
ScalarValue = Union[str, int, float, bool, datetime]
ParameterValue = Union[ScalarValue, Sequence[ScalarValue], None]


@dataclass(frozen=True)
class CallOptions:
    """Options of one call."""

    redact_pii: bool = False
    """Redacts personal data in this answer."""
    cache_control: Optional[str] = None
    """How fresh the rows must be, such as no-cache or max-age=60."""
    timeout_seconds: Optional[float] = None
    """Longest wait for the service to say something. The default is that of the client."""


@dataclass(frozen=True)
class Answer(Generic[Row]):
    """The rows of a call, and what the service says of them."""

    result: List[Row]
    meta: Dict[str, Any]

    def to_pandas(self) -> Any:
        """The rows as a pandas.DataFrame. Needs pandas."""
        import pandas

        return pandas.DataFrame(self.result, columns=self._names())

    def to_arrow(self) -> Any:
        """The rows as a pyarrow.Table. Needs pyarrow."""
        import pyarrow

        return pyarrow.Table.from_pylist(self.result) if self.result else pyarrow.table({name: [] for name in self._names()})

    def _names(self) -> List[str]:
        return [_member(column, "name") for column in _member(self.meta, "columns")]


class Pages(Generic[Row]):
    """
    All rows of a query, read in pages that show the data as it was when the first page was read. Iterate over it for the
    rows; by_page has whole answers. It reads a page when it is needed, and each iteration begins anew.
    """

    def __init__(self, read: Callable[[Optional[str]], Answer[Row]], cursor: Optional[str]) -> None:
        self._read = read
        self._cursor = cursor

    def __iter__(self) -> Iterator[Row]:
        for page in self.by_page():
            yield from page.result

    def by_page(self) -> Iterator[Answer[Row]]:
        cursor = self._cursor
        while True:
            page = self._read(cursor)
            yield page
            # Without it, a page would be taken for all rows.
            cursor = _member(page.meta, "next")
            if cursor is None:
                return


class Stream(Generic[Row]):
    """
    All rows of a call, read while the service computes them. Iterate over it for the rows, as over Pages: each iteration calls the
    service anew. It raises LogmillError if the stream fails or is cut off, so that a part is never taken for the whole.
    """

    def __init__(self, read: Callable[[], Generator[Row, None, Dict[str, Any]]]) -> None:
        self._read = read
        self.meta: Optional[Dict[str, Any]] = None
        """What the service says of the rows, with notices; None until all of them were read."""

    def __iter__(self) -> Iterator[Row]:
        self.meta = None
        self.meta = yield from self._read()


class LogmillError(Exception):
    """
    A call that failed. code is an error code of the service, or one of the client: client.unreachable, client.unreadable (the answer
    is not as the client expects it), client.cut (an answer was cut off), client.rows_missing (a tail left out rows) or
    client.endpoint_unknown (the client has no such endpoint). docs/reference/errors.md describes all of them. status is the HTTP
    status, or 0 if there was no answer. retry_after_seconds is the wait after which the same call may succeed.
    """

    def __init__(
        self,
        code: str,
        message: str,
        status: int = 0,
        errors: Sequence[Dict[str, Any]] = (),
        request_id: Optional[str] = None,
        retry_after_seconds: Optional[float] = None,
    ) -> None:
        super().__init__(code, message, status, errors, request_id, retry_after_seconds)
        self.code = code
        self.message = message
        self.status = status
        self.errors = errors
        self.request_id = request_id
        self.retry_after_seconds = retry_after_seconds

    def __str__(self) -> str:
        return self.message


_NumberPaths = Sequence[Tuple[str, ...]]
_RETRIES_MAX = 10


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    # The token must not go to another address.
    def redirect_request(self, *_: Any) -> None:
        return None


def _written(value: ScalarValue) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        if value.utcoffset() is None:
            raise ValueError("The time %s has no zone. Use datetime(..., tzinfo=timezone.utc)." % value)
        return value.isoformat()
    if isinstance(value, float):
        if value != value:
            return "NaN"
        if value in (float("inf"), float("-inf")):
            return "Infinity" if value > 0 else "-Infinity"
        return repr(value)
    return str(value)


def _members(parameters: Mapping[str, ParameterValue]) -> Dict[str, Any]:
    return {
        name: [_written(each) for each in value] if isinstance(value, (list, tuple)) else _written(value)
        for name, value in parameters.items()
        if value is not None
    }


def _body(parameters: Mapping[str, ParameterValue]) -> bytes:
    return json.dumps(_members(parameters)).encode("ascii")


def _as_float(value: Any) -> Any:
    # JSON has no NaN and no infinities, so these are texts there.
    return float(value) if isinstance(value, (str, int)) and not isinstance(value, bool) else value


def _convert(holder: Any, path: Tuple[str, ...]) -> None:
    first, rest = path[0], path[1:]
    if isinstance(holder, list) and first == "*":
        keys: Sequence[Any] = range(len(holder))
    elif isinstance(holder, dict) and first in holder:
        keys = [first]
    else:
        return
    for key in keys:
        if rest:
            _convert(holder[key], rest)
        else:
            holder[key] = _as_float(holder[key])


def _json(text: bytes) -> Any:
    return json.loads(text.decode("utf-8"))


def _record(line: bytes) -> Dict[str, Any]:
    """A line of a stream or of a tail."""
    try:
        record = _json(line)
    except ValueError as cause:
        raise LogmillError("client.unreadable", "A line of the answer is not JSON.", 200) from cause
    if not isinstance(record, dict):
        raise LogmillError("client.unreadable", "A line of the answer is not a JSON object.", 200)
    return record


def _member(holder: Any, name: str) -> Any:
    """A member that answers of the service have."""
    if isinstance(holder, dict) and name in holder:
        return holder[name]
    raise LogmillError(
        "client.unreadable",
        "The answer has no member %s. Generate the client again with the version of the service." % name,
        200,
    )


def _path_of(paths: Mapping[str, str], endpoint: str) -> str:
    if endpoint in paths:
        return paths[endpoint]
    near = difflib.get_close_matches(endpoint, paths, 1)
    raise LogmillError(
        "client.endpoint_unknown",
        "This client has no endpoint %r for such a query. It has %s.%s"
        % (endpoint, ", ".join(paths) or "none", " Did you mean %s?" % near[0] if near else ""),
    )


class _Service:
    def __init__(self, url: str, token: str, retries: int, retry_wait_max_seconds: float, timeout_seconds: float) -> None:
        self._url = url.rstrip("/")
        self._token = token
        self._retries = min(retries, _RETRIES_MAX)
        self._retry_wait_max_seconds = retry_wait_max_seconds
        self._timeout_seconds = timeout_seconds
        self._open = urllib.request.build_opener(_NoRedirect).open
        self._sleep: Callable[[float], None] = time.sleep

    def call(
        self,
        path: str,
        parameters: Mapping[str, ParameterValue],
        options: Optional[CallOptions],
        float64: _NumberPaths = (),
    ) -> Answer[Any]:
        body = _body(parameters)
        answer: Answer[Any] = self._repeated(lambda: self._once(path, body, options or CallOptions()))
        for row in answer.result:
            for at in float64:
                _convert(row, at)
        return answer

    def stream(
        self,
        path: str,
        parameters: Mapping[str, ParameterValue],
        options: Optional[CallOptions],
        float64: _NumberPaths = (),
    ) -> Stream[Any]:
        body = _body({**parameters, "stream": True, "format": "ndjson"})
        return Stream(lambda: self._streamed(path, body, options or CallOptions(), float64))

    def _streamed(
        self, path: str, body: bytes, options: CallOptions, float64: _NumberPaths
    ) -> Generator[Any, None, Dict[str, Any]]:
        with self._repeated(lambda: self._opened(path, body, options)) as response:
            request_id = response.headers.get("X-Request-Id")
            while True:
                try:
                    line = response.readline()
                except Exception as cause:
                    raise LogmillError("client.cut", "The answer was cut off: %s" % cause, 200, (), request_id) from cause
                # A broken connection can look like the end of the lines.
                if not line.endswith(b"\\n"):
                    raise LogmillError("client.cut", "The answer was cut off before its end.", 200, (), request_id)
                row = _record(line)
                if "@logmill" not in row:
                    for at in float64:
                        _convert(row, at)
                    yield row
                    continue
                end = row["@logmill"]
                if _member(end, "status") == "complete":
                    return dict(_member(end, "meta"))
                error = _member(end, "error")
                raise LogmillError(_member(error, "code"), _member(error, "message"), 200, (), end.get("request_id"))

    def _repeated(self, attempt: Callable[[], Any], repeats: Callable[[LogmillError], bool] = lambda error: True) -> Any:
        retry = 0
        while True:
            try:
                return attempt()
            except LogmillError as error:
                wait = _wait_before_retry(error, retry)
                if wait is None or retry >= self._retries or wait > self._retry_wait_max_seconds or not repeats(error):
                    raise
            self._sleep(wait)
            retry += 1

    def pages(
        self,
        path: str,
        parameters: Mapping[str, ParameterValue],
        page_size: Optional[int],
        cursor: Optional[str],
        options: Optional[CallOptions],
        float64: _NumberPaths = (),
    ) -> Pages[Any]:
        size: ParameterValue = "max" if page_size is None else page_size
        return Pages(
            lambda at: self.call(path, {**parameters, "page_size": size, "cursor": at}, options, float64), cursor
        )

    def tail(
        self,
        path: str,
        parameters: Mapping[str, ParameterValue],
        last_event_id: Optional[str],
        on_missing: Optional[Callable[[MissingRows], None]],
        options: Optional[CallOptions],
        float64: _NumberPaths = (),
    ) -> Tail[Any]:
        query = urllib.parse.urlencode({**_members(parameters), "format": "ndjson"}, doseq=True)
        return Tail(self, path + "?" + query, last_event_id, on_missing, options or CallOptions(), float64)

    def export(
        self,
        path: str,
        parameters: Mapping[str, ParameterValue],
        format: ExportFormat,
        options: Optional[CallOptions],
    ) -> Export:
        body = _body({**parameters, "format": format})

        def begin() -> Dict[str, Any]:
            return _export_status(self, self._opened(path, body, options or CallOptions(), {"Prefer": "respond-async"}))[0]

        # Without an answer, it may have begun. A second one would run beside it.
        return Export(self, self._repeated(begin, lambda error: error.status != 0))

    def _opened(
        self,
        path: str,
        body: Optional[bytes],
        options: CallOptions,
        more: Mapping[str, str] = {},
        method: Optional[str] = None,
    ) -> Any:
        headers = {"X-API-KEY": self._token, _HEADER_PREFIX + "-ENDPOINT-VALUES": "plain", **more}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if options.redact_pii:
            headers[_HEADER_PREFIX + "-ENDPOINT-REDACT-PII"] = "true"
        if options.cache_control is not None:
            headers["Cache-Control"] = options.cache_control
        request = urllib.request.Request(self._url + path, data=body, headers=headers, method=method)
        timeout = self._timeout_seconds if options.timeout_seconds is None else options.timeout_seconds
        try:
            try:
                return self._open(request, timeout=timeout)
            except urllib.error.HTTPError as refusal:
                with refusal:
                    raise _error_of(refusal.code, refusal.read(), refusal.headers.get("Retry-After")) from None
        except LogmillError:
            raise
        except Exception as cause:
            raise self._unreachable(cause) from cause

    def _unreachable(self, cause: Exception) -> LogmillError:
        # OSError, or whatever http.client makes of an answer that was cut off.
        return LogmillError("client.unreachable", "%s cannot be reached: %s" % (self._url, cause))

    def _text(self, response: Any) -> bytes:
        try:
            return bytes(response.read())
        except Exception as cause:
            raise self._unreachable(cause) from cause

    def _once(self, path: str, body: bytes, options: CallOptions) -> Answer[Any]:
        with self._opened(path, body, options) as response:
            status, text = response.status, self._text(response)
        try:
            answer = _json(text)
            return Answer(result=answer["result"], meta=answer["meta"])
        except (ValueError, KeyError, TypeError) as cause:
            raise LogmillError("client.unreadable", "The answer is not from Logmill.", status) from cause


def _error_of(status: int, text: bytes, retry_after: Optional[str]) -> LogmillError:
    try:
        body = _json(text)
    except ValueError:
        body = None
    body = body if isinstance(body, dict) else {}
    error = body.get("error")
    return LogmillError(
        code=str(body.get("code", "client.unreadable")),
        message=str(error["message"]) if isinstance(error, dict) and "message" in error else "The service answered %d." % status,
        status=status,
        errors=body.get("errors", []),
        request_id=body.get("request_id"),
        retry_after_seconds=float(retry_after) if retry_after is not None and retry_after.isdigit() else None,
    )


def _wait_before_retry(error: LogmillError, retry: int) -> Optional[float]:
    # A 504 of the service says that the query takes too much, or was killed. That of a proxy is not readable.
    is_of_proxy = error.status == 504 and error.code == "client.unreadable"
    if error.code != "client.unreachable" and error.status not in (429, 502, 503) and not is_of_proxy:
        return None
    # Not all callers at the same time.
    return 0.25 * 2**retry * (1 + random.random()) if error.retry_after_seconds is None else error.retry_after_seconds
`.trim();
