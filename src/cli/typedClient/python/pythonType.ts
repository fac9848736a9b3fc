import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../core/jsonValue.ts';
import { isFloat64, isNullable } from '../schemaType.ts';

/** The Python type of a parameter. */
export function pythonParameterType(schema: JsonObject): string {
  if (schema.const !== undefined) return literalType([schema.const]);
  if (isJsonArray(schema.enum)) return literalType(schema.enum);
  switch (schema.type) {
    case 'integer':
      return 'int';
    case 'number':
      return 'float';
    case 'boolean':
      return 'bool';
    case 'array':
      return `Sequence[${isJsonObject(schema.items) ? pythonParameterType(schema.items) : 'str'}]`;
    default:
      return schema.format === 'date-time' ? 'Union[str, datetime]' : 'str';
  }
}

/**
 * Writes the types of rows. An object with known members becomes a TypedDict in `declarations`, after those that it
 * refers to.
 */
export class PythonTypes {
  readonly declarations: string[] = [];

  /** The type of a value; `name` is that of its TypedDict, if it needs one. */
  of(schema: JsonValue | undefined, name: string): string {
    if (!isJsonObject(schema)) return 'Any';
    if (isJsonArray(schema.enum)) return literalType(schema.enum);
    // The client converts the text of NaN or of an infinity.
    if (isFloat64(schema)) return isNullable(schema) ? 'Optional[float]' : 'float';
    if (isJsonArray(schema.anyOf)) return union(schema.anyOf.map((form) => this.of(form, name)));
    if (schema.type === undefined) return 'Any';
    const types = isJsonArray(schema.type) ? schema.type : [schema.type];
    return union(types.map((type) => this.#ofType(type, schema, name)));
  }

  #ofType(type: JsonValue, schema: JsonObject, name: string): string {
    switch (type) {
      case 'null':
        return 'None';
      case 'string':
        return 'str';
      case 'boolean':
        return 'bool';
      case 'number':
        return 'float';
      case 'integer':
        return 'int';
      case 'array':
        return `List[${this.of(schema.items, `${name}Element`)}]`;
      case 'object':
        return isJsonObject(schema.properties) ? this.#dictionary(schema.properties, name) : 'Dict[str, Any]';
      default:
        return 'Any';
    }
  }

  /** In the form of a call, because names of members need not be identifiers. */
  #dictionary(properties: JsonObject, name: string): string {
    const members = Object.entries(properties).map(
      ([member, of], n) => `${pythonText(member)}: ${this.of(of, `${name}_${n + 1}`)}`,
    );
    this.declarations.push(`${name} = TypedDict(${pythonText(name)}, {${members.join(', ')}})`);
    return name;
  }
}

function union(types: readonly string[]): string {
  const distinct = [...new Set(types)];
  if (distinct.includes('Any')) return 'Any';
  const present = distinct.filter((type) => type !== 'None');
  if (present.length === 0) return 'None';
  const type = present.length === 1 ? (present[0] ?? 'Any') : `Union[${present.join(', ')}]`;
  return distinct.length === present.length ? type : `Optional[${type}]`;
}

/** Python's Literal has no floating-point numbers. */
function literalType(values: readonly JsonValue[]): string {
  const literals = values.map(pythonLiteral);
  return literals.some((literal) => literal === null) ? 'Any' : `Literal[${literals.join(', ')}]`;
}

function pythonLiteral(value: JsonValue): string | null {
  if (typeof value === 'string') return pythonText(value);
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (value === null) return 'None';
  return typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value)) ? String(value) : null;
}

/** A text as Python source of ASCII characters only. */
export function pythonText(text: string): string {
  return JSON.stringify(text).replace(/[\u007f-\u{10ffff}]/gu, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16);
    return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`;
  });
}
