/** The part of a Python client that is about tails. */
export const pythonTailRuntime = `
# The service can continue a tail for so long.
_TAIL_RESUME_SECONDS = 15 * 60


@dataclass(frozen=True)
class MissingRows:
    """Rows that a tail left out."""

    event: Literal["gap", "dropped"]
    """gap: it could not go on after the last ID. dropped: the rows were not read fast enough."""
    reason: Optional[str] = None
    """Of a gap: the ID is too old (expired), or belongs to another tail, as after a change of the endpoint (unknown)."""
    since: Optional[str] = None
    """Of a gap: the time from which on rows follow."""
    count: Optional[int] = None
    """Of dropped: the number of rows."""
    exact: Optional[bool] = None
    """Of dropped: whether there are no more rows than these."""


class Tail(Generic[Row]):
    """
    The rows of new events, for as long as you iterate over it. If the connection breaks, it connects again and goes on after
    the last row; it gives up after 15 minutes. Another iteration goes on after the last row, too. close() ends it, also from
    another thread, and so does the end of a with block.
    """

    def __init__(
        self,
        service: _Service,
        url: str,
        last_event_id: Optional[str],
        on_missing: Optional[Callable[[MissingRows], None]],
        options: CallOptions,
        float64: _NumberPaths,
    ) -> None:
        self.last_event_id = last_event_id
        """The ID of the last row that was read, with which another tail of the same rows can go on."""
        self._service = service
        self._url = url
        self._on_missing = on_missing
        self._options = options
        self._float64 = float64
        self._response: Any = None
        self._is_closed = False

    def __enter__(self) -> Tail[Row]:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        self._is_closed = True
        try:
            # Wakes a thread that reads, which closing a response does not.
            with socket.socket(fileno=os.dup(self._response.fileno())) as connection:
                connection.shutdown(socket.SHUT_RDWR)
        except (AttributeError, OSError, ValueError):
            pass  # There is no connection any more.

    def __iter__(self) -> Iterator[Row]:
        has_begun = False
        lost_at: Optional[float] = None
        failures = 0
        while not self._is_closed:
            try:
                opened = self._open() if has_begun else self._service._repeated(self._open)
                has_begun = True
                with opened as self._response:
                    for part in self._parts(opened):
                        if self._is_closed:
                            return
                        event, data = _member(part, "event"), part.get("data", {})
                        if event == "end":
                            if _member(data, "retryable"):
                                break
                            raise LogmillError(_member(data, "code"), _member(data, "detail"), 200)
                        self.last_event_id = _member(part, "id")
                        if event in ("gap", "dropped"):
                            self._miss(event, data)
                        if event in ("row", "mark"):
                            lost_at, failures = None, 0
                        if event == "row":
                            for at in self._float64:
                                _convert(data, at)
                            yield data
            except LogmillError as error:
                if self._is_closed:
                    return
                may_pass = error.code == "client.cut" or _wait_before_retry(error, 0) is not None
                is_over = lost_at is not None and time.monotonic() - lost_at > _TAIL_RESUME_SECONDS
                if not has_begun or not may_pass or is_over:
                    raise
            if self._is_closed:
                return
            lost_at = time.monotonic() if lost_at is None else lost_at
            self._service._sleep(min(0.25 * 2**failures, 15) * (1 + random.random()))
            failures += 1

    def _open(self) -> Any:
        headers = {} if self.last_event_id is None else {"Last-Event-ID": self.last_event_id}
        return self._service._opened(self._url, None, self._options, headers)

    def _parts(self, response: Any) -> Iterator[Dict[str, Any]]:
        while True:
            try:
                line = response.readline()
            except Exception as cause:
                raise LogmillError("client.cut", "The tail was cut off: %s" % cause) from cause
            if not line.endswith(b"\\n"):
                return
            yield _record(line)

    def _miss(self, event: Any, data: Dict[str, Any]) -> None:
        missing = MissingRows(event, data.get("reason"), data.get("from"), data.get("count"), data.get("exact"))
        if self._on_missing is not None:
            self._on_missing(missing)
        elif event == "gap":
            raise LogmillError("client.rows_missing", "Rows may be missing: the tail could not go on after the last one.")
        else:
            message = "%s rows were left out, because they were not read fast enough." % missing.count
            raise LogmillError("client.rows_missing", message)
`.trim();
