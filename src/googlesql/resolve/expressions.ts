import { assertNever } from '../../core/assertNever.ts';
import { nearestName } from '../../core/nearestName.ts';
import type { FunctionName } from '../functions/catalogue.ts';
import type { Expression, FieldAccess, Name, Position, Subscript } from '../syntax/nodes.ts';
import { BOOL, FLOAT64, INT64, type SqlType, STRING, structOf, typeName } from '../types.ts';
import { asArray } from './asArray.ts';
import { resolveFunctionCall, resolveOneQuantile } from './calls.ts';
import { call, negate } from './catalogueCall.ts';
import { coerce, coercionCost, commonType, isTimeType } from './coercion.ts';
import { resolveComparison, resolveIn } from './comparisons.ts';
import { constantText } from './constantText.ts';
import type { ExpressionContext } from './context.ts';
import { noteCutArguments, noteCutNanoseconds } from './cutNanoseconds.ts';
import { resolveInSubquery } from './inSubquery.ts';
import { resolveQuantifiedLike } from './likeQuantified.ts';
import { integerLiteral, literal, resolveType, typedLiteral } from './literals.ts';
import { columnOf, fieldOf, findName, namedMember, resolveName, rowOf } from './names.ts';
import { noteQuotedName } from './noteQuotedName.ts';
import { onlyColumn } from './onlyColumn.ts';
import { elementTypeOf, type ParameterType, type ScalarType } from './parameterValue.ts';
import { withinSize, withinTypeSize } from './resolvedSize.ts';
import { sqlError } from './sqlError.ts';
import { withinSubqueryDepth } from './subqueryDepth.ts';
import type { CallArgument, Expr } from './tree.ts';

/** Resolves an expression: every name to its meaning, every operation to a function, every value to a type. */
export function resolveExpr(node: Expression, context: ExpressionContext): Expr {
  const expr = withinTypeSize(withinSize(resolveNode(node, context), node.pos), node.pos);
  // Each mention of a STRUCT may be written out with all of its fields.
  context.session.addType(expr.type, 0);
  return withinSubqueryDepth(expr, node.pos, context.session.limits);
}

