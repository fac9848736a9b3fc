import type { DeletedEndpoint, EndpointVersion } from '../../../endpoints/endpointStore.ts';
import { formatDefinition } from '../../../endpoints/parseDefinition.ts';
import { typeName } from '../../../googlesql/types.ts';
import type { EndpointDescription } from '../../../invoke/describe.ts';
import { formatMicros } from '../../../invoke/formatMicros.ts';
import type { ChangedEndpoint } from '../../../manage/endpointManagement.ts';
import { endpointTag } from '../../../manage/endpointTag.ts';
import type { RouteAnswer } from '../../route.ts';
import { managedAnswer } from './managed.ts';

/** A version of an endpoint with all its fields (contract, section 3). */
export function endpointView(endpoint: EndpointVersion) {
  return { ...formatDefinition(endpoint), ...versionView(endpoint) };
}

/** An endpoint in a list, without the members that can be large. */
export function endpointSummary(endpoint: EndpointVersion) {
  const { query: _query, parameters: _parameters, retention: _retention, ...fields } = formatDefinition(endpoint);
  return { ...fields, ...versionView(endpoint) };
}

/** The additional members of a deleted endpoint. */
export function deletedView({ deletedAtMicros }: DeletedEndpoint) {
  return { deleted_at: formatMicros(deletedAtMicros) };
}

/** A version without its definition. */
export function versionSummary(endpoint: EndpointVersion) {
  const { primary: _primary, created_at: _created, updated_at, ...view } = versionView(endpoint);
  return { name: endpoint.name, ...view, created_at: updated_at };
}

function versionView({ primary, version, createdAtMicros, updatedAtMicros, author, note }: EndpointVersion) {
  return {
    primary,
    version,
    created_at: formatMicros(createdAtMicros),
    updated_at: formatMicros(updatedAtMicros),
    author,
    note,
  };
}

/** Output columns, and tables for caller queries, with GoogleSQL types. */
export function descriptionView({ columns, tables, rowsMax, notices }: EndpointDescription) {
  const typed = (list: readonly Pick<EndpointDescription['columns'][number], 'name' | 'type'>[]) =>
    list.map((column) => ({ name: column.name, type: typeName(column.type) }));
  return {
    columns: typed(columns),
    tables: tables.map((table) => ({ name: table.name, columns: typed(table.columns) })),
    rows_max: rowsMax,
    notices,
  };
}

/** The recent callers of an endpoint that a change breaks. */
export function callersView(callers: ChangedEndpoint['callers']) {
  return (
    callers?.map(({ token, description, calls, lastMicros }) => ({
      token,
      description,
      calls,
      last_call: formatMicros(lastMicros),
    })) ?? null
  );
}

/** The members that mark a dry run. They come first, so that readers cannot mistake it for the change. */
export function dryRunView(isDryRun: boolean) {
  return isDryRun
    ? { dry_run: true, message: 'This was a dry run: nothing was changed. The answer says what the change would do.' }
    : {};
}

/** The answer to a change of one endpoint: outcome, endpoint as it is now, differences, affected callers, notices. */
export function changeAnswer(
  { outcome, endpoint, diff, callers, notices }: ChangedEndpoint,
  isDryRun: boolean,
): RouteAnswer {
  const isNew = outcome === 'created' && !isDryRun;
  // A dry run makes no version, so its tag would later belong to another change.
  const answer = managedAnswer(
    {
      ...dryRunView(isDryRun),
      outcome,
      endpoint: endpointView(endpoint),
      diff,
      callers: callersView(callers),
      notices,
    },
    {
      ...(isDryRun ? {} : { etag: endpointTag(endpoint) }),
      ...(isNew ? { location: `/api/endpoints/${endpoint.id}` } : {}),
    },
  );
  return isNew ? { ...answer, status: 201 } : answer;
}
