import { clientErrorCatalogue } from '../../src/cli/typedClient/clientErrors.ts';
import { type ErrorEntry, errorCatalogue } from '../../src/core/errorCatalogue.ts';
import { asServiceError } from '../../src/core/errors.ts';
import { noticeCatalogue } from '../../src/core/noticeCatalogue.ts';
import { bindParameters } from '../../src/endpoints/bindParameters.ts';
import type { ParameterDeclaration } from '../../src/endpoints/parameterDeclaration.ts';
import { renderProblem } from '../../src/http/problem.ts';
import { rejectionCatalogue } from '../../src/ingest/rejection.ts';
import { fileName, settingNames } from '../../src/start/settings.ts';

/** Sections of the page: title, introduction, first parts of the codes. */
const groups = [
  [
    'Requests',
    'The HTTP request itself: see [HTTP operations](http.md) and [Limits](limits.md#requests).',
    ['request', 'route'],
  ],
  [
    'Parameters',
    'The parameters of a call: see [Calling endpoints](../guides/calling-endpoints.md#parameters).',
    ['parameter'],
  ],
  [
    'Query texts',
    'The text of a caller query: see [The query dialect](dialect.md), [LQL](../guides/lql.md) and [Limits](limits.md#queries).',
    ['sql', 'lql', 'sandbox', 'redaction'],
  ],
  [
    'Queries',
    'Running a query, and cached results: see [Running Logmill](../guides/running.md), [Result formats](../guides/result-formats.md) and [Caching](../guides/caching.md).',
    ['query', 'format', 'cache', 'engine'],
  ],
  ['Streams', 'Reading an answer as a stream: see [Streaming large results](../guides/streams.md).', ['stream']],
  ['Exports', 'Answers that are written to disk: see [Exports](../guides/exports.md).', ['export']],
  ['Pages', 'Reading an answer in pages: see [Reading large answers in pages](../guides/pages.md).', ['page']],
  ['Tails', 'Following new rows: see [Following new rows](../guides/tails.md).', ['tail']],
  ['Tokens', 'The token of a call, and managing tokens: see [Tokens](../guides/tokens.md).', ['auth', 'token']],
  [
    'Console',
    'Signing in to the console, and its files: see [The console](../guides/console.md).',
    ['session', 'console'],
  ],
  [
    'Endpoints',
    'Finding an endpoint, and managing definitions: see [Your own endpoint](../guides/your-own-endpoint.md).',
    ['endpoint', 'definition'],
  ],
  [
    'Sources and projects',
    'Sources, retention and deletions: see [Retention and deletion](../guides/retention.md).',
    ['source', 'retention', 'deletion', 'project'],
  ],
  [
    'Ingestion and backups',
    'A whole batch of events, and backups: see [Sending events](../guides/sending-events.md) and [Disk and backup](../guides/disk-and-backup.md).',
    ['ingest', 'webhook', 'backup'],
  ],
  ['Service', 'The state of the service: see [Running Logmill](../guides/running.md).', ['service', 'internal']],
] as const satisfies readonly (readonly [string, string, readonly string[]])[];

