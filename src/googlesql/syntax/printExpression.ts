import { assertNever } from '../../core/assertNever.ts';
import type { Case, Cast, Expression, Extract, FunctionArgument, FunctionCall, Like, Subscript } from './nodes.ts';
import { rank, rankOf } from './printPrecedence.ts';
import { printOrderBy, printQuery } from './printQuery.ts';
import { printBytes, printIdentifier, printPath, printString } from './printText.ts';
import { printType } from './printType.ts';
import { printWindow } from './printWindow.ts';

/** Keywords in upper case, names as written, parentheses only where the tree needs them. */
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
      // A number may stand bare; all else in parentheses unless nothing can follow it, so that the part stays the part.
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
      // Comparisons do not chain; the others are read from left to right.
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

/** In parentheses where the expression holds together less than its place asks for. */
function printAt(expression: Expression, rankMin: number): string {
  const text = printExpression(expression);
  return rankOf(expression) < rankMin ? `(${text})` : text;
}

/** What stands before `.*`. */
export function printQualifier(expression: Expression): string {
  return printAt(expression, rank.postfix);
}

/** What stands before PRECEDING and FOLLOWING. */
export function printOperand(expression: Expression): string {
  return printAt(expression, rank.operand);
}

export function printList(expressions: readonly Expression[]): string {
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
