import type { SqlType } from '../../../googlesql/types.ts';
import { quoteText } from '../emit/literal.ts';
import { datetimeText, floatText, timeText } from './scalarText.ts';

/**
 * A value as JSON text, `null` for NULL (GoogleSQL reference, "JSON encodings"). Members of a STRUCT
 * carry the names of its type. Whole numbers keep all digits at any size (googlesql.md, section 2).
 */
export function jsonText(value: string, type: SqlType, depth = 0): string {
  return `coalesce(${presentText(value, type, depth)}, 'null')`;
}

function presentText(value: string, type: SqlType, depth: number): string {
  switch (type.kind) {
    case 'INT64':
    case 'BOOL':
      return `CAST(${value} AS VARCHAR)`;
    case 'JSON':
      return `CAST(${value} AS VARCHAR)`;
    case 'FLOAT64':
      return `CASE WHEN isfinite(${value}) THEN ${floatText(value)} WHEN isnan(${value}) THEN '"NaN"' WHEN ${value} > 0 THEN '"Infinity"' WHEN ${value} < 0 THEN '"-Infinity"' END`;
    case 'BYTES':
      return `('"' || to_base64(${value}) || '"')`;
    case 'TIMESTAMP':
      return `('"' || replace(${datetimeText(value)}, ' ', 'T') || 'Z"')`;
    case 'DATETIME':
      return `('"' || replace(${datetimeText(value)}, ' ', 'T') || '"')`;
    case 'TIME':
      return `('"' || ${timeText(value)} || '"')`;
    case 'ARRAY': {
      const element = `e${depth}`;
      const items = `list_transform(${value}, lambda ${element}: ${jsonText(element, type.element, depth + 1)})`;
      return `('[' || coalesce(array_to_string(${items}, ','), CASE WHEN ${value} IS NOT NULL THEN '' END) || ']')`;
    }
    case 'STRUCT': {
      const members = type.fields.map((field, i) => {
        const text = jsonText(`struct_extract(${value}, 'f${i}')`, field.type, depth);
        return `${quoteText(`${JSON.stringify(field.name)}:`)} || ${text}`;
      });
      return `CASE WHEN ${value} IS NOT NULL THEN '{' || ${members.length === 0 ? "''" : members.join(" || ',' || ")} || '}' END`;
    }
    default:
      return `CAST(to_json(CAST(${value} AS VARCHAR)) AS VARCHAR)`;
  }
}