/** The page of error codes, from the catalogue. */
export function errorsPage(): string {
  const rejections = Object.entries(rejectionCatalogue).map(([code, docs]) => `| \`${code}\` | ${withLinks(docs)} |`);
  const ofClients = Object.entries(clientErrorCatalogue).map(
    ([code, { languages, retryable, docs }]) =>
      `| <a id="${code}"></a>\`${code}\` | ${languages.join(', ')} | ${retryable ? 'yes' : 'no'} | ${docs} |`,
  );
  const notices = Object.entries(noticeCatalogue).map(([code, docs]) => `| \`${code}\` | ${withLinks(docs)} |`);
  return `# Errors

If a call fails, its status is never 200. The body is a problem document (RFC 9457, \`application/problem+json\`). For example, the value of
\`fill\` in this call is not allowed:

\`\`\`http
GET /api/endpoints/query/functions.invocation-stats?project=orchardlanternquartz&interval=1day&fill=zeros
\`\`\`

The answer has the status 400 and this body:

\`\`\`json
${exampleProblem()}
\`\`\`

| member | meaning |
| --- | --- |
| \`status\`, \`code\`, \`title\` | the status of the answer, one of the codes below, and the title of the code |
| \`detail\` | one sentence about this call: what is wrong, where, and what to do |
| \`errors\` | each mistake: \`parameter\`, \`value\`, \`allowed\`, \`nearest\`; for queries \`line\`, \`column\`, \`token\`; for events \`index\` |
| \`request_id\` | the ID to search for in the log; also the header \`X-Request-Id\` |
| \`error\` | \`message\` (the same sentence) and \`code\`, for clients that read only this member |

In programs, check \`code\`, because the wording of \`detail\` can change.

In the tables, "retry" says whether the same call may succeed later. Every 429 and 503 has a \`Retry-After\` header.

${sections().join('\n\n')}

## Generated clients

The [generated clients](../guides/api-description.md#generate-a-typed-client) raise the codes above as the \`code\` of a \`LogmillError\`. They also raise codes
of their own, for what no answer of the service says. The \`status\` of these errors is that of the answer, or 0 if there was none.

| code | client | retry | meaning |
| --- | --- | --- | --- |
${ofClients.join('\n')}

## Rejected events

The answer to a batch lists each rejected event in \`rejected\`, with \`index\`, \`code\` and \`message\`. If the whole batch is refused, the
same list is in \`errors\`.

| code | meaning |
| --- | --- |
${rejections.join('\n')}

## Notices

A notice is not an error. It describes what changed an answer (\`meta.notices\` of a 200), or what to know about something that was
created or changed (\`notices\`). Each notice has a \`code\` and a \`message\`.

| code | meaning |
| --- | --- |
${notices.join('\n')}
`;
}

function sections(): readonly string[] {
  const entries = Object.entries<ErrorEntry>(errorCatalogue);
  const familyOf = (code: string) => code.split('.')[0] ?? '';
  const families: readonly string[] = groups.flatMap(([, , each]) => each);
  const homeless = entries.find(([code]) => !families.includes(familyOf(code)));
  if (homeless !== undefined) throw new Error(`no section of the errors page has codes such as ${homeless[0]}`);
  return groups.map(([title, about, members]) => {
    const own: readonly string[] = members;
    const rows = entries
      .filter(([code]) => own.includes(familyOf(code)))
      .map(
        ([code, { status, title: name, retryable, docs }]) =>
          `| <a id="${code}"></a>\`${code}\` | ${status} | ${retryable ? 'yes' : 'no'} | ${name}. ${withLinks(docs)} |`,
      );
    const head = '| code | status | retry | meaning |\n| --- | --- | --- | --- |';
    return `## ${title}\n\n${about}\n\n${head}\n${rows.join('\n')}`;
  });
}

/** The text with a link for each name of a setting in it. */
function withLinks(docs: string): string {
  const settings = settingNames.map(fileName);
  return docs.replaceAll(/`([a-z_]+)`/g, (code, name) =>
    settings.includes(name) ? `[${code}](settings.md#${name})` : code,
  );
}

/** A refused value of a parameter, as the service itself answers it. */
function exampleProblem(): string {
  const fill: ParameterDeclaration = {
    name: 'fill',
    type: 'enum',
    required: false,
    default: 'none',
    allowed: ['none', 'zero'],
    min: null,
    max: null,
    pattern: null,
    maxLength: null,
    maxItems: null,
    onUnknown: 'reject',
    allowEmpty: false,
    description: '',
    example: null,
  };
  try {
    bindParameters([fill], [['fill', 'zeros']], { isStrict: false });
  } catch (error) {
    const { body } = renderProblem(asServiceError(error), '7f0c2a51-6a0e-4b52-9d3f-0a4e5b1c8d21');
    return JSON.stringify(JSON.parse(String(body)), null, 2);
  }
  throw new Error('the example of the errors page is not refused');
}
