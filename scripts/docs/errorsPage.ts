import { type ErrorEntry, errorCatalogue } from '../../src/core/errorCatalogue.ts';
import { rejectionCatalogue } from '../../src/ingest/rejection.ts';

/** The page of error codes, from the catalogue. */
export function errorsPage(): string {
  const entries = Object.entries<ErrorEntry>(errorCatalogue);
  const rows = entries.map(
    ([code, { status, title, retryable, docs }]) =>
      `| <a id="${code}"></a>\`${code}\` | ${status} | ${retryable ? 'yes' : 'no'} | ${title}. ${docs} |`,
  );
  const rejections = Object.entries(rejectionCatalogue).map(([code, docs]) => `| \`${code}\` | ${docs} |`);
  return `# Errors

A call that fails is never answered with 200. Its body is a problem document (RFC 9457, \`application/problem+json\`):

| member | meaning |
| --- | --- |
| \`status\`, \`code\`, \`title\` | the status of the answer, one of the codes below, and its title |
| \`detail\` | one sentence about this call: what was wrong, where, what is allowed, the nearest thing that works |
| \`errors\` | the single mistakes: \`parameter\`, \`value\`, \`allowed\`, \`nearest\`; for queries \`line\`, \`column\`, \`token\`; for events \`index\` |
| \`request_id\` | the id under which the log holds the cause; also the header \`X-Request-Id\` |
| \`error\` | \`message\` (the same sentence) and \`code\`, for clients that read only this |

"Retry" says whether the same call may succeed later without a change; such answers carry \`Retry-After\`.

| code | status | retry | meaning |
| --- | --- | --- | --- |
${rows.join('\n')}

## Events that were not taken

In \`rejected\` of the answer to a batch, each with \`index\`, \`code\` and \`message\`; in \`errors\` where the whole batch was refused.

| code | meaning |
| --- | --- |
${rejections.join('\n')}

## Notices

Not errors: what changed the answer, in \`meta.notices\` of a 200, each with \`code\` and \`message\`.

| code | meaning |
| --- | --- |
| \`parameter.unknown\` | A parameter that the endpoint does not declare was ignored. |
| \`parameter.defaulted\` | A value that is not among those allowed was read as the default. |
| \`data.damaged_file\` | A file that held events of the projects and times that the query reads is damaged and was set aside: some of them may be missing. |
| \`redaction.unrecognised\` | An output column holds texts of events cut, in another form or right beside other text, so that redaction does not recognise personal values in it. Told to whoever writes the endpoint: by checks and changes of it, and by a dry run with redaction for tokens with the scope \`manage\`. |
| \`retention.clamped\` | The call asked for rows before the retention window; they are answered from the window on. |
| \`scope.endpoint_unknown\`, \`scope.source_unknown\` | A scope of the token that was made names an endpoint or a source that is not there: it allows nothing until it is. |
| \`sql.accepted.…\`, \`sql.timestamp_from_integer\` | The query holds something that GoogleSQL would refuse; the notice says how it was read. |
`;
}
