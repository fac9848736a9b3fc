import { formatNames } from '../../src/formats/resultFormat.ts';
import { type HeaderEntry, requestHeaders, responseHeaders } from '../../src/http/headerTable.ts';
import { operationDescriptions } from '../../src/http/openapi/operationDescriptions.ts';
import { allRoutes } from '../../src/http/routes/allRoutes.ts';
import { defaultHttpSettings } from '../../src/http/services.ts';
import { formatOptions } from '../../src/invoke/formatOptions.ts';
import { tailFormatNames } from '../../src/invoke/tail/tailFormat.ts';

const query = 'endpoints.query';
const tail = 'endpoints.tail';
const exported = 'exports.read_data';

const inCode = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

/** Parameters that the service takes beside those of the endpoint: the operations that take them, and their meaning. */
const callParameters: readonly (readonly [name: string, operations: readonly string[], meaning: string])[] = [
  [
    'sql',
    [query, tail],
    'A caller query in GoogleSQL over the tables of the endpoint, at most 64 KiB. 403 if the definition has `sandbox: false`.',
  ],
  [
    'lql',
    [query, tail],
    'A caller query in [LQL](../guides/lql.md), at most 64 KiB and 100 clauses. A call cannot have both `sql` and `lql`.',
  ],
  [
    'format',
    [query, tail, exported],
    `The [format](../guides/result-formats.md) of the rows: ${inCode(formatNames)}. The default is \`json\`, for a stream \`ndjson\`, and for the data of an export the format of its call. The format of a [tail](../guides/tails.md) is ${tailFormatNames.map((name) => `\`${name}\``).join(' (default) or ')}. It takes precedence over \`Accept\`.`,
  ],
  [
    'csv_guard',
    [query, exported],
    `\`true\` writes \`'\` before texts that a spreadsheet could run as a formula. Other formats than ${formatOptions.csv_guard.map((name) => `\`${name}\``).join(' and ')} ignore it, with the notice \`format.option_ignored\`.`,
  ],
  [
    'bom',
    [query, exported],
    `\`true\` begins the rows with a byte order mark. Other formats than ${formatOptions.bom.map((name) => `\`${name}\``).join(' and ')} ignore it, with the notice \`format.option_ignored\`.`,
  ],
  [
    'page_size',
    [query],
    'The maximum number of rows of a [page](../guides/pages.md), or `max` for as many as the endpoint allows.',
  ],
  ['cursor', [query], 'The page to read: `meta.next` or `meta.prev` of another page.'],
  [
    'stream',
    [query],
    '`true` sends the rows while the query computes them ([streams](../guides/streams.md)). The definition needs `stream: true`.',
  ],
  ['last_event_id', [tail], 'The ID after which the tail goes on. The header `Last-Event-ID` takes precedence.'],
  [
    'version',
    [query, tail, 'endpoints.fields'],
    'The number of an old version to call. The token needs the scope `query:version` ([its limits](../guides/your-own-endpoint.md#without-the-command-line)).',
  ],
  [
    'dry_run',
    [query],
    '`true` describes the query instead of running it ([dry runs](#dry-runs)). The token needs the scope `query:explain`.',
  ],
];

/** URL parameters of the other operations, each with the operations that take it in the same meaning. */
function otherParameterRows(): readonly string[] {
  const rows = new Map<string, { readonly name: string; readonly meaning: string; readonly operations: string[] }>();
  for (const { operation } of allRoutes) {
    for (const { in: place, name, description } of operationDescriptions[operation]?.parameters ?? []) {
      if (place !== 'query' || typeof name !== 'string' || typeof description !== 'string') continue;
      if (callParameters.some(([called, operations]) => called === name && operations.includes(operation))) continue;
      const key = `${name} ${description}`;
      const row = rows.get(key) ?? { name, meaning: description, operations: [] };
      rows.set(key, row);
      row.operations.push(operation);
    }
  }
  return [...rows.values()]
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    .map(({ name, meaning, operations }) => `| \`${name}\` | ${inCode(operations)} | ${meaning} |`);
}

