import { assertNever } from '../../core/assertNever.ts';
import type {
  Case,
  Cast,
  Expression,
  Extract,
  FrameBound,
  FromItem,
  FunctionArgument,
  FunctionCall,
  GroupBy,
  Identifier,
  JoinType,
  Like,
  LikeList,
  LikeSubquery,
  LikeUnnest,
  NamedWindow,
  OrderingItem,
  PipeAggregate,
  PipeAggregateItem,
  PipeJoin,
  PipeOperator,
  Query,
  QueryBody,
  Select,
  SelectItem,
  Subscript,
  Window,
  WindowFrame,
  WithEntry,
  WithOffset,
} from './nodes.ts';
import { rank, rankOf } from './printPrecedence.ts';
import { printSetOperator } from './printSetOperator.ts';
import { printBytes, printIdentifier, printPath, printString } from './printText.ts';
import { printType } from './printType.ts';

export { printType } from './printType.ts';

/**
 * Prints the query on one line, in canonical spelling. Parsing the text gives the same tree, except for positions.
 */
export function printQuery(query: Query): string {
  const parts: string[] = [];
  if (query.withEntries.length > 0) parts.push(printWith(query.withEntries));
  parts.push(printBody(query.body));
  if (query.orderBy.length > 0) parts.push(printOrderBy(query.orderBy));
  if (query.limit !== undefined) parts.push(`LIMIT ${printExpression(query.limit)}`);
  if (query.offset !== undefined) parts.push(`OFFSET ${printExpression(query.offset)}`);
  for (const pipe of query.pipes) parts.push(`|> ${printPipe(pipe)}`);
  return parts.join(' ');
}

function printWith(entries: readonly WithEntry[]): string {
  return `WITH ${entries.map(({ name, query }) => `${printIdentifier(name)} AS (${printQuery(query)})`).join(', ')}`;
}

function printBody(body: QueryBody): string {
  switch (body.kind) {
    case 'Select':
      return printSelect(body);
    case 'SetOperation':
      return body.arms.map(printBody).join(` ${printSetOperator(body)} `);
    case 'ParenthesizedQuery':
      return `(${printQuery(body.query)})`;
    case 'FromQuery':
      return `FROM ${printFrom(body.from)}`;
    default:
      return assertNever(body);
  }
}

function printSelectWords({ isDistinct, as }: Pick<Select, 'isDistinct' | 'as'>): string {
  return `SELECT${isDistinct ? ' DISTINCT' : ''}${as === undefined ? '' : ` AS ${as.toUpperCase()}`}`;
}

function printSelect(select: Select): string {
  const parts = [printSelectWords(select)];
  parts.push(select.items.map(printSelectItem).join(', '));
  if (select.from !== undefined) parts.push(`FROM ${printFrom(select.from)}`);
  if (select.where !== undefined) parts.push(`WHERE ${printExpression(select.where)}`);
  if (select.groupBy !== undefined) parts.push(printGroupBy(select.groupBy));
  if (select.having !== undefined) parts.push(`HAVING ${printExpression(select.having)}`);
  if (select.qualify !== undefined) parts.push(`QUALIFY ${printExpression(select.qualify)}`);
  if (select.windows.length > 0) parts.push(printWindowClause(select.windows));
  return parts.join(' ');
}

function printSelectItem(item: SelectItem): string {
  if (item.kind === 'SelectExpression') return `${printExpression(item.expression)}${printAlias(item.alias)}`;
  const star = item.qualifier === undefined ? '*' : `${printQualifier(item.qualifier)}.*`;
  const except = item.except.length === 0 ? '' : ` EXCEPT (${item.except.map(printIdentifier).join(', ')})`;
  const replacements = item.replace.map(
    ({ expression, alias }) => `${printExpression(expression)}${printAlias(alias)}`,
  );
  return `${star}${except}${replacements.length === 0 ? '' : ` REPLACE (${replacements.join(', ')})`}`;
}