function resolveNode(node: Expression, context: ExpressionContext): Expr {
  switch (node.kind) {
    case 'IntegerLiteral':
      return integerLiteral(node, false);
    case 'FloatLiteral':
      return literal(FLOAT64, node.value);
    case 'StringLiteral':
      noteQuotedName(node, context);
      return literal(STRING, node.value);
    case 'BytesLiteral':
      return literal({ kind: 'BYTES' }, new Uint8Array(Buffer.from(node.hex, 'hex')));
    case 'BooleanLiteral':
      return literal(BOOL, node.value);
    case 'NullLiteral':
      return literal({ kind: 'NULL' }, null);
    case 'TypedLiteral':
      if (node.type !== 'JSON') noteCutNanoseconds(node.value.value, node.pos, context.session);
      return typedLiteral(node);
    case 'Interval': {
      if (node.toPart !== undefined) {
        throw sqlError('sql.unsupported', 'INTERVAL … TO … is not available; add single intervals', node.pos);
      }
      const value = resolveExpr(node.value, context);
      return call('$interval', [numericText(value), { kind: 'part', part: node.part.name.toLowerCase() }], node.pos);
    }
    case 'Parameter':
      return resolveParameter(node.name, node.pos, context);
    case 'Name':
      return resolveBareName(node, context);
    case 'FieldAccess':
      return resolveFieldAccess(node, context);
    case 'Subscript':
      return resolveSubscript(node, context);
    case 'Unary':
      if (node.operator === 'not') return call('$not', [condition(node.operand, context)], node.pos);
      if (node.operator === '+') return resolveExpr(node.operand, context);
      if (node.operator === '~') return call('$bitnot', [resolveExpr(node.operand, context)], node.pos);
      if (node.operand.kind === 'IntegerLiteral') return integerLiteral(node.operand, true);
      if (node.operand.kind === 'FloatLiteral') return literal(FLOAT64, -node.operand.value);
      return call('$neg', [resolveExpr(node.operand, context)], node.pos);
    case 'Binary': {
      const left = resolveExpr(node.left, context);
      const right = resolveExpr(node.right, context);
      const comparison = comparisonFunctions[node.operator];
      if (comparison !== undefined) return resolveComparison(comparison, left, right, node.pos, context.session);
      return call(binaryFunctions[node.operator] ?? '$add', [left, right], node.pos);
    }
    case 'Logical': {
      const operands = node.operands.map((operand) => condition(operand, context));
      return call(node.operator === 'and' ? '$and' : '$or', operands, node.pos);
    }
    case 'Is': {
      if (node.value === 'null' || node.value === 'unknown') {
        return negate(node.isNegated, call('$is_null', [resolveExpr(node.operand, context)], node.pos), node.pos);
      }
      const operand = condition(node.operand, context);
      return negate(
        node.isNegated,
        call(node.value === 'true' ? '$is_true' : '$is_false', [operand], node.pos),
        node.pos,
      );
    }
    case 'IsDistinctFrom': {
      const left = resolveExpr(node.left, context);
      const right = resolveExpr(node.right, context);
      return negate(
        node.isNegated,
        resolveComparison('$is_distinct', left, right, node.pos, context.session),
        node.pos,
      );
    }
    case 'Between': {
      const operand = resolveExpr(node.operand, context);
      const low = resolveComparison('$ge', operand, resolveExpr(node.low, context), node.pos, context.session);
      const high = resolveComparison('$le', operand, resolveExpr(node.high, context), node.pos, context.session);
      return negate(node.isNegated, call('$and', [low, high], node.pos), node.pos);
    }
    case 'Like': {
      const args = [resolveExpr(node.operand, context), resolveExpr(node.pattern, context)];
      if (node.escape !== undefined) args.push(resolveExpr(node.escape, context));
      return negate(node.isNegated, call(node.isCaseInsensitive ? '$ilike' : '$like', args, node.pos), node.pos);
    }
    case 'LikeList':
    case 'LikeUnnest':
    case 'LikeSubquery':
      return resolveQuantifiedLike(node, context);
    case 'InList': {
      const operand = resolveExpr(node.operand, context);
      const items = node.items.map((item) => resolveExpr(item, context));
      return negate(node.isNegated, resolveIn(operand, items, node.pos, context.session), node.pos);
    }
    case 'InUnnest': {
      const operand = resolveExpr(node.operand, context);
      const value = resolveExpr(node.array, context);
      const sought = operand.type.kind === 'JSON' ? soughtMember(operand, value.type, node.pos) : operand;
      const array = asArray(value, sought.type, node.pos);
      return negate(node.isNegated, call('$in_array', [sought, array], node.pos), node.pos);
    }
    case 'InSubquery': {
      const operand = resolveExpr(node.operand, context);
      const inside = resolveInSubquery(operand, onlyColumn(node.query, context), node.pos, context.session);
      return negate(node.isNegated, inside, node.pos);
    }
    case 'Case':
      return resolveCase(node, context);
    case 'Cast': {
      if (node.format !== undefined) {
        throw sqlError(
          'sql.unsupported',
          'CAST … FORMAT is not available; use FORMAT_TIMESTAMP or PARSE_TIMESTAMP',
          node.pos,
        );
      }
      const value = resolveExpr(node.operand, context);
      const type = resolveType(node.type, node.isDoubleColon);
      if (isTimeType(type)) noteCutArguments([value], node.pos, context.session);
      return castTo(value, type, node.isSafe, node.pos, labelOf(node.operand));
    }
    case 'Extract': {
      const part =
        node.part.argument === undefined ? node.part.name.name : `${node.part.name.name}(${node.part.argument.name})`;
      const args: CallArgument[] = [{ kind: 'part', part: part.toLowerCase() }, resolveExpr(node.operand, context)];
      if (node.timeZone !== undefined) args.push(resolveExpr(node.timeZone, context));
      return call('$extract', args, node.pos);
    }
    case 'FunctionCall':
      return resolveFunctionCall(node, context);
    case 'ArrayConstructor':
      return resolveArray(node, context);
    case 'ArraySubquery': {
      const { relation, column } = onlyColumn(node.query, context);
      return {
        kind: 'subquery',
        mode: 'array',
        type: { kind: 'ARRAY', element: column.type },
        query: relation,
        column,
        pos: node.pos,
      };
    }
    case 'StructConstructor': {
      if (node.fields.length === 0) {
        throw sqlError('sql.unsupported', 'A STRUCT must have at least one field', node.pos);
      }
      const values = node.fields.map((field) => resolveExpr(field.expression, context));
      const names = node.fields.map((field) => field.alias?.name ?? impliedName(field.expression));
      const type = structOf(values.map((value, i) => ({ name: names[i] ?? '', type: value.type })));
      const made: Expr = { kind: 'struct', type, values };
      if (node.type === undefined) return made;
      const wanted = resolveType(node.type, false);
      if (coercionCost(made, wanted) === null) {
        throw sqlError('sql.type', `The fields do not match the type ${typeName(wanted)}`, node.pos);
      }
      // A struct whose field names alone differ needs no coercion, but takes the declared names.
      return { ...coerce(made, wanted, node.pos), type: wanted };
    }
    case 'Tuple': {
      const values = node.elements.map((element) => resolveExpr(element, context));
      return { kind: 'struct', type: structOf(values.map((value) => ({ name: '', type: value.type }))), values };
    }
    case 'Exists': {
      const { relation } = context.resolveQuery(node.query, context.environment, context.scope);
      return { kind: 'subquery', mode: 'exists', type: BOOL, query: relation, column: null, pos: node.pos };
    }
    case 'ScalarSubquery': {
      const { relation, column } = onlyColumn(node.query, context);
      return { kind: 'subquery', mode: 'scalar', type: column.type, query: relation, column, pos: node.pos };
    }
    default:
      return assertNever(node);
  }
}

