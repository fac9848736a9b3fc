import type { ParameterDeclaration } from '../endpoints/parameterDeclaration.ts';
import { sourcesRead, tablesRead } from '../googlesql/plan/columnsRead.ts';
import type { Notice, ResolvedQuery } from '../googlesql/resolve/tree.ts';
import { typeName } from '../googlesql/types.ts';
import type { Explanation } from '../ports/queryEngine.ts';
import type { AuthenticatedToken } from '../tokens/authenticator.ts';
import { allows } from '../tokens/permission.ts';
import { limitsRows } from '../tokens/restrictions.ts';
import { writtenNotice } from './answerBody.ts';
import type { CallerQuery } from './callerQueryText.ts';

/** The details of a query that the caller may see. */
export interface DryRunRights {
  /** The sources behind the tables of the endpoint. */
  readonly seesSources: boolean;
  /** The engine's statement and plan, whose estimates count events of every project. */
  readonly seesEngine: boolean;
}

export function dryRunRights({ scopes, restrictions }: AuthenticatedToken): DryRunRights {
  const isManager = allows(scopes, { kind: 'manage' });
  return { seesSources: isManager, seesEngine: isManager && !limitsRows(restrictions) };
}

export interface DryRunInput {
  readonly endpoint: {
    readonly id: string;
    readonly name: string;
    readonly version: number;
    readonly parameters: readonly ParameterDeclaration[];
  };
  readonly callerQuery: CallerQuery | null;
  readonly query: ResolvedQuery;
  readonly rowsMax: number;
  readonly rights: DryRunRights;
  /** Null if the caller may not see it. */
  readonly explanation: Explanation | null;
  readonly notices: readonly Notice[];
  readonly requestId: string;
}

/**
 * Builds the body of a dry run's 200 as UTF-8 JSON. It describes the query and contains no data (googlesql.md, section
 * 5).
 */
export function shapeDryRun(input: DryRunInput): Buffer {
  const { endpoint, callerQuery, query, rowsMax, rights, explanation, notices, requestId } = input;
  const body = {
    dry_run: {
      language: callerQuery?.language ?? 'stored',
      tables: tablesRead(query),
      columns: query.columns.map(({ name, column }) => ({ name, type: typeName(column.type) })),
      parameters: endpoint.parameters.map(({ name, type, required }) => ({
        name,
        type,
        required,
        used: query.parameters.has(name),
      })),
      rows_max: rowsMax,
      ...(rights.seesSources ? { sources: sourcesRead(query) } : {}),
      ...(explanation === null ? {} : { engine: { statement: explanation.statement, plan: explanation.plan } }),
    },
    meta: {
      endpoint: { id: endpoint.id, name: endpoint.name, version: endpoint.version },
      notices: notices.map(writtenNotice),
      request_id: requestId,
    },
  };
  return Buffer.from(JSON.stringify(body));
}
