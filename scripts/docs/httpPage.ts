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
`;
}
