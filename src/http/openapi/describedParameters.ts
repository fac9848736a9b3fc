import type { JsonObject, JsonValue } from '../../core/jsonValue.ts';
import type { ParameterDeclaration } from '../../endpoints/parameterDeclaration.ts';
import { formatNames } from '../../formats/resultFormat.ts';
import { formatOptions } from '../../invoke/formatOptions.ts';
import { isPageParameter } from '../../invoke/pages/pageParameters.ts';
import { allows } from '../../tokens/permission.ts';
import type { TokenRestrictions } from '../../tokens/restrictions.ts';
import type { Scope } from '../../tokens/scope.ts';
import { exampleText, parameterSchema, parameterText, parameterValue } from './parameterSchema.ts';

/** A parameter of a call: in the URL, or a member of the body. */
export interface DescribedParameter {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonObject;
  readonly isRequired: boolean;
  /** A value for sample calls: text for the URL, JSON for a body. */
  readonly example: { readonly text: string; readonly value: JsonValue };
}

/**
 * A declared parameter as a token with these restrictions may send it.
 *
 * @param namesProject whether the value names a project whose events the query reads
 */
export function describedParameter(
  declaration: ParameterDeclaration,
  restrictions: TokenRestrictions | null,
  namesProject: boolean,
): DescribedParameter {
  const { name, required } = declaration;
  const schema = parameterSchema(declaration);
  const description = parameterText(declaration);
  const held = restrictions?.parameters;
  const values = held !== undefined && Object.hasOwn(held, name) ? held[name] : undefined;
  if (values !== undefined) {
    const [first, ...others] = values;
    const isFixed = others.length === 0;
    const note = isFixed ? 'Fixed by your token; you can leave it out.' : 'Your token allows only these values.';
    const allowed = values.map((value) => parameterValue(declaration, value));
    return {
      name,
      description: `${description} ${note}`.trim(),
      schema: { type: schema.type ?? 'string', ...(isFixed ? { const: allowed[0] ?? first } : { enum: allowed }) },
      isRequired: !isFixed,
      example: exampleOf(declaration, first),
    };
  }
  const projects = namesProject ? (restrictions?.projects ?? null) : null;
  if (projects !== null) {
    return {
      name,
      description: `${description} Your token can read only these projects.`.trim(),
      schema: { type: 'string', enum: projects },
      isRequired: required,
      example: exampleOf(declaration, projects[0] ?? exampleText(declaration)),
    };
  }
  return { name, description, schema, isRequired: required, example: exampleOf(declaration, exampleText(declaration)) };
}

function exampleOf(declaration: ParameterDeclaration, value: string): DescribedParameter['example'] {
  return { text: value, value: parameterValue(declaration, value) };
}

const text = (more: JsonObject = {}): JsonObject => ({ type: 'string', ...more });
const noExample = { text: '', value: '' };

/** Whether a token with these restrictions may send caller queries to an endpoint. */
export function takesCallerQueries(sandbox: boolean, restrictions: TokenRestrictions | null): boolean {
  return sandbox && restrictions?.callerQueries !== false;
}

const optionMeanings: Readonly<Record<keyof typeof formatOptions, string>> = {
  csv_guard: "Writes `'` before texts that a spreadsheet could take for a formula.",
  bom: 'Begins the answer with a byte order mark, for spreadsheets that need one to read UTF-8.',
};

function formatOptionParameters(
  declared: readonly string[],
): readonly Omit<DescribedParameter, 'isRequired' | 'example'>[] {
  return (Object.keys(optionMeanings) as (keyof typeof formatOptions)[])
    .filter((name) => !declared.includes(name))
    .map((name) => ({
      name,
      description: `With the formats ${formatOptions[name].join(' and ')}: ${optionMeanings[name]}`,
      // Clients for one endpoint leave it out, because its name is not reserved.
      schema: { type: 'boolean', default: false, 'x-logmill-option': true },
    }));
}

/** Forms for the parameters of an endpoint leave these out, because their names are not reserved. */
const ofPages = { 'x-logmill-page': true } as const;

/** None if the endpoint declares one of them, because it then has no pages. */
function pageParameters(
  declared: readonly string[],
  rowsMax: number | undefined,
): readonly Omit<DescribedParameter, 'isRequired' | 'example'>[] {
  if (declared.some(isPageParameter)) return [];
  return [
    {
      name: 'page_size',
      description:
        'The most rows of a page; `max` for as many as the endpoint allows. The answer then has the cursors of other pages in `meta` and in `Link`.',
      schema: {
        type: ['integer', 'string'],
        minimum: 1,
        ...(rowsMax === undefined ? {} : { maximum: rowsMax }),
        pattern: '^max$',
        ...ofPages,
      },
    },
    {
      name: 'cursor',
      description: 'The page to read: `meta.next` or `meta.prev` of another page.',
      schema: text(ofPages),
    },
  ];
}

/** The service's own parameters that the token may use (contract, section 1), except those that the endpoint declares itself. */
export function serviceParameters(
  scopes: readonly Scope[],
  isSandbox: boolean,
  queryExample?: string,
  declared: readonly string[] = [],
  rowsMax?: number,
  hasStreams = true,
): readonly DescribedParameter[] {
  const parameters: Omit<DescribedParameter, 'isRequired' | 'example'>[] = [
    ...(isSandbox
      ? [
          {
            name: 'sql',
            description:
              'Your own GoogleSQL query over the tables of the endpoint. It replaces the outer SELECT of the stored query.',
            schema: text(queryExample === undefined ? {} : { examples: [queryExample] }),
          },
          { name: 'lql', description: 'Your own query in LQL. You cannot combine it with `sql`.', schema: text() },
        ]
      : []),
    ...(allows(scopes, { kind: 'query:version' })
      ? [
          {
            name: 'version',
            description: 'The version of the endpoint to call. Default: the current version.',
            schema: { type: 'integer', minimum: 1 },
          },
        ]
      : []),
    {
      name: 'format',
      description: 'The format of the rows. It takes precedence over `Accept`.',
      schema: text({ enum: formatNames, default: 'json' }),
    },
    ...formatOptionParameters(declared),
    ...pageParameters(declared, rowsMax),
    ...(hasStreams && !declared.includes('stream')
      ? [
          {
            name: 'stream',
            description:
              '`true`: send the rows while they are computed, also more than an answer can have. The format is then `ndjson` (default), `csv`, `tsv` or `arrow`. Only for endpoints with `stream: true`.',
            schema: { type: 'boolean', default: false, 'x-logmill-option': true },
          },
        ]
      : []),
    ...(allows(scopes, { kind: 'query:explain' })
      ? [
          {
            name: 'dry_run',
            description: '`true`: describe the query, and do not run it.',
            schema: { type: 'boolean', default: false },
          },
        ]
      : []),
  ];
  return parameters.map((parameter) => ({ ...parameter, isRequired: false, example: noExample }));
}
