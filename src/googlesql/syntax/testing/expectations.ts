import { ServiceError } from '../../../core/errors.ts';
import type { Query } from '../nodes.ts';
import { parseQuery } from '../parser.ts';
import { outline } from './outline.ts';

/** The outline of an expression, parsed as the only select item. */
export function outlineOfExpression(text: string): string {
  const { body } = parseQuery(`select ${text}`).query;
  if (body.kind !== 'Select' || body.items.length !== 1) throw new Error(`not one expression: ${text}`);
  const [item] = body.items;
  if (item?.kind !== 'SelectExpression') throw new Error(`not an expression: ${text}`);
  if (item.alias !== undefined) throw new Error(`an alias was read from: ${text}`);
  return outline(item.expression);
}

/** The outline of the tables after FROM. */
export function outlineOfFrom(text: string): string {
  const { body } = parseQuery(`select 1 from ${text}`).query;
  if (body.kind !== 'Select' || body.from === undefined) throw new Error(`no FROM clause: ${text}`);
  return outline(body.from);
}

export function outlineOfQuery(text: string): string {
  return outline(parseQuery(text).query);
}

/** The tree without positions and without members that are undefined, to compare two spellings of a query. */
export const withoutPositions = (query: Query): unknown => placeless(query);

function placeless(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(placeless);
  if (typeof value !== 'object' || value === null) return value;
  if (!isNode(value)) throw new Error(`not of a tree: ${value.constructor.name}`);
  const copy: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    if (name !== 'pos' && name !== 'end' && member !== undefined) copy[name] = placeless(member);
  }
  return copy;
}

/** Whether a value is an object of the parser: its members are all that it holds. */
const isNode = (value: object): boolean => Object.getPrototypeOf(value) === Object.prototype;

/** The error that parsing the text throws; fails if there is none. */
export function refusalOf(text: string, limits: Parameters<typeof parseQuery>[1] = {}): ServiceError {
  try {
    parseQuery(text, limits);
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error(`was accepted: ${text.slice(0, 100)}`);
}
