import { parameterTypeNames } from '../../googlesql/resolve/parameterValue.ts';
import { convertInput } from '../routes/endpoints/convert.ts';
import type { OperationDescription } from './operationDescription.ts';
import { requestSchema } from './requestSchema.ts';
import { count, flag, list, object, orNull, text } from './schemaParts.ts';

const position = { type: 'integer', minimum: 1 };

/** `endpoints.convert` */
export const convertOperation: OperationDescription = {
  scope: 'query, for the endpoint; `manage` for a definition',
  body: {
    content: { 'application/json': { schema: requestSchema(convertInput) } },
    example: JSON.stringify({ endpoint: 'logs.all', lql: 'f:edge_logs m.response.status_code:>=500 t:last@1h' }),
  },
  answer: {
    description: 'The query in other forms.',
    schema: object({
      sql: { ...text, description: 'The query in GoogleSQL.' },
      filters: orNull({
        ...list(
          object({
            kind: { enum: ['from', 'aggregate', 'period', 'select', 'time', 'level', 'field', 'text'] },
            text: { ...text, description: 'The clause in LQL.' },
            negated: flag,
            path: { type: ['string', 'null'] },
            op: { type: ['string', 'null'] },
            line: position,
            column: position,
          }),
        ),
        description: 'The clauses of a query in LQL; null for GoogleSQL.',
      }),
      literals: {
        ...list(
          object({
            text: { ...text, description: 'As it is in `sql`.' },
            value: text,
            type: { enum: ['string', 'int64', 'float64', 'bool', 'timestamp', 'date'] },
            line: position,
            column: position,
            offset: { ...count, description: 'UTF-16 units before the literal in `sql`.' },
            length: { ...count, description: 'UTF-16 units.' },
            member: { type: ['string', 'null'], description: 'The path that it is compared with.' },
            comparison: { enum: ['equal', 'not_equal', 'min', 'max', 'element', 'like', 'pattern', 'contains', null] },
            parameter: { type: ['string', 'null'], description: 'Name of the parameter that can replace it.' },
          }),
        ),
        description: 'At most 500, in the order of the text.',
      },
      parameters: list({
        ...object(
          {
            name: text,
            type: { enum: parameterTypeNames },
            default: text,
            required: flag,
            allowed: list(text),
            description: text,
            on: flag,
          },
          ['default', 'required', 'allowed'],
        ),
        description: 'The declaration of a parameter, and whether the proposed definition has it.',
      }),
      definition: orNull(
        object({
          fields: { type: 'object', description: 'The definition, as `endpoints.create` takes it.' },
          yaml: { ...text, description: 'Text of its `.yaml` file.' },
          sql: { ...text, description: 'Text of its `.sql` file.' },
        }),
      ),
      problem: { type: ['string', 'null'], description: 'Why no definition of this query compiles.' },
      endpoint: object({ id: text, name: text, version: count }),
    }),
  },
  errors: [
    'endpoint.unknown',
    'auth.caller_query',
    'sandbox.disabled',
    'sandbox.table',
    'sandbox.statement',
    'sandbox.function',
    'query.both',
    'parameter.missing',
    'parameter.invalid',
    'sql.syntax',
    'sql.unknown_name',
    'sql.ambiguous_name',
    'sql.type',
    'sql.unsupported',
    'sql.too_complex',
    'lql.syntax',
    'lql.table_missing',
    'request.duplicate_key',
  ],
};
