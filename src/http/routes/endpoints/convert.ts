import * as z from 'zod';
import { type Refusal, readMembers } from '../../../core/readMembers.ts';
import { parameterNamePattern } from '../../../endpoints/parameterDeclaration.ts';
import { parameterTypeNames } from '../../../googlesql/resolve/parameterValue.ts';
import type { LiteralPlace } from '../../../googlesql/syntax/comparedLiterals.ts';
import type { ConvertedLql } from '../../../lql/lqlToSql.ts';
import type { Conversion } from '../../../manage/convert/convertQuery.ts';
import type { ProposedParameter } from '../../../manage/convert/proposedParameters.ts';
import { requireQuery } from '../../../tokens/permission.ts';
import { plainJson, readJsonBody } from '../../jsonBody.ts';
import { jsonAnswer, type Route } from '../../route.ts';

/** What is decided about one proposed parameter. */
const parameterChoice = z.strictObject(
  {
    on: z.boolean('must be true or false').optional(),
    name: z.string('must be text').regex(parameterNamePattern, 'must be letters, digits and _, at most 64').optional(),
    type: z.enum(parameterTypeNames, `must be one of ${parameterTypeNames.join(', ')}`).optional(),
    default: z.string('must be text').optional(),
    required: z.boolean('must be true or false').optional(),
  },
  'must be a JSON object',
);

/** The body: the endpoint over whose tables the query is, and the query in one language. */
export const convertInput = z.strictObject(
  {
    endpoint: z.string('must be the ID or the name of an endpoint').min(1, 'must not be empty'),
    sql: z.string('must be text').optional(),
    lql: z.string('must be text').optional(),
    name: z.string('must be the name of an endpoint').min(1, 'must not be empty').default('new.endpoint'),
    description: z.string('must be text').default(''),
    parameters: z.record(z.string(), parameterChoice, 'must be an object by proposed names').optional(),
  },
  'must be a JSON object',
);

const refusal: Refusal = { code: 'parameter.invalid', sentence: 'The query to convert is not valid' };

/** Converts a caller query, without running it. */
export const convertQuery: Route = {
  operation: 'endpoints.convert',
  methods: ['POST'],
  path: '/api/endpoints/convert',
  urlParameters: [],
  takesBody: true,
  summary:
    'Converts a caller query to GoogleSQL without running it, and lists its literals. For tokens with the scope `manage`, also proposes the definition of an endpoint with parameters. `parameters` changes the proposed ones, by their names.',
  credential: 'token',
  codeWhenFull: 'query.overloaded',
  bodyBytesMax: (settings) => settings.queryBodyBytesMax,
  authorise({ scopes }) {
    requireQuery(scopes);
  },
  async handle(call, token) {
    const {
      endpoint,
      sql,
      lql,
      name,
      description,
      parameters = null,
    } = readMembers(convertInput, plainJson(await readJsonBody(call)), refusal);
    const given = Object.entries({ sql, lql }).flatMap(([each, text]) =>
      text === undefined ? [] : [[each, text] as const],
    );
    const conversion = await call.services.convertQuery({
      token,
      idOrName: endpoint,
      entries: given,
      name,
      description,
      choices: parameters,
    });
    return jsonAnswer(conversionView(conversion), { 'cache-control': 'no-store' });
  },
};

function conversionView({ endpoint, sql, clauses, literals, parameters, definition, problem }: Conversion) {
  return {
    sql,
    filters: clauses?.map(filterView) ?? null,
    literals: literals.map((literal) => literalView(literal, sql, parameters)),
    parameters: parameters.map(({ name, fields, isOn }) => ({ name, ...fields, on: isOn })),
    definition: definition === null ? null : { fields: definition.fields, yaml: definition.yaml, sql: definition.sql },
    problem,
    endpoint,
  };
}

function filterView({ clause, text }: ConvertedLql['clauses'][number]) {
  const { kind, pos } = clause;
  return {
    kind,
    text,
    negated: 'isNegated' in clause && clause.isNegated,
    path: 'path' in clause && clause.path !== null ? clause.path.steps.join('.') : null,
    op: 'op' in clause ? clause.op : null,
    line: pos.line,
    column: pos.column,
  };
}

function literalView(
  { pos, end, type, value, member, comparison }: LiteralPlace,
  sql: string,
  parameters: readonly ProposedParameter[],
) {
  const parameter = parameters.find(({ replacements }) => replacements.some(({ from }) => from === pos.offset));
  return {
    text: sql.slice(pos.offset, end),
    value,
    type,
    line: pos.line,
    column: pos.column,
    offset: pos.offset,
    length: end - pos.offset,
    member: member?.join('.') ?? null,
    comparison,
    parameter: parameter?.name ?? null,
  };
}
