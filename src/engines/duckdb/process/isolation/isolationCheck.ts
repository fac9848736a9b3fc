/** A value of the JSON in which the engine writes a parsed statement. */
type Json = string | number | boolean | null | readonly Json[] | { readonly [member: string]: Json };
type JsonNode = { readonly [member: string]: Json };

/**
 * Longest statement that is checked. Its parsed form has about twenty times as many characters (measured: 1.5 million
 * characters took 3 s and half a gigabyte). Emitted statements over a hundred files have a tenth of this length.
 */
export const heldStatementCharsMax = 400_000;

/** Statements of this length or more are checked one at a time, so that they cannot fill the memory together. */
export const longStatementChars = 50_000;

/**
 * The isolation check, the second enforcement of project isolation (contract, section 4). Looks in a final statement
 * for a read of events that is not restricted to `projects`, and describes the first one found; null if there is none.
 *
 * It shares nothing with the code that plans and writes statements. `serialised` is the engine's own parse of the very
 * text that will run (`json_serialize_sql`), and the projects come with the frame, not with the plan. A table may
 * appear in one form only: as the whole FROM of a SELECT whose WHERE requires `project = '…'` or `project IN ('…', …)`,
 * with listed projects, as one of its ANDed conditions. Anything unknown in the tree is a breach. A statement that is
 * too deep for the parser could not run either; it is the query's error.
 *
 * `held` names attached databases whose rows another check has restricted to the projects before they came here.
 *
 * @throws Error like the engine's if expressions are nested too deeply
 */
export function isolationBreach(
  serialised: string,
  projects: readonly string[],
  held: readonly string[] = [],
): string | null {
  const root = JSON.parse(serialised) as JsonNode;
  const message = typeof root.error_message === 'string' ? root.error_message : '';
  if (tooDeep.test(message)) throw new Error(`Parser Error: ${message}`);
  if (root.error !== false) return 'the engine cannot show how it reads the statement';
  if (!Array.isArray(root.statements) || root.statements.length !== 1) return 'it is not one statement';
  const nodes = [...everyNode(root)];
  const commonTables = new Set(nodes.flatMap(commonTablesOf));
  const sound = new Set<Json | undefined>();
  for (const node of nodes) {
    if (node.type !== 'SELECT_NODE' || !isEventTable(node.from_table)) continue;
    if (isHeld(node, projects)) sound.add(node.from_table);
  }
  for (const node of nodes) {
    // Expressions have a class. Their children are checked as separate nodes.
    if (typeof node.type !== 'string' || typeof node.class === 'string') continue;
    if (!knownTypes.has(node.type) && !node.type.endsWith('_TYPE_INFO')) return `it holds ${node.type}`;
    if (node.type !== 'BASE_TABLE' || sound.has(node)) continue;
    if (isEventTable(node) && held.includes(databaseOf(node))) continue;
    if (isEventTable(node)) return `it reads ${nameOf(node)} without the condition on its projects`;
    if (!commonTables.has(node.table_name)) return `it reads the unknown table ${nameOf(node)}`;
  }
  return null;
}

const tooDeep = /^Max expression depth/;

/** Query nodes, FROM sources and modifiers that emitted statements use. */
const knownTypes: ReadonlySet<string> = new Set([
  'SELECT_NODE',
  'SET_OPERATION_NODE',
  'BASE_TABLE',
  'SUBQUERY',
  'JOIN',
  'EMPTY',
  'ORDER_MODIFIER',
  'LIMIT_MODIFIER',
  'DISTINCT_MODIFIER',
  'ORDER_DEFAULT',
  'ASCENDING',
  'DESCENDING',
]);

/** Yields every object of the tree. Uses its own stack, because a statement may be nested deeper than calls can be. */
function* everyNode(root: Json): Iterable<JsonNode> {
  const open: Json[] = [root];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (typeof at !== 'object' || at === null) continue;
    if (isNode(at)) yield at;
    for (const below of Object.values(at)) open.push(below);
  }
}

function isNode(value: Json | undefined): value is JsonNode {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The names that the WITH of a query node defines. */
function commonTablesOf({ cte_map: tables }: JsonNode): readonly (Json | undefined)[] {
  if (!isNode(tables) || !Array.isArray(tables.map)) return [];
  return tables.map.map((entry: Json) => (isNode(entry) ? entry.key : undefined));
}

/** Event tables are in attached databases, so only a qualified name reaches one. */
function isEventTable(table: Json | undefined): boolean {
  if (!isNode(table) || table.type !== 'BASE_TABLE') return false;
  return table.catalog_name !== '' || table.schema_name !== '';
}

/** A name of two parts has that of the database where a schema could be. */
function databaseOf({ catalog_name: catalog, schema_name: schema }: JsonNode): string {
  return catalog === '' && typeof schema === 'string' ? schema : '';
}

function isHeld(select: JsonNode, projects: readonly string[]): boolean {
  const table = select.from_table;
  // Renamed columns could give another column the name of the project.
  if (!isNode(table) || !isEmptyList(table.column_name_alias)) return false;
  if (!Array.isArray(select.select_list) || select.select_list.some(takesTheName)) return false;
  return conjunctsOf(select.where_clause).some((condition) => namesProjects(condition, projects));
}

function isEmptyList(value: Json | undefined): boolean {
  return Array.isArray(value) && value.length === 0;
}

function takesTheName(item: Json): boolean {
  return isNode(item) && item.alias === 'project' && !isProjectColumn(item);
}

function conjunctsOf(condition: Json | undefined): readonly JsonNode[] {
  if (!isNode(condition)) return [];
  if (condition.type !== 'CONJUNCTION_AND') return [condition];
  return Array.isArray(condition.children) ? condition.children.flatMap(conjunctsOf) : [];
}

function namesProjects(condition: JsonNode, projects: readonly string[]): boolean {
  const { type, left, right, children } = condition;
  if (type === 'COMPARE_EQUAL') return isProjectColumn(left) && isOneOf(right, projects);
  if (type !== 'COMPARE_IN' || !Array.isArray(children)) return false;
  const [column, ...candidates] = children as readonly Json[];
  return isProjectColumn(column) && candidates.length > 0 && candidates.every((each) => isOneOf(each, projects));
}

function isProjectColumn(expr: Json | undefined): boolean {
  if (!isNode(expr) || expr.class !== 'COLUMN_REF' || !Array.isArray(expr.column_names)) return false;
  return expr.column_names.length === 1 && expr.column_names[0] === 'project';
}

function isOneOf(expr: Json | undefined, projects: readonly string[]): boolean {
  if (!isNode(expr) || expr.class !== 'CONSTANT' || !isNode(expr.value)) return false;
  const { type, is_null: isNull, value } = expr.value;
  return isNode(type) && type.id === 'VARCHAR' && isNull === false && projects.includes(value as string);
}

function nameOf({ table_name: name }: JsonNode): string {
  return typeof name === 'string' ? name : 'a table without a name';
}