const comparisonFunctions: Readonly<Record<string, '$eq' | '$ne' | '$lt' | '$le' | '$gt' | '$ge'>> = {
  '=': '$eq',
  '!=': '$ne',
  '<': '$lt',
  '<=': '$le',
  '>': '$gt',
  '>=': '$ge',
};

const binaryFunctions: Readonly<Record<string, FunctionName>> = {
  '+': '$add',
  '-': '$sub',
  '*': '$mul',
  '/': '$div',
  '||': '$concat_op',
  '&': '$bitand',
  '|': '$bitor',
  '^': '$bitxor',
  '<<': '$shl',
  '>>': '$shr',
};

/** Resolves an expression that must be BOOL; JSON is read as BOOL. */
export function condition(node: Expression, context: ExpressionContext): Expr {
  const expr = resolveExpr(node, context);
  if (coercionCost(expr, BOOL) === null) {
    throw sqlError('sql.type', `${context.clause} requires a BOOL here, but this is ${typeName(expr.type)}`, node.pos, {
      expected: 'BOOL',
    });
  }
  return coerce(expr, BOOL, node.pos);
}

/** Accepts INTERVAL '5' MINUTE, which some clients write. */
function numericText(value: Expr): Expr {
  if (value.kind === 'literal' && typeof value.value === 'string' && /^[+-]?\d{1,18}$/.test(value.value)) {
    return literal(INT64, BigInt(value.value));
  }
  return value;
}

/** A member of an event is read as what the array has; as text if the array is a member too. */
function soughtMember(operand: Expr, array: SqlType, pos: Position): Expr {
  if (array.kind === 'JSON') return coerce(operand, STRING, pos);
  const isReadAs =
    array.kind === 'ARRAY' && array.element.kind !== 'JSON' && coercionCost(operand, array.element) !== null;
  return isReadAs ? coerce(operand, array.element, pos) : operand;
}

const scalarTypes: Record<ScalarType, SqlType> = {
  string: STRING,
  enum: STRING,
  regex: STRING,
  int64: INT64,
  float64: FLOAT64,
  bool: BOOL,
  timestamp: { kind: 'TIMESTAMP' },
  date: { kind: 'DATE' },
};

/** The type that a declared parameter has in a query. */
function parameterSqlType(type: ParameterType): SqlType {
  const element = elementTypeOf(type);
  return element === null ? scalarTypes[type as ScalarType] : { kind: 'ARRAY', element: scalarTypes[element] };
}

