import { Semaphore } from '../../core/concurrency/semaphore.ts';
import { ServiceError } from '../../core/errors.ts';
import { nearestName } from '../../core/nearestName.ts';
import type { CallerTable } from '../../googlesql/callerTables.ts';
import type { Notice } from '../../googlesql/resolve/tree.ts';
import type { AuthenticatedToken } from '../../tokens/authenticator.ts';
import { bindCall } from '../bind.ts';
import { calledEndpoint } from '../calledEndpoint.ts';
import type { CallHeader } from '../callHeader.ts';
import type { InvokeServices, InvokeSettings } from '../invokeServices.ts';
import type { ParameterEntry } from '../parameterEntry.ts';
import { isRedactionDemanded } from '../redaction.ts';
import type { StageTimes } from '../stageTimes.ts';
import { type Field, type FieldPosition, fieldOf, type ReadTable } from './field.ts';
import { comparePaths, type MemberStep, pathText } from './memberPath.ts';
import { type SampleWindow, sampleTable } from './sampleTable.ts';
import { TableReader } from './tableRows.ts';

/** A question about the fields of an endpoint, with an authenticated token. */
export interface FieldsCall {
  readonly token: AuthenticatedToken;
  /** The path segment, decoded. */
  readonly idOrName: string;
  /** Every parameter of the URL; names are unique. */
  readonly parameters: readonly ParameterEntry[];
  /** Parameters of the question itself. The endpoint gets only those that it declares too. */
  readonly ownParameters: ReadonlySet<string>;
  readonly redactHeader: CallHeader;
  readonly window: SampleWindow;
  /** The beginning of the fields that are wanted, as `table.path`. */
  readonly prefix: string;
  readonly limit: number;
  /** The last field of the previous page; null for the first page. */
  readonly after: FieldPosition | null;
  readonly signal: AbortSignal;
  readonly times: StageTimes;
}

export interface Fields {
  readonly endpoint: { readonly id: string; readonly name: string; readonly version: number };
  /** At most `limit + 1`. */
  readonly fields: readonly Field[];
  readonly tables: readonly ReadTable[];
  readonly notices: readonly Notice[];
}

/** Answers what the events of an endpoint hold, as far as this caller can query them. */
export type ReadFields = (call: FieldsCall) => Promise<Fields>;

/** Calls that collect members at one time. Each may hold some megabytes; the others wait, tokens in turn. */
const readingAtOnceMax = 2;

/**
 * Makes the reader of fields. It asks each table of the endpoint with caller queries, so a call may see exactly what
 * its token could select: it needs the right to send caller queries, and all restrictions of the token apply. Nothing
 * is remembered between calls.
 */
export function createReadFields(services: InvokeServices, settings: InvokeSettings): ReadFields {
  const places = new Semaphore(readingAtOnceMax);
  return async (call) => {
    const { token, times, signal } = call;
    const { endpoint } = await times.timeAsync('find', () => calledEndpoint(call, token, services));
    await endpoint.service?.settle();
    requireSandbox(endpoint.name, endpoint.sandbox, token);
    const declared = new Set(endpoint.parameters.map(({ name }) => name));
    const given = call.parameters.filter(([name]) => !call.ownParameters.has(name) || declared.has(name));
    const bound = bindCall(given, endpoint, token.restrictions, settings);
    if (bound.page !== null) throw noPages();
    const isRedacted = isRedactionDemanded(call.redactHeader, endpoint, token);
    const timeoutMs = endpoint.timeoutMs ?? settings.timeoutMs;
    const reader = new TableReader({ endpoint, token, bound, isRedacted, timeoutMs, signal }, services);
    const wanted = wantedTables(await reader.tables(), call);
    const fields: Field[] = [];
    const read: ReadTable[] = [];
    const collect = () =>
      places.run(
        async () => {
          for (const table of wanted) {
            if (fields.length > call.limit) break;
            const isRead = (column: string) => canHold(call.prefix, [table.name, column]);
            const sample = await sampleTable(table, { window: call.window, isRead }, reader);
            read.push({ ...sample, name: table.name });
            for (const member of sample.members) {
              const field = fieldOf(member, table, sample, services.redactor);
              if (isWanted(field, call)) fields.push(field);
              await reader.takeIfOver();
            }
          }
        },
        { owner: token.publicId, signal },
      );
    await times.timeAsync('fields', collect);
    return {
      endpoint: { id: endpoint.id, name: endpoint.name, version: endpoint.version },
      fields: fields.slice(0, call.limit + 1),
      tables: read,
      notices: bound.notices,
    };
  };
}

function requireSandbox(name: string, hasSandbox: boolean, { restrictions }: AuthenticatedToken): void {
  if (!hasSandbox) {
    throw new ServiceError(
      'sandbox.disabled',
      `The endpoint ${name} does not accept caller queries, so its fields are not shown.`,
    );
  }
  if (restrictions?.callerQueries !== false) return;
  throw new ServiceError(
    'auth.caller_query',
    'This token may not send caller queries, so it may not read the fields of endpoints.',
  );
}

/** The tables that can have fields of the page. Throws `parameter.invalid` if none can. */
function wantedTables(tables: readonly CallerTable[], { prefix, after }: FieldsCall): readonly CallerTable[] {
  const matching = tables.filter(({ name }) => canHold(prefix, [name]));
  if (matching.length === 0 && tables.length > 0) {
    const names = tables.map(({ name }) => name);
    const [given = ''] = prefix.split('.');
    const nearest = nearestName(given, names);
    const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
    throw new ServiceError(
      'parameter.invalid',
      `The parameter prefix names no table of this endpoint: it must begin with one of ${names.slice(0, 20).join(', ')}.${hint}`,
      {
        errors: [
          {
            parameter: 'prefix',
            value: prefix.slice(0, 100),
            allowed: names,
            ...(nearest !== undefined && { nearest }),
          },
        ],
      },
    );
  }
  if (after === null) return matching;
  const at = matching.findIndex(({ name }) => name === after.table);
  return at < 0 ? [] : matching.slice(at);
}

/** Whether this path, or one below it, can begin with the prefix. */
function canHold(prefix: string, path: readonly MemberStep[]): boolean {
  const text = pathText(path);
  if (text.startsWith(prefix) || prefix.startsWith(`${text}.`)) return true;
  // A table has columns, but no elements.
  return path.length > 1 && prefix.startsWith(`${text}[`);
}

function isWanted(field: Field, { prefix, after }: FieldsCall): boolean {
  if (!field.text.startsWith(prefix)) return false;
  return after === null || field.table !== after.table || comparePaths(field.path, after.path) > 0;
}

function noPages(): ServiceError {
  return new ServiceError('parameter.invalid', 'Fields are not read in pages. Leave out page_size and cursor.', {
    errors: [{ parameter: 'page_size' }, { parameter: 'cursor' }],
  });
}
