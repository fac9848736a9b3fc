import { type ErrorEntry, errorCatalogue } from '../../src/core/errorCatalogue.ts';
import { noticeCatalogue } from '../../src/core/noticeCatalogue.ts';
import { rejectionCatalogue } from '../../src/ingest/rejection.ts';

/** The page of error codes, from the catalogue. */
export function errorsPage(): string {
  const entries = Object.entries<ErrorEntry>(errorCatalogue);
  const rows = entries.map(
    ([code, { status, title, retryable, docs }]) =>
      `| <a id="${code}"></a>\`${code}\` | ${status} | ${retryable ? 'yes' : 'no'} | ${title}. ${docs} |`,
  );
  const rejections = Object.entries(rejectionCatalogue).map(([code, docs]) => `| \`${code}\` | ${docs} |`);
  const notices = Object.entries(noticeCatalogue).map(([code, docs]) => `| \`${code}\` | ${docs} |`);
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

Not errors: what changed the answer, in \`meta.notices\` of a 200, or what somebody should know of what was made, in \`notices\`; each with \`code\` and \`message\`.

| code | meaning |
| --- | --- |
${notices.join('\n')}
`;
}
