/** The part of a Python client that is about exports. */
export const pythonExportRuntime = `
ExportFormat = Literal["json", "ndjson", "csv", "tsv", "arrow", "parquet"]
_EXPORT_READ_BYTES = 256 * 1024


class Export:
    """
    All rows of a query, which the service writes to its disk and keeps for an hour. status is its state as the service told it
    last, with the members of GET /api/exports/{id}.
    """

    def __init__(self, service: _Service, status: Dict[str, Any]) -> None:
        self._service = service
        self.status = status

    @property
    def id(self) -> str:
        """With which export_by_id finds it again."""
        return str(self.status["id"])

    @property
    def state(self) -> str:
        """waiting, running, complete or failed."""
        return str(self.status["state"])

    @property
    def rows(self) -> int:
        """Rows so far."""
        return int(_member(self.status, "rows"))

    def wait(
        self, timeout_seconds: Optional[float] = None, on_progress: Optional[Callable[[Export], None]] = None
    ) -> Export:
        """
        Asks for the state until the export is complete, as often as the service wants to be asked, and returns the export.
        Calls on_progress after each answer. Raises the LogmillError of an export that fails, and TimeoutError after
        timeout_seconds; the export itself goes on then.
        """
        ends_at = None if timeout_seconds is None else time.monotonic() + timeout_seconds
        while True:
            self.status, seconds = _read_export(self._service, self.id)
            if on_progress is not None:
                on_progress(self)
            error = _member(self.status, "error")
            if error is not None:
                raise LogmillError(_member(error, "code"), _member(error, "detail"), _member(error, "status"))
            if self.state == "complete":
                return self
            if ends_at is not None:
                left = ends_at - time.monotonic()
                if left <= 0:
                    raise TimeoutError("The export %s is still %s." % (self.id, self.state))
                seconds = min(seconds, left)
            self._service._sleep(seconds)

    def data(self, format: Optional[ExportFormat] = None, *, csv_guard: bool = False, bom: bool = False) -> io.BufferedReader:
        """
        The rows of a complete export as a file that is open for reading; close it, or use it in a with block. format is that of
        the export by default. With csv and tsv, csv_guard writes an apostrophe before texts that a spreadsheet may take for
        formulas, and bom begins with a byte order mark. If the connection breaks, the file goes on with the bytes that are
        missing. If that fails as often as a call is repeated, read raises client.cut or client.unreachable.
        """
        given: Dict[str, ParameterValue] = {"format": format, "csv_guard": csv_guard or None, "bom": bom or None}
        path = _export_path(self.id) + "/data?" + urllib.parse.urlencode(_members(given))
        service = self._service

        def opened(more: Mapping[str, str]) -> Any:
            return service._repeated(lambda: service._opened(path, None, CallOptions(), more))

        return io.BufferedReader(_ResumingBody(opened({}), opened, service._retries), _EXPORT_READ_BYTES)

    def save(
        self,
        path: Union[str, os.PathLike[str]],
        format: Optional[ExportFormat] = None,
        *,
        csv_guard: bool = False,
        bom: bool = False,
    ) -> None:
        """
        Writes the rows of a complete export into a file, which has its name once it is whole. Replaces a file of that name.
        The parameters are those of data.
        """
        unfinished = os.fspath(path) + ".part"
        with self.data(format, csv_guard=csv_guard, bom=bom) as data, open(unfinished, "xb") as file:
            try:
                shutil.copyfileobj(data, file, _EXPORT_READ_BYTES)
            except BaseException:
                file.close()
                os.remove(unfinished)
                raise
        os.replace(unfinished, path)

    def delete(self) -> None:
        """Stops the export, and removes its rows."""
        try:
            self._service._repeated(
                lambda: self._service._opened(_export_path(self.id), None, CallOptions(), method="DELETE").close()
            )
        except LogmillError as error:
            # Gone already, maybe by an attempt that got no answer.
            if error.code != "export.unknown":
                raise


def _export_path(id: str) -> str:
    return "/api/exports/" + urllib.parse.quote(id, safe="")


def _read_export(service: _Service, id: str) -> Tuple[Dict[str, Any], float]:
    return service._repeated(lambda: _export_status(service, service._opened(_export_path(id), None, CallOptions())))


def _export_status(service: _Service, response: Any) -> Tuple[Dict[str, Any], float]:
    """The state in an answer, and the seconds after which the service wants to be asked again."""
    with response:
        text, wait = service._text(response), response.headers.get("Retry-After")
    try:
        status = _json(text)
        if isinstance(status["id"], str) and isinstance(status["state"], str):
            return status, float(wait) if wait is not None and wait.isdigit() else 1.0
    except (ValueError, KeyError, TypeError):
        pass
    raise LogmillError("client.unreadable", "The answer is not the state of an export.", response.status)


class _ResumingBody(io.RawIOBase):
    """The body of an answer. If it is cut off, opened continues it."""

    def __init__(self, first: Any, opened: Callable[[Mapping[str, str]], Any], failures_max: int) -> None:
        super().__init__()
        self._response = first
        self._opened = opened
        self._failures_max = failures_max
        self._failures = 0
        self._from = 0
        self._tag = first.headers.get("ETag", "")
        length = first.headers.get("Content-Length", "")
        # Bytes of a body that a proxy has compressed are not those of the data.
        is_resumable = self._tag.startswith('"') and first.headers.get("Content-Encoding") is None and length.isdigit()
        self._bytes = int(length) if is_resumable else None

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self._response.close()
        super().close()

    def readinto(self, buffer: Any) -> int:
        while True:
            broken: Optional[Exception] = None
            try:
                count = self._response.readinto(buffer)
            except Exception as cause:
                broken, count = cause, 0
            if count > 0:
                self._failures = 0
                self._from += count
                return int(count)
            if broken is None and self._bytes in (None, self._from):
                return 0
            if self._bytes is None or self._failures >= self._failures_max:
                raise LogmillError("client.cut", "The answer was cut off before its end.") from broken
            self._failures += 1
            self._response.close()
            self._response = self._opened({"Range": "bytes=%d-" % self._from, "If-Range": self._tag})
            part = self._response.headers.get("Content-Range", "")
            if self._response.status != 206 or not part.startswith("bytes %d-" % self._from):
                raise LogmillError("client.cut", "The answer was cut off, and its data has changed.", self._response.status)
`.trim();
