import type { OperatorName } from './catalogue.ts';

/** The word or sign of each operator and special form in a query. An operator without an entry does not compile. */
const operatorWords: Readonly<Record<OperatorName, string>> = {
  $add: '+',
  $sub: '-',
  $mul: '*',
  $div: '/',
  $neg: '-',
  $concat_op: '||',
  $bitand: '&',
  $bitor: '|',
  $bitxor: '^',
  $bitnot: '~',
  $shl: '<<',
  $shr: '>>',
  $eq: '=',
  $ne: '!=',
  $lt: '<',
  $le: '<=',
  $gt: '>',
  $ge: '>=',
  $between: 'BETWEEN',
  $in: 'IN',
  $in_array: 'IN UNNEST',
  $like: 'LIKE',
  $ilike: 'ILIKE',
  $like_any: 'LIKE ANY',
  $like_all: 'LIKE ALL',
  $ilike_any: 'ILIKE ANY',
  $ilike_all: 'ILIKE ALL',
  $is_null: 'IS NULL',
  $is_true: 'IS TRUE',
  $is_false: 'IS FALSE',
  $is_distinct: 'IS DISTINCT FROM',
  $and: 'AND',
  $or: 'OR',
  $not: 'NOT',
  $extract: 'EXTRACT',
  $array_at: 'OFFSET',
  $ordinal_at: 'ORDINAL',
  $safe_array_at: 'SAFE_OFFSET',
  $safe_ordinal_at: 'SAFE_ORDINAL',
  $interval: 'INTERVAL',
  $json_in_text: 'JSON functions',
  $approx_quantile_at: 'APPROX_QUANTILES',
};

const isOperator = (name: string): name is OperatorName => Object.hasOwn(operatorWords, name);

/** The function as queries write it: its name, or the word or sign of an operator. */
export const writtenName = (name: string): string => (isOperator(name) ? operatorWords[name] : name);