/** The page of HTTP operations, from the route table. */
export function httpPage(): string {
  const rows = allRoutes.map(
    ({ operation, methods, path, credential, summary }) =>
      `| \`${operation}\` | ${methods.join(', ')} | \`${path}\` | ${credential} | ${summary} |`,
  );
  return `# HTTP operations

Send the token as \`X-API-KEY: <token>\` or \`Authorization: Bearer <token>\`:

\`\`\`sh
curl -H "X-API-KEY: $LOGMILL_TOKEN" "$LOGMILL_URL/api/endpoints/query/logs.all?project=orchardlanternquartz"
\`\`\`

[Calling endpoints](../guides/calling-endpoints.md) and [Sending events](../guides/sending-events.md) are guides to the most used operations.
[Errors](errors.md) lists every error code. The running service describes the same operations with their schemas at \`/openapi.json\`
and \`/docs\`.

| operation | methods | path | credential | |
| --- | --- | --- | --- | --- |
${rows.join('\n')}

## Parameters of calls

\`endpoints.query\`, \`endpoints.tail\` and \`endpoints.fields\` take the parameters that the endpoint declares, and those in this table. They are
in the URL or, for \`endpoints.query\`, in the body of a POST.

| parameter | operations | meaning |
| --- | --- | --- |
${callParameters.map(([name, operations, meaning]) => `| \`${name}\` | ${inCode(operations)} | ${meaning} |`).join('\n')}

- A parameter that neither the endpoint nor this table has is ignored with the notice \`parameter.unknown\`, or refused if the definition or the token is
  strict (\`strict_parameters\`).
- An empty value is the same as an absent one. The exceptions are \`dry_run\`, and \`format\` and \`last_event_id\` of a tail: if they are empty, the answer is 400.
- If the endpoint declares a parameter \`csv_guard\`, \`bom\`, \`page_size\`, \`cursor\`, \`stream\` or \`last_event_id\`, the name belongs to that parameter. If it
  declares \`page_size\` or \`cursor\`, it has no pages.
- To start an [export](../guides/exports.md), send the header \`Prefer: respond-async\`. There is no parameter for it.

## Parameters of other operations

| parameter | operations | meaning |
| --- | --- | --- |
${otherParameterRows().join('\n')}

Operations that take events, \`/openapi.json\`, \`/metrics\`, \`/schemas\`, probes and pages for browsers ignore all other parameters. The other operations refuse an
unknown, repeated or empty parameter with 400.

If \`LOGMILL_TOKEN_IN_URL\` is on, every operation takes the token as the parameter \`api_key\`.

## Request headers

${headerRows(requestHeaders(defaultHttpSettings.headerPrefix))}

[Caching](../guides/caching.md) describes the headers for freshness. \`Host\`, \`Authorization\`, \`Content-Type\`, \`Content-Encoding\`,
\`Idempotency-Key\`, \`X-Source\`, \`Origin\` and the headers with the prefix of the service can occur only once. A repeated one is a 400.

## Response headers

${headerRows(responseHeaders)}

## Methods

- HEAD is answered like GET, without the body.
- OPTIONS is answered with 204 and \`Allow\`. It needs no token.
- A method that the path does not support is a 405 with \`Allow\`.
- On a path that can be read (GET, and POST on the same path), an \`Accept\` or \`Accept-Encoding\` that excludes every form of the answer is a 406.
- Calls that change something, such as sending events, ignore both headers. They are answered in JSON.

## Pages in browsers

Pages of the origins in \`LOGMILL_CORS_ORIGINS\` can call the service and read its answers and errors. A page must send the token in a
header, because credentials that a browser stores, such as the session of the
[console](../guides/console.md), are never accepted from other origins. Everyone who opens a page can read the token in it, so give that token the
fewest rights possible. The service does not speak TLS. Set \`Strict-Transport-Security\` in the proxy that does.

## Dry runs

Logmill checks a dry run like any other call but does not run the query. The answer is a 200 with \`dry_run\` and \`meta\`. \`meta\` contains
\`endpoint\`, \`notices\` and \`request_id\`. These are the members of \`dry_run\`:

| member | |
| --- | --- |
| \`language\` | \`stored\`, \`sql\` or \`lql\` |
| \`tables\` | the WITH tables of the endpoint that the query reads: \`name\` and \`columns\`, with nested members by their path |
| \`columns\` | the columns of the answer: \`name\` and \`type\` |
| \`parameters\` | the declared parameters: \`name\`, \`type\`, \`required\`, and whether the query uses them (\`used\`) |
| \`rows_max\` | maximum number of rows in the answer |
| \`sources\` | the sources that the tables read, in the form of \`tables\`; only with the scope \`manage\` |
| \`engine\` | \`statement\` and \`plan\` of the engine; only with the scope \`manage\` and without a restriction to projects |
`;
}

function headerRows(entries: readonly HeaderEntry[]): string {
  return ['| header | |', '| --- | --- |', ...entries.map(({ name, meaning }) => `| \`${name}\` | ${meaning} |`)].join(
    '\n',
  );
}
