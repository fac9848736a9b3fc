import { inTurns, Pause } from '../../core/concurrency/turns.ts';
import { ServiceError } from '../../core/errors.ts';
import { definitionYaml } from '../../endpoints/definitionYaml.ts';
import { formatDefinition } from '../../endpoints/parseDefinition.ts';
import { callerTablesInSteps } from '../../googlesql/callerTables.ts';
import { type LiteralPlace, placesIn } from '../../googlesql/syntax/comparedLiterals.ts';
import { parametersIn } from '../../googlesql/syntax/parametersIn.ts';
import { parseQuery } from '../../googlesql/syntax/parser.ts';
import type { CallableEndpoint } from '../../invoke/callableEndpoint.ts';
import { contextOf } from '../../invoke/callContext.ts';
import { findEndpoint } from '../../invoke/findEndpoint.ts';
import type { InvokeServices } from '../../invoke/invokeServices.ts';
import type { ParameterEntry } from '../../invoke/parameterEntry.ts';
import { splitParameters } from '../../invoke/splitParameters.ts';
import { type ConvertedLql, lqlToSql } from '../../lql/lqlToSql.ts';
import type { AuthenticatedToken } from '../../tokens/authenticator.ts';
import { allows } from '../../tokens/permission.ts';
import type { CheckReport } from '../checkReport.ts';
import { chosenParameters, type ParameterChoices } from './chosenParameters.ts';
import { type ProposedParameter, proposedParameters } from './proposedParameters.ts';
import { type CallerText, neededTables, proposedText } from './proposedText.ts';

export interface ConvertRequest {
  readonly token: AuthenticatedToken;
  readonly idOrName: string;
  /** `sql` or `lql`, as of a call. */
  readonly entries: readonly ParameterEntry[];
  /** Name and description of the proposed definition. */
  readonly name: string;
  readonly description: string;
  /** What was decided about the proposed parameters; null for the definition as proposed. */
  readonly choices: ParameterChoices | null;
}

export interface Conversion {
  readonly endpoint: { readonly id: string; readonly name: string; readonly version: number };
  /** The query in GoogleSQL. */
  readonly sql: string;
  /** Null for a query in GoogleSQL. */
  readonly clauses: ConvertedLql['clauses'] | null;
  /** The first `literalsMax` in the order of the text. */
  readonly literals: readonly LiteralPlace[];
  readonly parameters: readonly ProposedParameter[];
  /** Null if the token may not manage endpoints, or if there is no definition that compiles. */
  readonly definition: ProposedDefinition | null;
  /** Why there is no definition, though the token may manage endpoints. */
  readonly problem: string | null;
}

/** A definition that compiles and has the rows of the query. */
export interface ProposedDefinition {
  /** In the form of the API, without an ID. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The texts of its two files. */
  readonly yaml: string;
  readonly sql: string;
}

/** A list of thousands is no place for parameters, and takes long to write. */
const literalsMax = 500;

/** Converts a caller query to GoogleSQL and, for managers of endpoints, to a definition. */
export type ConvertQuery = (request: ConvertRequest) => Promise<Conversion>;

export interface ConvertServices
  extends Pick<InvokeServices, 'endpoints' | 'sources' | 'statements' | 'turns' | 'clock'> {
  /** Most bytes of the query. */
  readonly queryTextBytesMax: number;
  /** `EndpointManagement.check`. */
  check(definition: unknown, owner: string): Promise<CheckReport>;
}

/**
 * Makes the converter. The query is checked like a call with it first, so a token learns nothing that its calls do not
 * tell. The definition contains tables of the stored query, which only managers of endpoints may read.
 */
