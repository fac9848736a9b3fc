import type { Column } from '../../../googlesql/resolve/tree.ts';
import type { Block, Join, JoinSide, Union } from './blocks.ts';
import { armChecks, type CheckColumn, checkOfArms, contextOf, failedOf } from './checkColumn.ts';
import { isJoin, outputsRead } from './join.ts';
import { outputOf } from './outputOf.ts';
import { isUnion, outputOfArms } from './union.ts';

/** No column of a table has such a name. */
export const checkName = 'out_check';

/** Rows that OFFSET leaves out may fail a check too, so they come back. */
export const skipsInRest = ({ limit }: Block, { sql }: CheckColumn): boolean =>
  sql !== null && limit !== null && limit.offset > 0n;

/** `checkColumn`: the name of the check among the items, if there is one. */
export function selectText(
  block: Block,
  items: readonly string[],
  check: CheckColumn,
  checkColumn: string = checkName,
): string {
  const { source, group } = block;
  const having = block.having.length === 0 ? '' : block.having.join(' AND ');
  // A group that fails a check decides the answer, whatever else the query asks for.
  const kept = check.sql === null || having === '' ? having : `${checkColumn} != 0 OR (${having})`;
  const order = failedFirst(block, check) ? [`${checkColumn} DESC`, ...block.order] : block.order;
  const select = `SELECT ${items.join(', ')}`;
  const below = [
    ...whereText(block, check.isFailed),
    ...(group === null || group.length === 0 ? [] : [`GROUP BY ${group.join(', ')}`]),
    ...(kept === '' ? [] : [`HAVING ${kept}`]),
    ...(order.length === 0 || block.limit === null ? [] : [`ORDER BY ${order.join(', ')}`]),
    ...limitText(block, check),
  ];
  return [select, `FROM ${fromText(source, check, [select, ...below].join('\n'))}`, ...below].join('\n');
}

/** `above`: the SQL that reads the rows of the source. */
function fromText(source: Block['source'], { isFailed }: CheckColumn, above: string): string {
  if (isUnion(source)) return unionText(source, above);
  return isJoin(source) ? joinText(source, isFailed, above) : source.table.from;
}

/** WHERE with all conditions, none of which leaves out an event that fails a check, because the check must see it. */
function whereText({ source, where }: Block, isFailed: string | null): readonly string[] {
  const ofMembers = isFailed === null ? [] : where.filter(({ readsMembers }) => readsMembers);
  const others = where.filter((each) => !ofMembers.includes(each)).map(({ sql }) => sql);
  const unlessFailed = ofMembers.map(({ sql }) => sql).join(' AND ');
  const filters = ofMembers.length === 0 ? others : [...others, `((${unlessFailed}) OR ${isFailed})`];
  const all = [...ofSource(source, isFailed), ...filters];
  return all.length === 0 ? [] : [`WHERE ${all.join(' AND ')}`];
}

function ofSource(source: Block['source'], isFailed: string | null): readonly string[] {
  // Each arm has its own.
  if (isUnion(source)) return [];
  if (!isJoin(source)) return source.table.conditions;
  return isFailed === null ? [] : [`(${isMatched(source)} OR ${isFailed})`];
}

/** A row of a FULL JOIN without a match has no outputs of the other side. */
function isMatched({ keys }: Join): string {
  const [first] = keys;
  return first === undefined ? '1' : `(isNotNull(${first.left}) AND isNotNull(${first.right}))`;
}

/** `above`: the SQL that reads the joined rows. With checks, events without a match stay, because one may fail. */
function joinText({ left, right, keys }: Join, isFailed: string | null, above: string): string {
  const on = keys.map((key) => `${key.left} = ${key.right}`).join(' AND ');
  const sideText = (side: JoinSide): string => {
    const { block, alias } = side;
    const context = contextOf(block);
    const outputs = outputsRead(side, `${above}\n${on}`).join(', ');
    const select = [`SELECT ${outputs}`, `FROM ${context.table.from}`, ...whereText(block, failedOf(context))];
    return `(${select.join('\n')}) AS ${alias}`;
  };
  return [sideText(left), `${isFailed === null ? 'INNER' : 'FULL'} JOIN ${sideText(right)}`, `ON ${on}`].join('\n');
}

/** `above`: the SQL that reads the rows of all arms. Each returns only what is read there. */
function unionText(union: Union, above: string): string {
  const { arms, cells } = union;
  const names = new Set(above.match(/\bin_[a-z0-9]+\b/g));
  const read = cells.flatMap((cell, at) => (names.has(outputOfArms(at)) && cell.kind !== 'kept' ? [at] : []));
  const { columns: checks } = armChecks(union);
  const texts = arms.map(({ block, columns }, i) => {
    const check = checks[i] ?? { sql: null, isFailed: null };
    const items = read.map((at) => `${armOutput(block, columns[at])} AS ${outputOfArms(at)}`);
    if (names.has(checkOfArms)) items.push(`${check.sql ?? 'toInt64(0)'} AS ${checkOfArms}`);
    if (names.has(eventsOfArms) || items.length === 0)
      items.push(`${eventsOfRow(block) ?? 'toInt64(1)'} AS ${eventsOfArms}`);
    return `(${selectText(block, items, check, checkOfArms)})`;
  });
  return `(\n${texts.join('\nUNION ALL\n')}\n) AS in_u`;
}

function armOutput({ cells }: Block, column: Column | undefined): string {
  const cell = column === undefined ? undefined : cells.get(column);
  if (column === undefined || cell === undefined) throw new Error('an arm of a UNION ALL lacks a column');
  return outputOf(column, cell).sql;
}

/** The column that has the number of events of each row of an arm. No column of a table has such a name. */
const eventsOfArms = 'in_events';

/** The number of events that a row stands for; null if it is one: two in each pair of a join. */
export function eventsOfRow({ source, group }: Block): string | null {
  if (isUnion(source) && source.arms.some(({ block }) => eventsOfRow(block) !== null))
    return group === null ? eventsOfArms : `toInt64(sum(${eventsOfArms}))`;
  if (isJoin(source)) return group === null ? 'toInt64(2)' : 'toInt64(2 * count())';
  return group === null ? null : 'toInt64(count())';
}

/**
 * Whether rows that fail a check come before all others, so that LIMIT keeps them. Events need not if the order and its
 * place in it are those of any event: one after the limit does not belong to the answer, and one before it is checked.
 */
function failedFirst({ group, limit, ordersByMembers }: Block, { sql }: CheckColumn): boolean {
  return sql !== null && limit !== null && (group !== null || ordersByMembers);
}

function limitText(block: Block, check: CheckColumn): readonly string[] {
  const { limit } = block;
  if (limit === null) return [];
  if (skipsInRest(block, check)) return limit.count === null ? [] : [`LIMIT ${limit.count + limit.offset}`];
  const offset = limit.offset === 0n ? '' : ` OFFSET ${limit.offset}`;
  return limit.count === null ? (offset === '' ? [] : [offset.trim()]) : [`LIMIT ${limit.count}${offset}`];
}
