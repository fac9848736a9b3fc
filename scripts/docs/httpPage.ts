import { type HeaderEntry, requestHeaders, responseHeaders } from '../../src/http/headerTable.ts';
import { allRoutes } from '../../src/http/routes/allRoutes.ts';
import { defaultHttpSettings } from '../../src/http/services.ts';

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

## Parameters of every endpoint

\`endpoints.query\` takes these parameters in addition to those that the endpoint declares. An empty value is the same as an absent one.

| parameter | |
| --- | --- |
| \`sql\` | a caller query in GoogleSQL over the tables of the endpoint, at most 64 KiB |
| \`lql\` | a caller query in [LQL](../guides/lql.md), at most 64 KiB and 100 clauses; not together with \`sql\` |
| \`page_size\`, \`cursor\` | the most rows of a [page](../guides/pages.md), and \`meta.next\` or \`meta.prev\` of another page; not if the endpoint declares one of them |
| \`stream\` | \`true\` sends the rows while they are computed ([streams](../guides/streams.md)); only if the definition has \`stream: true\`, and not if the endpoint declares a parameter of this name |
| \`version\` | number of an old version to call; needs the scope \`query:version\` ([its limits](../guides/your-own-endpoint.md#without-the-command-line)) |
| \`dry_run\` | \`true\` describes the query instead of running it; needs the scope \`query:explain\` |

If the definition has \`sandbox: false\`, \`sql\` and \`lql\` are refused with 403.

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