export function createConvertQuery(services: ConvertServices): ConvertQuery {
  return async ({ token, idOrName, entries, name, description, choices }) => {
    const endpoint = await findEndpoint(idOrName, token, services.endpoints, services.clock.nowMicros());
    requireSandbox(endpoint, token);
    const { callerQuery } = splitParameters(entries, true, services.queryTextBytesMax);
    if (callerQuery === null) {
      throw new ServiceError('parameter.missing', 'There is no query to convert. Send it as sql or lql.', {
        errors: [{ parameter: 'sql', allowed: ['sql', 'lql'] }],
      });
    }
    const context = contextOf(endpoint, services.sources);
    const pause = new Pause(services.turns?.of(token.publicId));
    await services.statements.compileInTurns({ storedText: endpoint.query, callerQuery, context }, pause);
    const tables = await inTurns(callerTablesInSteps(endpoint.query, context), pause);
    const converted = callerQuery.language === 'lql' ? lqlToSql(callerQuery.text, tables) : null;
    await pause.take();
    const sql = converted?.sql ?? callerQuery.text;
    const { query } = parseQuery(sql);
    await pause.take();
    const places = placesIn(query);
    const declared = endpoint.parameters.map((parameter) => parameter.name);
    const proposals = proposedParameters(places, declared);
    const parameters = choices === null ? proposals : chosenParameters(proposals, choices, declared);
    await pause.take();
    const isManager = allows(token.scopes, { kind: 'manage' }) && endpoint.service === undefined;
    const proposed = isManager
      ? await proposedDefinition(endpoint, { sql, query }, parameters, {
          name,
          description,
          isChosen: choices !== null,
          check: (definition) => services.check(definition, token.publicId),
          pause,
        })
      : { definition: null, problem: null, parameters };
    return {
      endpoint: { id: endpoint.id, name: endpoint.name, version: endpoint.version },
      sql,
      clauses: converted?.clauses ?? null,
      literals: places.literals.slice(0, literalsMax),
      ...proposed,
    };
  };
}

function requireSandbox({ name, sandbox }: CallableEndpoint, { restrictions }: AuthenticatedToken): void {
  if (!sandbox) throw new ServiceError('sandbox.disabled', `The endpoint ${name} does not accept caller queries.`);
  if (restrictions?.callerQueries !== false) return;
  throw new ServiceError('auth.caller_query', 'This token may not send caller queries.');
}

interface ProposalOptions {
  check(definition: unknown): Promise<CheckReport>;
  /** Of the endpoint. */
  readonly name: string;
  readonly description: string;
  /** Whether the parameters were chosen, so that none is switched off. */
  readonly isChosen: boolean;
  readonly pause: Pause;
}

/**
 * The definition with every parameter that is on. Types of literals and of parameters follow different rules, so one
 * that the compiler refuses is switched off, unless somebody chose it.
 */
async function proposedDefinition(
  endpoint: CallableEndpoint,
  text: CallerText,
  parameters: readonly ProposedParameter[],
  { isChosen, check, pause, ...called }: ProposalOptions,
): Promise<Pick<Conversion, 'definition' | 'problem' | 'parameters'>> {
  const tables = neededTables(endpoint.query, text);
  const attempt = async (tried: readonly ProposedParameter[]) => {
    await pause.take();
    const replacements = tried.flatMap((parameter) => parameter.replacements);
    const fields = fieldsOf(endpoint, proposedText(tables, text, replacements), tried, called);
    await pause.take();
    const { problem } = await check(fields);
    return { fields, problem };
  };
  let used = parameters.filter(({ isOn }) => isOn);
  let best = await attempt(used);
  if (best.problem !== null && !isChosen) {
    const candidates = used;
    used = [];
    best = await attempt(used);
    for (const parameter of best.problem === null ? candidates : []) {
      const next = await attempt([...used, parameter]);
      if (next.problem !== null) continue;
      best = next;
      used = [...used, parameter];
    }
  }
  const shown = parameters.map((parameter) => ({ ...parameter, isOn: used.includes(parameter) }));
  if (best.problem !== null) return { definition: null, problem: best.problem, parameters: shown };
  const { fields } = best;
  const definition = { fields, sql: fields.query, yaml: definitionYaml({ ...fields, query_file: undefined }) };
  return { definition, problem: null, parameters: shown };
}

function fieldsOf(
  endpoint: CallableEndpoint,
  query: string,
  parameters: readonly ProposedParameter[],
  { name, description }: Pick<ProposalOptions, 'name' | 'description'>,
): Readonly<Record<string, unknown>> & { readonly query: string } {
  const inherited = formatDefinition({ ...endpoint, name, description, query, sandbox: false });
  const { id: _id, parameters: declared = {}, warm_seconds: _warm, ...others } = inherited;
  const named = new Set(parametersIn(query).map((each) => each.name.toLowerCase()));
  const { retention } = endpoint;
  const ofRetention = retention === null ? [] : [retention.parameter, retention.start];
  const kept = Object.entries(declared)
    .filter(([each]) => named.has(each.toLowerCase()) || ofRetention.includes(each))
    .map(([each, fields]) => [each, each === 'project' ? { ...fields, required: true, default: undefined } : fields]);
  const own = parameters.map((parameter) => [parameter.name, parameter.fields]);
  return {
    ...others,
    cache_seconds: 0,
    stale_if_error_seconds: 0,
    query,
    parameters: JSON.parse(JSON.stringify(Object.fromEntries([...kept, ...own]))),
  };
}
