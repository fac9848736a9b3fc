import type { DescribedEndpoint } from '../api/describedEndpoints.ts';
import { lqlPath } from '../lql/clauses.ts';
import { hiddenChar, withoutHidden } from '../text/hiddenChars.ts';
import type { Offered } from './completions.ts';
import type { Fields, FunctionDoc } from './useFields.ts';

const signaturesMax = 4;
const valuesMax = 5;
const valueCharsMax = 40;

/** Everything that can be completed in a query over an endpoint. Values of members are redacted by the service. */
export function offeredIn(
  endpoint: DescribedEndpoint,
  fields: readonly Fields[],
  functions: readonly FunctionDoc[],
  language: 'sql' | 'lql',
): readonly Offered[] {
  const tables = endpoint.tables.map((table): Offered => {
    const read = fields.flatMap((each) => each.tables).find(({ name }) => name === table);
    return {
      label: language === 'lql' ? `f:${table}` : table,
      kind: 'table',
      detail: read === undefined ? 'table' : `table, ${read.rows.toLocaleString('en')} rows`,
    };
  });
  const members = fields.flatMap(({ result }) => result.flatMap((field) => memberOf(field, language) ?? []));
  if (language === 'lql') return [...tables, ...unique(members)];
  return [
    ...tables,
    ...unique(members),
    ...endpoint.parameters.map(
      ({ name, description, schema }): Offered => ({
        label: `@${name}`,
        kind: 'parameter',
        detail: typeof schema.type === 'string' ? schema.type : 'parameter',
        ...(description === '' ? {} : { text: description }),
      }),
    ),
    ...functions.map(({ name, kind, signatures, description, example }): Offered => {
      const more = signatures.length - signaturesMax;
      return {
        label: name,
        kind: 'function',
        detail: kind === 'scalar' ? 'function' : kind,
        code: [...signatures.slice(0, signaturesMax), ...(more > 0 ? [`… ${more} more`] : [])],
        text: `${description} Example: ${example}`,
      };
    }),
  ];
}

/** A column or a member. Null for what a path cannot reach, such as the elements of an array. */
function memberOf(field: Fields['result'][number], language: 'sql' | 'lql'): Offered | null {
  const { table, path, types, share, values } = field;
  const own = path.slice(table.length + 1);
  if (own.includes('[]') || hiddenChar.test(own)) return null;
  const steps = own.split('.');
  const label = language === 'lql' ? lqlPath(steps) : own;
  if (label === null) return null;
  const shown = values.slice(0, valuesMax).map(({ value }) => withoutHidden(String(value).slice(0, valueCharsMax)));
  return {
    label,
    kind: steps.length === 1 ? 'column' : 'member',
    detail: `${types.join(' or ').toLowerCase()}, ${shareText(share)}`,
    ...(shown.length === 0 ? {} : { text: `Frequent: ${shown.join(' · ')}` }),
  };
}

/** A share of rows in percent. One that is not 0 never shows as 0. */
function shareText(share: number): string {
  const percent = share * 100;
  return percent > 0 && percent < 1 ? '< 1 %' : `${Math.round(percent)} %`;
}

function unique(offered: readonly Offered[]): readonly Offered[] {
  return [...new Map(offered.map((each) => [each.label, each])).values()];
}