function printGroupBy({ isAll, items }: GroupBy): string {
  if (isAll) return 'GROUP BY ALL';
  if (items.length === 0) return 'GROUP BY ()';
  const groupings = items.map((item) =>
    item.kind === 'Rollup' ? `ROLLUP(${printList(item.expressions)})` : printExpression(item.expression),
  );
  return `GROUP BY ${groupings.join(', ')}`;
}

/** `ORDER BY …`; omits ASC. */
function printOrderBy(items: readonly OrderingItem[]): string {
  const orderings = items.map(
    ({ expression, direction, nulls }) =>
      `${printExpression(expression)}${direction === 'desc' ? ' DESC' : ''}${nulls === undefined ? '' : ` NULLS ${nulls.toUpperCase()}`}`,
  );
  return `ORDER BY ${orderings.join(', ')}`;
}

/** The tables after FROM. */
function printFrom(item: FromItem): string {
  switch (item.kind) {
    case 'TableReference':
      return `${printPath(item.path)}${printAlias(item.alias)}${printWithOffset(item.withOffset)}`;
    case 'TableSubquery':
      return `(${printQuery(item.query)})${printAlias(item.alias)}`;
    case 'TableFunction':
      return `${printPath(item.name)}(${printList(item.args)})${printAlias(item.alias)}`;
    case 'Unnest':
      return `UNNEST(${printExpression(item.expression)})${printAlias(item.alias)}${printWithOffset(item.withOffset)}`;
    case 'Join': {
      const separator = item.type === 'comma' ? ', ' : ` ${printJoinType(item.type)} `;
      return `${printFrom(item.left)}${separator}${printFrom(item.right)}${printJoinCondition(item.on, item.using)}`;
    }
    case 'ParenthesizedJoin':
      return `(${printFrom(item.item)})`;
    default:
      return assertNever(item);
  }
}

/** `LEFT JOIN`. A comma join has no keyword. */
function printJoinType(type: Exclude<JoinType, 'comma'>): string {
  return type === 'inner' ? 'JOIN' : `${type.toUpperCase()} JOIN`;
}

/** ` ON …`, ` USING (…)` or nothing. */
function printJoinCondition(on: Expression | undefined, using: readonly Identifier[]): string {
  if (on !== undefined) return ` ON ${printExpression(on)}`;
  return using.length === 0 ? '' : ` USING (${using.map(printIdentifier).join(', ')})`;
}

/** ` AS name` or nothing. */
function printAlias(alias: Identifier | undefined): string {
  return alias === undefined ? '' : ` AS ${printIdentifier(alias)}`;
}

function printWithOffset(withOffset: WithOffset | undefined): string {
  return withOffset === undefined ? '' : ` WITH OFFSET${printAlias(withOffset.alias)}`;
}

/** One pipe operator without its `|>`. */
function printPipe(pipe: PipeOperator): string {
  switch (pipe.kind) {
    case 'PipeWhere':
      return `WHERE ${printExpression(pipe.condition)}`;
    case 'PipeSelect':
    case 'PipeExtend': {
      const words = pipe.kind === 'PipeExtend' ? 'EXTEND' : printSelectWords(pipe);
      const windows = pipe.windows.length === 0 ? '' : ` ${printWindowClause(pipe.windows)}`;
      return `${words} ${pipe.items.map(printSelectItem).join(', ')}${windows}`;
    }
    case 'PipeWindow':
      return `WINDOW ${pipe.items.map(printSelectItem).join(', ')}`;
    case 'PipeWith':
      return printWith(pipe.withEntries);
    case 'PipeSet':
      return `SET ${pipe.assignments.map(({ column, value }) => `${printIdentifier(column)} = ${printExpression(value)}`).join(', ')}`;
    case 'PipeDrop':
      return `DROP ${pipe.columns.map(printIdentifier).join(', ')}`;
    case 'PipeRename':
      return `RENAME ${pipe.renamings.map(({ column, alias }) => `${printIdentifier(column)} AS ${printIdentifier(alias)}`).join(', ')}`;
    case 'PipeAs':
      return `AS ${printIdentifier(pipe.alias)}`;
    case 'PipeAggregate':
      return printAggregate(pipe);
    case 'PipeDistinct':
      return 'DISTINCT';
    case 'PipeOrderBy':
      return printOrderBy(pipe.items);
    case 'PipeLimit':
      return `LIMIT ${printExpression(pipe.limit)}${pipe.offset === undefined ? '' : ` OFFSET ${printExpression(pipe.offset)}`}`;
    case 'PipeJoin':
      return printJoin(pipe);
    case 'PipeSetOperation':
      return `${printSetOperator(pipe)} ${pipe.arms.map(({ query }) => `(${printQuery(query)})`).join(', ')}`;
    default:
      return assertNever(pipe);
  }
}

