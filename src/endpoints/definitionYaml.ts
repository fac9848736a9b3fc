import { stringify } from 'yaml';
import { type DefinitionInput, fieldNames } from './definitionFields.ts';

type Fields = Readonly<Record<string, unknown>>;

const defaults: Fields = {
  description: '',
  parameters: {},
  max_rows: 1000,
  cache_seconds: 0,
  stale_if_error_seconds: 0,
  sandbox: false,
  redact_pii: false,
  strict_parameters: false,
};
const parameterDefaults: Fields = { required: false, on_unknown: 'reject', allow_empty: false, description: '' };

/**
 * The text of a definition file, without its query, which belongs into the `.sql` file of the same
 * base name. Members that no definition file has, and those at their default, are left out.
 *
 * @param fields as the API gives them
 */
export function definitionYaml(fields: Fields & { readonly primary?: boolean }): string {
  const { query: _query, ...known } = pick(fields, ['id', 'name', 'primary', ...fieldNames.definition]);
  const parameters = (known.parameters ?? {}) as NonNullable<DefinitionInput['parameters']>;
  const shown = withoutDefaults(
    {
      ...known,
      parameters: Object.fromEntries(
        Object.entries(parameters).map(([name, parameter]) => [name, withoutDefaults(parameter, parameterDefaults)]),
      ),
    },
    defaults,
  );
  return stringify(shown, { lineWidth: 0 });
}

function pick(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(
    [...new Set(names)].filter((name) => fields[name] !== undefined).map((name) => [name, fields[name]]),
  );
}

function withoutDefaults(fields: Fields, known: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(known[name])),
  );
}
