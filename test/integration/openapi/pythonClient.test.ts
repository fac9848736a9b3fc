import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommandLine } from '../../support/commandLine.ts';
import { at, second } from '../../support/instants.ts';
import { startWholeService, type WholeService } from '../../support/wholeService.ts';

const now = at('2026-05-01T12:00:00Z');
const run = promisify(execFile);
const hasPython = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).status === 0;

/** What separates, quotes, ends or looks like something else in tables of text. */
const texts = [
  'plain',
  '',
  '"',
  'a,"b"',
  'a\tb',
  'line\nline\r\nline',
  '\\N',
  '\\t\\',
  '=1+1',
  '5',
  'null',
  'é😀\u2028',
  '\u0001\u001f\u007f',
];

/** The generated Python client, used against a real service. Left out without Python 3.9. */
describe.skipIf(!hasPython)('the Python client', () => {
  let service: WholeService;
  let folder: string;
  let token: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'logmill-python-'));
    service = await startWholeService({ nowMicros: now, settings: { headerPrefix: 'ACME', values: 'records' } });
    await service.define({
      id: '11111111-1111-4111-8111-111111111111',
      name: 'every.type',
      description: 'Ends a docstring: """\\\n"""; import os; os._exit(7) # é😀',
      sandbox: true,
      stream: true,
      query: `with t as (select 1 as n) select @whole as whole, [@whole] as list, [struct(@whole as n, 1.5 as f)] as records,
        @from as moment, ieee_divide(n, 0) as infinite, 2.0 as two, json '{"big": 9007199254740993}' as nested,
        1 as \`odd "name" é😀\`, @class as class, array_length(@ids) as ids, @ratio as ratio from t`,
      parameters: {
        whole: { type: 'int64', required: true },
        from: { type: 'timestamp' },
        class: { type: 'bool' },
        ids: { type: 'array<string>' },
        ratio: { type: 'float64' },
      },
    });
    await service.define({ id: '22222222-2222-4222-8222-222222222222', name: 'from', query: 'select 1 as n' });
    await service.define({
      id: '33333333-3333-4333-8333-333333333333',
      name: 'many.rows',
      sandbox: true,
      max_rows: 4,
      query: `with logs as (select timestamp, event_message, metadata from sources.pooler_logs)
        select event_message as text, 1.5 as \`a "b", c\`, json_query(metadata, '$.nested') as nested, nullif(event_message, '') as maybe from logs order by timestamp`,
    });
    const many = texts.map((text, i) => ({
      timestamp: now - second + i,
      project: 'own',
      event_message: text,
      metadata: { nested: [text] },
    }));
    await service.send('pooler_logs', many);
    await service.send('edge_logs', [{ id: 'one', timestamp: now - second, project: 'own', event_message: 'ONE-ROW' }]);
    token = await service.makeToken(['query', 'query:stream']);
    const written = await runCommandLine(service, ['client', '--lang', 'python', '--out', join(folder, 'client.py')]);
    expect(written).toMatchObject({ code: 0 });
  });
  afterAll(async () => {
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** What the lines assign to `out`. Warnings are errors. */
  async function python(lines: string): Promise<unknown> {
    const script = [
      'import json, math, sys',
      'from datetime import datetime, timezone',
      'from client import *',
      `client = LogmillClient(${JSON.stringify(service.url)}, ${JSON.stringify(token)})`,
      lines,
      'sys.stdout.write(json.dumps(out, allow_nan=False))',
    ].join('\n');
    writeFileSync(join(folder, 'use.py'), script);
    const { stdout } = await run('python3', ['-W', 'error', 'use.py'], { cwd: folder });
    return JSON.parse(stdout);
  }

  it('gives rows of every type as Python values, and sends parameters of every type', async () => {
    const lines = `
answer = client.every_type(whole=2**63 - 1, from_=datetime(2026, 1, 1, tzinfo=timezone.utc), class_=True, ids=["a,b", "c"], ratio=0.5)
row = answer.result[0]
out = [str(row["whole"]), str(row["list"][0]), str(row["records"][0]["n"]), row["records"][0]["f"], row["moment"],
  math.isinf(row["infinite"]), type(row["two"]).__name__, str(row["nested"]["big"]), row['odd "name" é😀'], row["class"], row["ids"],
  row["ratio"], answer.meta["row_count"]]`;
    const int64 = '9223372036854775807';
    const moment = expect.stringContaining('2026-01-01');
    const rest = [1, true, 2, 0.5, 1];
    expect(await python(lines)).toEqual([int64, int64, int64, 1.5, moment, true, 'float', '9007199254740993', ...rest]);
  });

  it('runs own queries, and redacts on demand', async () => {
    const lines = `
counted = client.query("logs_all", sql="select count(*) as n from edge_logs", parameters={"project": "own"})
redacted = client.logs_all(project="own", options=CallOptions(redact_pii=True, cache_control="no-cache"))
out = [counted.result, redacted.meta["redaction"]["applied"], [row["event_message"] for row in redacted.result], client.from_().result]`;
    expect(await python(lines)).toEqual([[{ n: 1 }], true, ['ONE-ROW'], [{ n: 1 }]]);
  });

  it('yields the rows of streams, and fails where one breaks off', async () => {
    const lines = `
import io
stream = client.stream.every_type(whole=7)
before = stream.meta
rows = [row["whole"] for row in stream] + [row["whole"] for row in stream]
own = list(client.stream.query("every_type", sql="select n from t", parameters={"whole": 7}))
class Cut(io.BytesIO):
    headers = {"X-Request-Id": "r-1"}
def cut(body):
    broken = LogmillClient("http://service", "t")
    broken._service._open = lambda request, timeout: Cut(body)
    found = []
    try:
        for row in broken.stream.every_type(whole=7): found.append(row)
    except LogmillError as error:
        return [len(found), error.code] + ([error.request_id] if error.code == "client.cut" else [])
failed = b'{"@logmill":{"status":"error","rows":1,"error":{"code":"engine.failed","message":"It failed."}}}\\n'
out = [rows, before, stream.meta["row_count"], own, cut(b'{"n":1}\\n{"n":2}\\n'), cut(b'{"n":1}\\n{"@logm'), cut(b'{"n":1}\\n' + failed)]`;
    const [cut, failed] = [
      [2, 'client.cut', 'r-1'],
      [1, 'engine.failed'],
    ];
    expect(await python(lines)).toEqual([[7, 7], null, 1, [{ n: 1 }], cut, [1, 'client.cut', 'r-1'], failed]);
  });

  it('reads all rows in pages', async () => {
    const lines = `
own = client.pages.query("many_rows", sql="select event_message as w from logs order by timestamp desc", page_size=2)
pages = list(client.pages.many_rows(page_size=3).by_page())
out = [[row["text"] for row in client.pages.many_rows()], [len(page.result) for page in pages], next(iter(own))["w"],
  [row["text"] for row in client.pages.many_rows(cursor=pages[0].meta["next"], page_size=3)]]`;
    expect(await python(lines)).toEqual([texts, [3, 3, 3, 3, 1], texts.at(-1), texts.slice(3)]);
  });

  it('follows new rows, goes on where the connection breaks, and tells what was left out', async () => {
    const lines = `
import io
asked, waits = [], []
def follow(*bodies, **given):
    client = LogmillClient("http://service", "t")
    waiting = [io.BytesIO(("".join(json.dumps(part) + "\\n" for part in body)).encode()) for body in bodies]
    def answer(request, timeout):
        asked.append([request.get_method(), request.get_header("Last-event-id"), request.full_url])
        return waiting.pop(0)
    client._service._open, client._service._sleep = answer, lambda seconds: waits.append(seconds < 1)
    found = []
    try:
        for row in client.tail.every_type(whole=7, last_event_id="0", **given): found.append(str(row["infinite"]))
    except LogmillError as error:
        found.append(error.code)
    return found
def part(event, id=None, **data):
    return {"event": event, "id": id, "data": data}
row = lambda id: part("row", id, infinite="Infinity")
over = lambda retryable: part("end", code="auth.invalid", detail="Over.", retryable=retryable)
broken = follow([part("start", "a"), row("b")], [part("start", "c"), row("d"), over(True)], [over(False)])
missing = []
told = follow([part("gap", "e", reason="expired", **{"from": "2026"}), row("f"), over(False)], on_missing=missing.append)
out = [broken, told, [missing[0].event, missing[0].since], follow([part("dropped", "g", count=3, exact=True)]), waits,
  [each[:2] for each in asked[:3]], asked[0][2]]`;
    expect(await python(lines)).toEqual([
      ['inf', 'inf', 'auth.invalid'],
      ['inf', 'auth.invalid'],
      ['gap', '2026'],
      ['client.rows_missing'],
      [true, true],
      [
        ['GET', '0'],
        ['GET', 'b'],
        ['GET', 'd'],
      ],
      expect.stringContaining('/api/endpoints/tail/every.type?whole=7&format=ndjson'),
    ]);
  });

  it('follows the rows of a real service until another thread closes the tail', async () => {
    const lines = `
import threading, time
rows = []
with client.tail.logs_all(project="live") as tail:
    reading = threading.Thread(target=lambda: rows.extend(row["event_message"] for row in tail))
    reading.start()
    while tail.last_event_id is None: time.sleep(0.01)
    begun = tail.last_event_id
    urllib.request.urlopen(urllib.request.Request(${JSON.stringify(`${service.url}/api/logs?source=edge_logs`)},
        data=json.dumps([{"timestamp": ${now - second}, "project": "live", "event_message": "live"}]).encode(),
        headers={"X-API-KEY": ${JSON.stringify(service.adminToken)}, "Content-Type": "application/json"})).close()
    while tail.last_event_id == begun: time.sleep(0.01)
reading.join()
out = rows`;
    expect(await python(lines)).toEqual(['live']);
  });

  it('and the module csv of Python read the same rows, in each table of text, put together from pages', async () => {
    const files = { csv: 'rows.csv', tsv: 'rows.tsv', ndjson: 'rows.ndjson' };
    for (const [format, file] of Object.entries(files)) {
      const args = ['query', 'many.rows', '--all', '--format', format, '--out', join(folder, file)];
      const { code, err } = await runCommandLine(service, args);
      expect([code, err]).toEqual([0, `${texts.length} rows in ${join(folder, file)}\n`]);
    }
    const lines = `
import csv
def table(name, **dialect):
    with open(name, newline="", encoding="utf-8") as lines:
        return list(csv.reader(lines, **dialect))
def unescaped(cell):
    escapes = {"\\\\t": "\\t", "\\\\n": "\\n", "\\\\r": "\\r", "\\\\\\\\": "\\\\"}
    import re
    return "" if cell == "\\\\N" else re.sub(r"\\\\[tnr\\\\]", lambda found: escapes[found.group()], cell)
rows = [[row["text"], 1.5, row["nested"], row["maybe"]] for row in client.pages.many_rows()]
tsv = [[unescaped(cell) for cell in row] for row in table("rows.tsv", delimiter="\\t", quoting=csv.QUOTE_NONE)]
with open("rows.ndjson", encoding="utf-8", newline="\\n") as lines:
    ndjson = [json.loads(line) for line in lines]
expected = [[text, str(number), json.dumps(nested, separators=(",", ":"), ensure_ascii=False), maybe or ""] for text, number, nested, maybe in rows]
def read(found):
    return [[text, number, json.dumps(json.loads(nested), separators=(",", ":"), ensure_ascii=False), maybe] for text, number, nested, maybe in found[1:]]
out = [read(table("rows.csv")) == expected, read(tsv) == expected, table("rows.csv")[0] == tsv[0], tsv[0],
  [list(row.values()) for row in ndjson[:-1]] == rows, ndjson[-1]["@logmill"]["rows"], len(rows)]`;
    const names = ['text', 'a "b", c', 'nested', 'maybe'];
    expect(await python(lines)).toEqual([true, true, true, names, true, texts.length, texts.length]);
  });

  it('exports all rows, in every format, also over connections that break', async () => {
    const lines = `
import os
real, asked, breaks = client._service._open, [], []
class Breaking:
    def __init__(self, answer, left):
        self.answer, self.left, self.status, self.headers = answer, left, answer.status, answer.headers
    def readinto(self, buffer):
        if self.left == 0:
            raise ConnectionResetError("cut")
        count = self.answer.readinto(memoryview(buffer)[:max(self.left, 0)])
        self.left -= count
        return count
    def close(self):
        self.answer.close()
def opened(request, timeout):
    answer = real(request, timeout=timeout)
    if "/data" not in request.full_url:
        return answer
    asked.append(request.get_header("Range"))
    return Breaking(answer, breaks.pop(0)) if breaks else answer
client._service._open, client._service._sleep = opened, lambda seconds: None
progress = []
export = client.export.many_rows(format="csv")
assert export.wait(timeout_seconds=60, on_progress=lambda export: progress.append(export.state)) is export
again = client.export_by_id(export.id)
for format in ("json", "ndjson", "csv", "tsv", "arrow", "parquet"):
    with export.data(format) as data:
        whole = data.read()
    breaks[:], asked[:] = [10, 5], []
    again.save("export." + format, format)
    with open("export." + format, "rb") as saved:
        assert saved.read() == whole and len(whole) > 20, format
    assert asked == [None, "bytes=10-", "bytes=15-"], asked
breaks[:] = [7, 0, 0, 0]
try:
    again.save("broken.csv")
except LogmillError as error:
    broken = [error.code, sorted(name for name in os.listdir() if name.startswith("broken"))]
# An end that comes too early looks like the end of the data. A negative number is one.
breaks[:] = [7, -1]
again.save("short.csv", csv_guard=True, bom=True)
import csv
with open("short.csv", newline="", encoding="utf-8-sig") as file:
    guarded = [row[0] for row in csv.reader(file)]
own = client.export.query("many_rows", sql="select count(*) as n from logs").wait()
with own.data() as data:
    counted = json.load(data)["result"]
for each in (export, again, own):
    each.delete()
try:
    client.export_by_id(export.id)
except LogmillError as error:
    gone = error.code
out = [export.state, export.rows, progress[-1], broken, [guarded[0], guarded[2], guarded[9]], counted, gone]`;
    expect(await python(lines)).toEqual([
      'complete',
      texts.length,
      'complete',
      ['client.cut', []],
      ['text', '', "'=1+1"],
      [{ n: texts.length }],
      'export.unknown',
    ]);
  });

  it('fails with the code of an export, and starts none twice', async () => {
    const lines = `
import io, urllib.error
from email.message import Message
class Answer(io.BytesIO):
    pass
def service(*answers, retries=2):
    client = LogmillClient("http://service", "t", retries=retries)
    calls, waits = [], []
    def answer(request, timeout):
        calls.append(request.get_method() + " " + request.selector)
        status, body, headers = answers[len(calls) - 1]
        head = Message()
        for name, value in headers.items(): head[name] = value
        if status == 0: raise ConnectionResetError("cut")
        if status >= 400: raise urllib.error.HTTPError(request.full_url, status, "", head, io.BytesIO(body))
        response = Answer(body)
        response.status, response.headers = status, head
        return response
    client._service._open, client._service._sleep = answer, waits.append
    return client, calls, waits
def attempt(work):
    try:
        return work()
    except (LogmillError, TimeoutError) as error:
        return getattr(error, "code", type(error).__name__)
def state(state, error=None):
    return 200, json.dumps({"id": "a/b", "state": state, "rows": 1, "error": error}).encode(), {"Retry-After": "3"}
busy = (503, b'{"code":"query.overloaded"}', {"Retry-After": "1"})
failed = state("failed", {"code": "query.killed", "status": 504, "detail": "Ended."})
client, calls, waits = service(busy, state("running"), state("running"), failed)
export = client.export.many_rows()
out = [attempt(export.wait), calls, waits]
client, calls, waits = service((0, b"", {}))
out.append([attempt(client.export.many_rows), len(calls)])
client, calls, waits = service((200, b'{"result":[],"meta":{}}', {}))
out.append([attempt(client.export.many_rows), len(calls)])
client, calls, waits = service(state("running"), state("waiting"))
export = client.export.many_rows()
out.append([attempt(lambda: export.wait(timeout_seconds=0)), export.state, waits])
part = {"ETag": '"a"', "Content-Length": "4"}
client, calls, waits = service(state("complete"), (200, b"ab", part), (200, b"abcd", part), (200, b"ab", part), (409, b'{"code":"export.incomplete"}', {}))
export = client.export_by_id("a/b")
out.append([attempt(lambda: export.data().read()), attempt(lambda: export.data().read())])`;
    expect(await python(lines)).toEqual([
      'query.killed',
      [
        'POST /api/endpoints/query/many.rows',
        'POST /api/endpoints/query/many.rows',
        'GET /api/exports/a%2Fb',
        'GET /api/exports/a%2Fb',
      ],
      [1, 3],
      ['client.unreachable', 1],
      ['client.unreadable', 1],
      ['TimeoutError', 'waiting', []],
      ['client.cut', 'export.incomplete'],
    ]);
  });

  it('fails with the code and the sentence of the service', async () => {
    const lines = `
def failure(call):
    try:
        call()
    except (LogmillError, ValueError) as error:
        return [type(error).__name__, getattr(error, "code", None), getattr(error, "status", None), str(error)]
gone = LogmillClient("http://127.0.0.1:1", "t", retries=0)
import pickle
try:
    client.query("logs_all", sql="select nothing from edge_logs", parameters={"project": "own"})
except LogmillError as error:
    # Pools of processes hand errors over in this form.
    again = pickle.loads(pickle.dumps(error))
    assert {error} and (again.code, again.errors, str(again)) == (error.code, error.errors, str(error))
out = [failure(lambda: client.query("logs_all", sql="select nothing from edge_logs", parameters={"project": "own"})),
  failure(lambda: gone.from_()), failure(lambda: client.query("logs_all")), failure(lambda: client.every_type(whole=1, from_=datetime(2026, 1, 1)))]`;
    expect(await python(lines)).toEqual([
      ['LogmillError', 'sql.unknown_name', 400, expect.stringContaining('nothing')],
      ['LogmillError', 'client.unreachable', 0, expect.stringContaining('http://127.0.0.1:1 cannot be reached')],
      ['ValueError', null, null, 'Give either sql or lql.'],
      ['ValueError', null, null, expect.stringContaining('has no zone')],
    ]);
  });

  it('repeats calls that can succeed later, as long as the service asks, and follows no redirect', async () => {
    const lines = `
import io, urllib.error
from email.message import Message
def attempts(statuses, body=b'{"code":"query.overloaded"}', wait="7", **given):
    client = LogmillClient(${JSON.stringify('http://service')}, "t", **given)
    waits, calls = [], []
    def answer(request, timeout):
        calls.append(timeout)
        headers = Message()
        if wait: headers["Retry-After"] = wait
        raise urllib.error.HTTPError(request.full_url, statuses[len(calls) - 1], "", headers, io.BytesIO(body))
    client._service._open, client._service._sleep = answer, waits.append
    try:
        client.from_()
    except LogmillError as error:
        return [len(calls), waits, error.code, error.status]
out = [attempts([503, 429, 502]), attempts([503, 400]), attempts([504]), attempts([504, 504, 504], body=b"Gateway", wait="1"),
  attempts([503], wait="31"), attempts([503] * 3, retries=1)]
from http.server import BaseHTTPRequestHandler, HTTPServer
import threading
seen = []
class Redirecting(BaseHTTPRequestHandler):
    def do_POST(self):
        seen.append(self.path)
        self.send_response(307); self.send_header("Location", "/elsewhere"); self.send_header("Content-Length", "0"); self.end_headers()
    do_GET = do_POST
    def log_message(self, *_): pass
server = HTTPServer(("127.0.0.1", 0), Redirecting)
threading.Thread(target=server.serve_forever, daemon=True).start()
try:
    LogmillClient("http://127.0.0.1:%d" % server.server_port, "t").from_()
except LogmillError as error:
    out.append([error.status, len(seen)])
server.shutdown(); server.server_close()`;
    expect(await python(lines)).toEqual([
      [3, [7, 7], 'query.overloaded', 502],
      [2, [7], 'query.overloaded', 400],
      [1, [], 'query.overloaded', 504],
      [3, [1, 1], 'client.unreadable', 504],
      [1, [], 'query.overloaded', 503],
      [2, [7], 'query.overloaded', 503],
      [307, 1],
    ]);
  });

  it('hands rows to pandas and pyarrow if they are there', async () => {
    const lines = `
import types
pandas, pyarrow = types.ModuleType("pandas"), types.ModuleType("pyarrow")
pandas.DataFrame = lambda rows, columns: [rows, columns]
pyarrow.table = lambda columns: columns
pyarrow.Table = types.SimpleNamespace(from_pylist=lambda rows: rows)
sys.modules.update(pandas=pandas, pyarrow=pyarrow)
some = client.from_()
none = client.query("logs_all", sql="select 1 as n from edge_logs where false", parameters={"project": "own"})
out = [some.to_pandas(), some.to_arrow(), none.to_pandas(), none.to_arrow()]`;
    expect(await python(lines)).toEqual([[[{ n: 1 }], ['n']], [{ n: 1 }], [[], ['n']], { n: [] }]);
  });
});