function printAggregate({ items, groupBy, isOrdered }: PipeAggregate): string {
  const parts = ['AGGREGATE'];
  if (items.length > 0) parts.push(items.map(printAggregateItem).join(', '));
  if (groupBy.length > 0) {
    parts.push(`GROUP ${isOrdered ? 'AND ORDER BY' : 'BY'} ${groupBy.map(printAggregateItem).join(', ')}`);
  }
  return parts.join(' ');
}

function printAggregateItem({ item, direction, nulls }: PipeAggregateItem): string {
  const order = direction === undefined ? '' : ` ${direction.toUpperCase()}`;
  return `${printSelectItem(item)}${order}${nulls === undefined ? '' : ` NULLS ${nulls.toUpperCase()}`}`;
}

function printJoin({ type, right, on, using }: PipeJoin): string {
  return `${printJoinType(type)} ${printFrom(right)}${printJoinCondition(on, using)}`;
}

/** The window after OVER or `WINDOW name AS`. */
function printWindow(window: Window): string {
  if (window.kind === 'WindowName') return printIdentifier(window.name);
  const parts: string[] = [];
  if (window.base !== undefined) parts.push(printIdentifier(window.base));
  if (window.partitionBy.length > 0) parts.push(`PARTITION BY ${printList(window.partitionBy)}`);
  if (window.orderBy.length > 0) parts.push(printOrderBy(window.orderBy));
  if (window.frame !== undefined) parts.push(printFrame(window.frame));
  return `(${parts.join(' ')})`;
}

/** `WINDOW name AS …, …`. */
function printWindowClause(windows: readonly NamedWindow[]): string {
  return `WINDOW ${windows.map(({ name, window }) => `${printIdentifier(name)} AS ${printWindow(window)}`).join(', ')}`;
}

function printFrame({ unit, lower, upper }: WindowFrame): string {
  const start = printBound(lower);
  return `${unit.toUpperCase()} ${upper === undefined ? start : `BETWEEN ${start} AND ${printBound(upper)}`}`;
}

function printBound({ bound, distance }: FrameBound): string {
  const words = bound.toUpperCase().replace('_', ' ');
  return distance === undefined ? words : `${printOperand(distance)} ${words}`;
}

