import { type HeaderEntry, requestHeaders, responseHeaders } from '../../src/http/headerTable.ts';
import { routes } from '../../src/http/routes/routes.ts';
import { defaultHttpSettings } from '../../src/http/services.ts';

/** The page of HTTP operations, from the route table. */
export function httpPage(): string {
  const rows = routes.map(
    ({ operation, methods, path, credential, summary }) =>
      `| \`${operation}\` | ${methods.join(', ')} | \`${path}\` | ${credential} | ${summary} |`,
  );
  return `# HTTP operations

| operation | methods | path | credential | |
| --- | --- | --- | --- | --- |
${rows.join('\n')}

A credential is sent as \`X-API-KEY: <token>\` or \`Authorization: Bearer <token>\`. Calling endpoints is described in
[Calling endpoints](../guides/calling-endpoints.md), sending events in [Sending events](../guides/sending-events.md),
every error code in [Errors](errors.md).

## Parameters of every endpoint

Of \`endpoints.query\`, beside the parameters that the endpoint declares. Empty is the same as absent.

| parameter | |
| --- | --- |
| \`sql\` | a query of the caller in GoogleSQL over the tables of the endpoint, at most 64 KiB |
| \`lql\` | the same in [LQL](../guides/lql.md), at most 64 KiB and 100 clauses; not together with \`sql\` |
| \`version\` | number of an old version to call; needs the scope \`query:version\` ([what it does not open](../guides/your-own-endpoint.md#without-the-command-line)) |
| \`dry_run\` | \`true\`: describe the query instead of running it; needs the scope \`query:explain\` |

\`sql\` and \`lql\` are refused with 403 where the definition has \`sandbox: false\`.

## Request headers

${headerRows(requestHeaders(defaultHttpSettings.headerPrefix))}

Those about freshness are described in [Caching](../guides/caching.md). \`Host\`, \`Authorization\`, \`Content-Type\`,
\`Content-Encoding\`, \`Idempotency-Key\`, \`X-Source\`, \`Origin\` and those of the service's own prefix may stand once; more often is a 400.

## Response headers

${headerRows(responseHeaders)}

## Methods

HEAD is answered as GET, without the body. Another method than those of a path is a 405 with \`Allow\`; OPTIONS is a 204 with
\`Allow\` and needs no token. Where a path can be read (GET, and POST on the same path), an \`Accept\` or \`Accept-Encoding\` that
allows no form of the answer is a 406; what changes something, sending events above all, is done and answered in JSON whatever they say.

## Pages in browsers

With \`LOGMILL_CORS_ORIGINS\` pages of the origins it names may call the service and read its answers and errors. They send the token
themselves, in a header: credentials that a browser keeps are never allowed. A token in a page is known to everyone who opens it,
so give it the least rights. The service speaks no TLS: \`Strict-Transport-Security\`
is for the proxy that does.

## Dry runs

The call is checked as any other, and nothing is run. The answer is a 200 with \`dry_run\` and \`meta\`, which holds \`endpoint\`,
\`notices\` and \`request_id\`. The members of \`dry_run\`:

| member | |
| --- | --- |
| \`language\` | \`stored\`, \`sql\` or \`lql\` |
| \`tables\` | the endpoint's WITH tables that the query reads: \`name\` and \`columns\`, nested members by their path |
| \`columns\` | the columns of the answer: \`name\` and \`type\` |
| \`parameters\` | those the endpoint declares: \`name\`, \`type\`, \`required\`, and whether they are \`used\` |
| \`rows_max\` | rows that the answer has at most |
| \`sources\` | the streams that are read through the tables, like \`tables\`; only with the scope \`manage\` |
| \`engine\` | \`statement\` and \`plan\` of the query engine; only with \`manage\` and without a restriction to projects |
`;
}

function headerRows(entries: readonly HeaderEntry[]): string {
  return ['| header | |', '| --- | --- |', ...entries.map(({ name, meaning }) => `| \`${name}\` | ${meaning} |`)].join(
    '\n',
  );
}