function resolveParameter(name: string, pos: Position, context: ExpressionContext): Expr {
  const { session } = context;
  const declared = [...session.parameters.keys()].find((each) => each.toLowerCase() === name.toLowerCase());
  const type = declared === undefined ? undefined : session.parameters.get(declared);
  if (declared === undefined || type === undefined) {
    const allowed = [...session.parameters.keys()].map((each) => `@${each}`);
    const nearest = nearestName(`@${name}`, allowed);
    throw sqlError('sql.unknown_name', `The endpoint declares no parameter @${name}`, pos, {
      token: `@${name}`,
      allowed,
      ...(nearest !== undefined && { nearest }),
    });
  }
  session.usedParameters.add(declared);
  return { kind: 'parameter', type: parameterSqlType(type), name: declared };
}

/** Functions that GoogleSQL allows without parentheses. */
const bareFunctions: ReadonlySet<string> = new Set([
  'current_timestamp',
  'current_date',
  'current_datetime',
  'current_time',
]);

function resolveBareName(node: Name, context: ExpressionContext): Expr {
  if (
    !node.name.quoted &&
    bareFunctions.has(node.name.name.toLowerCase()) &&
    findName(node.name, context.scope) === null
  ) {
    return resolveFunctionCall(
      {
        kind: 'FunctionCall',
        pos: node.pos,
        end: node.end,
        name: [node.name],
        isSafe: false,
        isDistinct: false,
        args: [],
        nulls: undefined,
        having: undefined,
        orderBy: [],
        limit: undefined,
        over: undefined,
      },
      context,
    );
  }
  const meaning = resolveName(node.name, context.scope);
  return meaning.kind === 'table' ? rowOf(meaning.variable) : meaning.expr;
}

function resolveFieldAccess(node: FieldAccess, context: ExpressionContext): Expr {
  if (node.operand.kind === 'Name') {
    const meaning = resolveName(node.operand.name, context.scope);
    if (meaning.kind === 'table') return columnOf(meaning.variable, node.field);
    return fieldOf(meaning.expr, node.field, context.session);
  }
  return fieldOf(resolveExpr(node.operand, context), node.field, context.session);
}

const subscriptFunctions = {
  plain: '$array_at',
  offset: '$array_at',
  ordinal: '$ordinal_at',
  safe_offset: '$safe_array_at',
  safe_ordinal: '$safe_ordinal_at',
} as const;

function resolveSubscript(node: Subscript, context: ExpressionContext): Expr {
  const isFromZero = node.accessor !== 'ordinal' && node.accessor !== 'safe_ordinal';
  if (node.operand.kind === 'FunctionCall' && node.index.kind === 'IntegerLiteral' && isFromZero) {
    const quantile = resolveOneQuantile(node.operand, node.index.value, context);
    if (quantile !== null) return quantile;
  }
  const array = resolveExpr(node.operand, context);
  const index = resolveExpr(node.index, context);
  if (array.type.kind === 'STRUCT' || array.type.kind === 'STRING') {
    throw sqlError('sql.type', `${typeName(array.type)} has no elements, so [ ] cannot be used`, node.pos);
  }
  if (array.type.kind === 'JSON' && index.type.kind === 'STRING') {
    const name = constantText(index);
    if (name === null) return { kind: 'literal', type: array.type, value: null };
    if (name !== undefined) return namedMember(array, name, node.index.pos);
    const sentence = 'The member name in [ ] must be constant, because redaction relies on member names';
    throw sqlError('sql.unsupported', sentence, node.index.pos);
  }
  return call(subscriptFunctions[node.accessor], [array, index], node.pos);
}

function resolveCase(node: Extract<Expression, { kind: 'Case' }>, context: ExpressionContext): Expr {
  const operand = node.operand === undefined ? undefined : resolveExpr(node.operand, context);
  const branches = node.branches.map((branch) => ({
    when:
      operand === undefined
        ? condition(branch.when, context)
        : resolveComparison('$eq', operand, resolveExpr(branch.when, context), branch.when.pos, context.session),
    value: resolveExpr(branch.then, context),
  }));
  const otherwise = node.otherwise === undefined ? null : resolveExpr(node.otherwise, context);
  const values = [...branches.map((branch) => branch.value), ...(otherwise === null ? [] : [otherwise])];
  const type = commonType(values);
  if (type === null) {
    const types = [...new Set(values.map((value) => typeName(value.type)))].join(', ');
    throw sqlError('sql.type', `The results of CASE have no common type: ${types}`, node.pos);
  }
  return {
    kind: 'case',
    type,
    branches: branches.map((branch) => ({ when: branch.when, value: coerce(branch.value, type, node.pos) })),
    otherwise: otherwise === null ? null : coerce(otherwise, type, node.pos),
  };
}