/** Prints keywords in upper case, names as written, and parentheses only if the tree requires them. */
export function printExpression(x: Expression): string {
  switch (x.kind) {
    case 'IntegerLiteral':
      return x.isHex ? `0x${x.value.toString(16)}` : x.value.toString();
    case 'FloatLiteral':
      return x.text;
    case 'StringLiteral':
      return printString(x.value);
    case 'BytesLiteral':
      return printBytes(x.hex);
    case 'BooleanLiteral':
      return x.value ? 'TRUE' : 'FALSE';
    case 'NullLiteral':
      return 'NULL';
    case 'TypedLiteral':
      return `${x.type} ${printString(x.value.value)}`;
    case 'Interval': {
      const toPart = x.toPart === undefined ? '' : ` TO ${printIdentifier(x.toPart)}`;
      // A number needs no parentheses; other values do unless they are postfix expressions, or the date part could be read as part of them.
      const value = printAt(x.value, x.value.kind === 'IntegerLiteral' ? rank.prefix : rank.postfix);
      return `INTERVAL ${value} ${printIdentifier(x.part)}${toPart}`;
    }
    case 'Parameter':
      return `@${x.name}`;
    case 'Name':
      return printIdentifier(x.name);
    case 'FieldAccess':
      return `${printAt(x.operand, rank.postfix)}.${printIdentifier(x.field)}`;
    case 'Subscript':
      return printSubscript(x);
    case 'Unary':
      if (x.operator === 'not') return `NOT ${printAt(x.operand, rank.not)}`;
      // Two minus signs would start a comment.
      return `${x.operator}${printAt(x.operand, x.operand.kind === 'Unary' ? rank.postfix : rank.prefix)}`;
    case 'Binary': {
      const own = rankOf(x);
      // Comparisons cannot be chained; other operators associate to the left.
      const left = printAt(x.left, own === rank.comparison ? own + 1 : own);
      return `${left} ${x.operator} ${printAt(x.right, own + 1)}`;
    }
    case 'Logical':
      return x.operands
        .map((operand) => printAt(operand, rank[x.operator] + 1))
        .join(x.operator === 'or' ? ' OR ' : ' AND ');
    case 'Is':
      return `${printAt(x.operand, rank.operand)} IS ${not(x)}${x.value.toUpperCase()}`;
    case 'IsDistinctFrom':
      return `${printAt(x.left, rank.operand)} IS ${not(x)}DISTINCT FROM ${printAt(x.right, rank.operand)}`;
    case 'Between':
      return `${printAt(x.operand, rank.operand)} ${not(x)}BETWEEN ${printAt(x.low, rank.operand)} AND ${printAt(x.high, rank.operand)}`;
    case 'Like':
      return printLike(x);
    case 'LikeList':
      return `${printQuantified(x)} (${printList(x.patterns)})`;
    case 'LikeUnnest':
      return `${printQuantified(x)} UNNEST(${printExpression(x.array)})`;
    case 'LikeSubquery':
      return `${printQuantified(x)} (${printQuery(x.query)})`;
    case 'InList':
      return `${printAt(x.operand, rank.operand)} ${not(x)}IN (${printList(x.items)})`;
    case 'InUnnest':
      return `${printAt(x.operand, rank.operand)} ${not(x)}IN UNNEST(${printExpression(x.array)})`;
    case 'InSubquery':
      return `${printAt(x.operand, rank.operand)} ${not(x)}IN (${printQuery(x.query)})`;
    case 'Case':
      return printCase(x);
    case 'Cast':
      return printCast(x);
    case 'Extract':
      return printExtract(x);
    case 'FunctionCall':
      return printCall(x);
    case 'ArrayConstructor':
      return `${x.elementType === undefined ? '' : `ARRAY<${printType(x.elementType)}>`}[${printList(x.elements)}]`;
    case 'ArraySubquery':
      return `ARRAY(${printQuery(x.query)})`;
    case 'StructConstructor': {
      const fields = x.fields.map(
        ({ expression, alias }) =>
          `${printExpression(expression)}${alias === undefined ? '' : ` AS ${printIdentifier(alias)}`}`,
      );
      return `${x.type === undefined ? 'STRUCT' : printType(x.type)}(${fields.join(', ')})`;
    }
    case 'Tuple':
      return `(${printList(x.elements)})`;
    case 'Exists':
      return `EXISTS(${printQuery(x.query)})`;
    case 'ScalarSubquery':
      return `(${printQuery(x.query)})`;
    default:
      return assertNever(x);
  }
}

/** Prints the expression, in parentheses if its rank is below `rankMin`. */
function printAt(expression: Expression, rankMin: number): string {
  const text = printExpression(expression);
  return rankOf(expression) < rankMin ? `(${text})` : text;
}

