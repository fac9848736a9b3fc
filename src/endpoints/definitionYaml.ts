import { stringify } from 'yaml';
import { type DefinitionInput, fieldNames, streamBytesDefault, streamRowsDefault } from './definitionFields.ts';

type Fields = Readonly<Record<string, unknown>>;

const defaults: Fields = {
  description: '',
  parameters: {},
  max_rows: 1000,
  cache_seconds: 0,
  stale_if_error_seconds: 0,
  sandbox: false,
  redact_pii: false,
  stream: false,
  stream_max_rows: streamRowsDefault,
  stream_max_bytes: streamBytesDefault,
  strict_parameters: false,
};
const parameterDefaults: Fields = { required: false, on_unknown: 'reject', allow_empty: false, description: '' };

/**
 * Writes a definition file without its query, which belongs in the `.sql` file with the same base name. Leaves out
 * fields with their default value, and members that definition files do not have.
 *
 * @param fields in the form of the API
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
