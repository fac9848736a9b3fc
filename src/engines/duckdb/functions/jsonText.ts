import type { SqlType } from '../../../googlesql/types.ts';
import { quoteText } from '../emit/literal.ts';
import { datetimeText, floatText, intervalIsoText, timeText } from './scalarText.ts';

/**
 * Purpose of the JSON. `text`: TO_JSON_STRING, which writes whole numbers beyond 2^53 as text and FLOAT64 without a
 * needless point. `value`: TO_JSON, whose numbers keep all digits and their kind.
 */
export type JsonPurpose = 'text' | 'value';

/**
 * A value as JSON text, `null` for NULL (GoogleSQL reference, "JSON encodings"). Members of a STRUCT have the names of
 * its type. The value must be an expression that may be written more than once.
 */
export function jsonText(value: string, type: SqlType, purpose: JsonPurpose, depth = 0): string {
  return `coalesce(${presentJsonText(value, type, purpose, depth)}, 'null')`;
}

/** The same, except that NULL stays NULL. */
export function presentJsonText(value: string, type: SqlType, purpose: JsonPurpose, depth = 0): string {
  switch (type.kind) {
    case 'INT64': {
      const digits = `CAST(${value} AS VARCHAR)`;
      if (purpose === 'value') return digits;
      return `CASE WHEN ${value} BETWEEN -9007199254740992 AND 9007199254740992 THEN ${digits} ELSE '"' || ${digits} || '"' END`;
    }
    case 'BOOL':
    case 'JSON':
      return `CAST(${value} AS VARCHAR)`;
    case 'FLOAT64':
      return `CASE WHEN isfinite(${value}) THEN ${numberText(value, purpose)} WHEN isnan(${value}) THEN '"NaN"' WHEN ${value} > 0 THEN '"Infinity"' WHEN ${value} < 0 THEN '"-Infinity"' END`;
    case 'BYTES':
      return `('"' || to_base64(${value}) || '"')`;
    case 'TIMESTAMP':
      return `('"' || replace(${datetimeText(value)}, ' ', 'T') || 'Z"')`;
    case 'DATETIME':
      return `('"' || replace(${datetimeText(value)}, ' ', 'T') || '"')`;
    case 'TIME':
      return `('"' || ${timeText(value)} || '"')`;
    case 'INTERVAL':
      return `('"' || ${intervalIsoText(value)} || '"')`;
    case 'ARRAY': {
      const element = `e${depth}`;
      const items = `list_transform(${value}, lambda ${element}: ${jsonText(element, type.element, purpose, depth + 1)})`;
      return `('[' || coalesce(array_to_string(${items}, ','), CASE WHEN ${value} IS NOT NULL THEN '' END) || ']')`;
    }
    case 'STRUCT': {
      // If a name is repeated, a JSON value holds the first member; the text holds both.
      const members = type.fields.flatMap((field, i) => {
        const isRepeated = type.fields.findIndex(({ name }) => name === field.name) < i;
        if (purpose === 'value' && isRepeated) return [];
        const text = jsonText(`struct_extract(${value}, 'f${i}')`, field.type, purpose, depth);
        return [`${quoteText(`${JSON.stringify(field.name)}:`)} || ${text}`];
      });
      return `CASE WHEN ${value} IS NOT NULL THEN '{' || ${members.length === 0 ? "''" : members.join(" || ',' || ")} || '}' END`;
    }
    default: {
      const quoted = `CAST(to_json(CAST(${value} AS VARCHAR)) AS VARCHAR)`;
      return `replace(replace(${quoted}, chr(8232), '\\u2028'), chr(8233), '\\u2029')`;
    }
  }
}

function numberText(value: string, purpose: JsonPurpose): string {
  const text = floatText(value);
  return purpose === 'text' ? text : `CASE WHEN regexp_matches(${text}, '[.e]') THEN ${text} ELSE ${text} || '.0' END`;
}