/** The qualifier before `.*`. */
function printQualifier(expression: Expression): string {
  return printAt(expression, rank.postfix);
}

/** The offset before PRECEDING or FOLLOWING. */
function printOperand(expression: Expression): string {
  return printAt(expression, rank.operand);
}

function printList(expressions: readonly Expression[]): string {
  return expressions.map(printExpression).join(', ');
}

const not = (x: { readonly isNegated: boolean }) => (x.isNegated ? 'NOT ' : '');

function printSubscript({ operand, accessor, index }: Subscript): string {
  const inner = printExpression(index);
  return `${printAt(operand, rank.postfix)}[${accessor === 'plain' ? inner : `${accessor.toUpperCase()}(${inner})`}]`;
}

function printLike(x: Like): string {
  const word = x.isCaseInsensitive ? 'ILIKE' : 'LIKE';
  const tail = x.escape === undefined ? '' : ` ESCAPE ${printAt(x.escape, rank.operand)}`;
  return `${printAt(x.operand, rank.operand)} ${not(x)}${word} ${printAt(x.pattern, rank.operand)}${tail}`;
}

function printQuantified(x: LikeList | LikeUnnest | LikeSubquery): string {
  const word = x.isCaseInsensitive ? 'ILIKE' : 'LIKE';
  return `${printAt(x.operand, rank.operand)} ${not(x)}${word} ${x.quantifier.toUpperCase()}`;
}

function printCase(x: Case): string {
  const operand = x.operand === undefined ? '' : ` ${printExpression(x.operand)}`;
  const branches = x.branches.map(({ when, then }) => ` WHEN ${printExpression(when)} THEN ${printExpression(then)}`);
  const otherwise = x.otherwise === undefined ? '' : ` ELSE ${printExpression(x.otherwise)}`;
  return `CASE${operand}${branches.join('')}${otherwise} END`;
}

function printCast(x: Cast): string {
  if (x.isDoubleColon) return `${printAt(x.operand, rank.postfix)}::${printType(x.type)}`;
  const format = x.format === undefined ? '' : ` FORMAT ${printExpression(x.format)}`;
  const inner = `${printExpression(x.operand)} AS ${printType(x.type)}${format}${printTimeZone(x.timeZone)}`;
  return `${x.isSafe ? 'SAFE_CAST' : 'CAST'}(${inner})`;
}

function printExtract({ part, operand, timeZone }: Extract): string {
  const argument = part.argument === undefined ? '' : `(${printIdentifier(part.argument)})`;
  return `EXTRACT(${printIdentifier(part.name)}${argument} FROM ${printExpression(operand)}${printTimeZone(timeZone)})`;
}

function printTimeZone(timeZone: Expression | undefined): string {
  return timeZone === undefined ? '' : ` AT TIME ZONE ${printExpression(timeZone)}`;
}

function printCall(x: FunctionCall): string {
  const parts = [`${x.isDistinct ? 'DISTINCT ' : ''}${x.args.map(printArgument).join(', ')}`];
  if (x.nulls !== undefined) parts.push(`${x.nulls.toUpperCase()} NULLS`);
  if (x.having !== undefined)
    parts.push(`HAVING ${x.having.extreme.toUpperCase()} ${printExpression(x.having.expression)}`);
  if (x.orderBy.length > 0) parts.push(printOrderBy(x.orderBy));
  if (x.limit !== undefined) parts.push(`LIMIT ${printExpression(x.limit)}`);
  const over = x.over === undefined ? '' : ` OVER ${printWindow(x.over)}`;
  return `${x.isSafe ? 'SAFE.' : ''}${printPath(x.name)}(${parts.join(' ')})${over}`;
}

function printArgument(argument: FunctionArgument): string {
  if (argument.kind === 'StarArgument') return '*';
  if (argument.kind === 'NamedArgument')
    return `${printIdentifier(argument.name)} => ${printExpression(argument.value)}`;
  return printExpression(argument);
}
