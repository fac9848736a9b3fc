import { Pause, type Turns } from '../core/concurrency/turns.ts';
import type { ErrorCode } from '../core/errorCatalogue.ts';
import { asServiceError, ServiceError } from '../core/errors.ts';
import type { RequestRate } from '../ports/requestCounter.ts';
import type { AuthenticatedToken } from '../tokens/authenticator.ts';
import { requireScope } from '../tokens/permission.ts';
import { requireNetwork } from '../tokens/requireNetwork.ts';
import { type BindBounds, type BoundCall, bindCall } from './bind.ts';
import type { CallableEndpoint } from './callableEndpoint.ts';
import { contextOf, projectsOf, rowsMaxOf } from './callContext.ts';
import { calledVersion } from './calledVersion.ts';
import { findEndpoint } from './findEndpoint.ts';
import type { InvokeServices } from './invokeServices.ts';
import type { ParameterEntry } from './parameterEntry.ts';
import { outerLimitOf } from './queryLimit.ts';
import { isRedactionDemanded } from './redaction.ts';
import { rowLimitOf } from './rowLimit.ts';
import { splitParameters } from './splitParameters.ts';
import { requireCallerQueries } from './tokenPolicies.ts';

/** The token of the hypothetical call. */
export type ExplainedToken = AuthenticatedToken & { readonly revokedAtMicros: number | null };

export interface ExplainedCall {
  /** The path segment. */
  readonly idOrName: string;
  /** Names are unique. */
  readonly parameters: readonly ParameterEntry[];
  /** The address that the call would come from; null to skip the address check. */
  readonly address: string | null;
  readonly nowMicros: number;
  /** Turns of whoever asks, for a long text; if absent, it has its own. */
  readonly turns?: Turns;
}

export interface ExplainedRule {
  readonly rule: string;
  readonly outcome: 'allowed' | 'refused' | 'not_reached';
  /** The reason, as a sentence. */
  readonly why: string;
}

/** The predicted outcome of a call, with reasons. */
export interface CallExplanation {
  readonly outcome: 'allowed' | 'refused';
  readonly status: number;
  /** The error code of the refusal. */
  readonly code: ErrorCode | null;
  /** In the order of evaluation; the first rule that refuses the call decides. */
  readonly rules: readonly ExplainedRule[];
}

export type ExplainCall = (token: ExplainedToken, call: ExplainedCall) => Promise<CallExplanation>;

export interface ExplainSettings extends BindBounds {
  /** The rate limit of every token; null for none. */
  readonly rate: RequestRate | null;
}

/** Results of earlier rules that later rules need. */
interface Known {
  endpoint: CallableEndpoint;
  bound: BoundCall;
  query: Parameters<typeof projectsOf>[1];
}

/**
 * Applies every rule that decides whether a call runs, with the same functions as a real call, but does not run it.
 * Failures on data and queue timeouts therefore do not show.
 */
export function createExplainCall(
  services: Pick<InvokeServices, 'endpoints' | 'sources' | 'statements'>,
  settings: ExplainSettings,
): ExplainCall {
  return async (token, call) => {
    const known: Partial<Known> = {};
    const rules: ExplainedRule[] = [];
    let refusal: ServiceError | null = null;
    for (const [rule, hold] of rulesOf(token, call, known, services, settings)) {
      if (refusal !== null) {
        rules.push({ rule, outcome: 'not_reached', why: 'An earlier rule refuses the call.' });
        continue;
      }
      try {
        rules.push({ rule, outcome: 'allowed', why: await hold() });
      } catch (error) {
        const refused = asServiceError(error);
        if (refused.code === 'internal') throw error;
        refusal = refused;
        rules.push({ rule, outcome: 'refused', why: refused.message });
      }
    }
    if (refusal === null) return { outcome: 'allowed', status: 200, code: null, rules };
    return { outcome: 'refused', status: refusal.status, code: refusal.code, rules };
  };
}

type Rule = readonly [name: string, hold: () => string | Promise<string>];