function castTo(value: Expr, type: SqlType, safe: boolean, pos: Position, label: string): Expr {
  if (!canCast(value.type, type)) {
    throw sqlError('sql.type', `${typeName(value.type)} cannot be cast to ${typeName(type)}`, pos);
  }
  if (value.kind === 'literal' && value.value === null) return literal(type, null);
  return { kind: 'cast', type, value, safe, pos, label };
}

const castTargets: Readonly<Record<string, readonly string[]>> = {
  INT64: ['INT64', 'FLOAT64', 'BOOL', 'STRING'],
  FLOAT64: ['INT64', 'FLOAT64', 'STRING'],
  BOOL: ['INT64', 'BOOL', 'STRING'],
  STRING: ['INT64', 'FLOAT64', 'BOOL', 'STRING', 'BYTES', 'TIMESTAMP', 'DATETIME', 'DATE', 'TIME', 'INTERVAL'],
  BYTES: ['STRING', 'BYTES'],
  TIMESTAMP: ['STRING', 'TIMESTAMP', 'DATETIME', 'DATE', 'TIME'],
  DATETIME: ['STRING', 'TIMESTAMP', 'DATETIME', 'DATE', 'TIME'],
  DATE: ['STRING', 'TIMESTAMP', 'DATETIME', 'DATE'],
  TIME: ['STRING', 'TIME'],
  INTERVAL: ['STRING', 'INTERVAL'],
  JSON: ['INT64', 'FLOAT64', 'BOOL', 'STRING', 'BYTES', 'TIMESTAMP', 'DATETIME', 'DATE', 'TIME', 'JSON', 'ARRAY'],
};

function canCast(from: SqlType, to: SqlType): boolean {
  if (from.kind === 'NULL') return true;
  if (from.kind === 'ARRAY' && to.kind === 'ARRAY') return canCast(from.element, to.element);
  if (from.kind === 'STRUCT' && to.kind === 'STRUCT') return from.fields.length === to.fields.length;
  return castTargets[from.kind]?.includes(to.kind) ?? false;
}

function resolveArray(node: Extract<Expression, { kind: 'ArrayConstructor' }>, context: ExpressionContext): Expr {
  const elements = node.elements.map((element) => resolveExpr(element, context));
  const element = node.elementType === undefined ? commonType(elements) : resolveType(node.elementType, false);
  if (element === null) {
    const types = [...new Set(elements.map((each) => typeName(each.type)))].join(', ');
    throw sqlError('sql.type', `The elements of the array have no common type: ${types}`, node.pos);
  }
  if (element.kind === 'ARRAY')
    throw sqlError('sql.type', 'An array cannot contain arrays; wrap the inner ones in STRUCTs', node.pos);
  const misfit = elements.findIndex((each) => coercionCost(each, element) === null);
  if (misfit >= 0) {
    throw sqlError('sql.type', `Element ${misfit + 1} of the array does not fit ${typeName(element)}`, node.pos);
  }
  return {
    kind: 'array',
    type: { kind: 'ARRAY', element },
    elements: elements.map((each) => coerce(each, element, node.pos)),
  };
}

/** The name of a select item without an alias: the last name of its path, or empty. */
export function impliedName(node: Expression): string {
  if (node.kind === 'Name') return node.name.name;
  if (node.kind === 'FieldAccess') return node.field.name;
  return '';
}

/** The path of a value as the text writes it, for messages. */
function labelOf(node: Expression): string {
  if (node.kind === 'Name') return node.name.name;
  if (node.kind === 'FieldAccess') return `${labelOf(node.operand)}.${node.field.name}`;
  return 'a value';
}
