import { routes } from '../../src/http/routes/routes.ts';

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
| \`dry_run\` | \`true\`: describe the query instead of running it; needs the scope \`query:explain\` |

\`sql\` and \`lql\` are refused with 403 where the definition has \`sandbox: false\`.

Request headers about freshness (\`Cache-Control\`, \`If-None-Match\`), and the headers by which an answer tells how old it is
(\`Cache-Status\`, \`Age\`, \`ETag\`, \`Cache-Control\`), are described in [Caching](../guides/caching.md).

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