function rulesOf(
  token: ExplainedToken,
  call: ExplainedCall,
  known: Partial<Known>,
  services: Pick<InvokeServices, 'endpoints' | 'sources' | 'statements'>,
  settings: ExplainSettings,
): readonly Rule[] {
  const { restrictions } = token;
  return [
    ['token', () => tokenRule(token, call.nowMicros)],
    ['network', () => networkRule(token, call.address)],
    [
      'endpoint',
      async () => {
        const current = await findEndpoint(call.idOrName, token, services.endpoints, call.nowMicros);
        const { endpoints } = services;
        known.endpoint = await calledVersion(current, call.parameters, token, endpoints, call.nowMicros);
        const { id, name, version } = known.endpoint;
        return `The token may call ${name} (${id}), version ${version}.`;
      },
    ],
    [
      'caller_query',
      () => {
        const { sandbox } = of(known.endpoint);
        const { callerQuery } = splitParameters(call.parameters, sandbox, settings.queryTextBytesMax);
        requireCallerQueries(callerQuery, restrictions);
        if (callerQuery !== null) return `The token may send caller queries; this one is ${callerQuery.language}.`;
        return 'The call runs the stored query.';
      },
    ],
    [
      'parameters',
      () => {
        known.bound = bindCall(call.parameters, of(known.endpoint), restrictions, settings);
        const kept = Object.entries(restrictions?.parameters ?? {});
        const why = kept.map(([name, values]) => `${name} is restricted to ${values.join(', ')}`).join('; ');
        return why === '' ? 'They fit their declarations, and the token does not restrict their values.' : `${why}.`;
      },
    ],
    [
      'query',
      async () => {
        if (of(known.bound).isDryRun) requireScope(token.scopes, { kind: 'query:explain' });
        const endpoint = of(known.endpoint);
        const statement = {
          storedText: endpoint.query,
          callerQuery: of(known.bound).callerQuery,
          context: contextOf(endpoint, services.sources),
        };
        known.query = await services.statements.compileInTurns(statement, new Pause(call.turns));
        return 'It compiles, and reads only the tables of the endpoint.';
      },
    ],
    [
      'projects',
      () => {
        const projects = projectsOf(token, of(known.query), of(known.bound));
        return projects === null
          ? 'The token can read every project. Conditions of the query itself still apply.'
          : `It reads only events of ${projects.join(', ')}.`;
      },
    ],
    [
      'redaction',
      () => {
        const header = { name: '', value: undefined };
        return isRedactionDemanded(header, of(known.endpoint), token)
          ? 'Rows are redacted, by the token or by the endpoint.'
          : 'Rows are redacted only if the call asks for it.';
      },
    ],
    [
      'rows',
      () => {
        const rowsMax = rowsMaxOf(of(known.endpoint), token);
        const outerLimit = outerLimitOf(of(known.query), of(known.bound).parameters);
        return `At most ${rowLimitOf(rowsMax, outerLimit, false).rowsMax} rows are returned.`;
      },
    ],
    ['rate', () => rateRule(token, settings.rate)],
    [
      'concurrency',
      () =>
        restrictions?.concurrency === undefined
          ? 'Queries of the token run when query slots are free.'
          : `At most ${restrictions.concurrency} queries of the token run at the same time; further ones wait.`,
    ],
  ];
}

function tokenRule({ revokedAtMicros, expiresAtMicros }: ExplainedToken, nowMicros: number): string {
  if (revokedAtMicros !== null) throw new ServiceError('auth.invalid', 'The token is revoked.');
  if (expiresAtMicros === null) return 'The token is live and does not expire.';
  const at = new Date(expiresAtMicros / 1000).toISOString();
  if (expiresAtMicros <= nowMicros) throw new ServiceError('auth.invalid', `The token expired at ${at}.`);
  return `The token is live until ${at}.`;
}

function networkRule({ restrictions }: ExplainedToken, address: string | null): string {
  const networks = restrictions?.networks;
  if (networks === undefined) return 'The token may be used from any address.';
  const list = networks.join(', ');
  if (address === null)
    return `The token may be used only from ${list}. No address was given, so this was not checked.`;
  requireNetwork(restrictions, address);
  return `${address} is in ${list}.`;
}

function rateRule({ restrictions }: ExplainedToken, common: RequestRate | null): string {
  const rates = [common, restrictions?.rate ?? null].filter((rate) => rate !== null);
  if (rates.length === 0) return 'The token has no request rate limit.';
  const list = rates.map(({ requests, seconds }) => `${requests} requests in ${seconds} seconds`).join(', and ');
  return `The token may make ${list}. How many of them are left was not checked.`;
}

function of<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('a rule was evaluated before a rule that it depends on');
  return value;
}
