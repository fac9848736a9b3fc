import type { CatalogueEntry, OperatorName } from './catalogue.ts';
import type { Argument, Signature, SignatureType } from './signature.ts';

/** How operators and special forms are written. An operator without an entry does not compile. */
const operatorForms: Readonly<Record<OperatorName, string>> = {
  $add: 'x + y',
  $sub: 'x - y',
  $mul: 'x * y',
  $div: 'x / y',
  $neg: '-x',
  $concat_op: 'x || y',
  $bitand: 'x & y',
  $bitor: 'x | y',
  $bitxor: 'x ^ y',
  $bitnot: '~x',
  $shl: 'x << y',
  $shr: 'x >> y',
  $eq: 'x = y',
  $ne: 'x != y, x <> y',
  $lt: 'x < y',
  $le: 'x <= y',
  $gt: 'x > y',
  $ge: 'x >= y',
  $between: 'x [NOT] BETWEEN low AND high',
  $in: 'x [NOT] IN (candidate, …)',
  $in_array: 'x [NOT] IN UNNEST(candidates)',
  $like: 'value [NOT] LIKE pattern [ESCAPE escape], value [NOT] LIKE ANY | SOME | ALL (pattern, …)',
  $ilike: 'value [NOT] ILIKE pattern [ESCAPE escape], value [NOT] ILIKE ANY | SOME | ALL (pattern, …)',
  $like_any: 'value [NOT] LIKE ANY | SOME UNNEST(patterns), value [NOT] LIKE ANY | SOME (SELECT pattern …)',
  $like_all: 'value [NOT] LIKE ALL UNNEST(patterns), value [NOT] LIKE ALL (SELECT pattern …)',
  $ilike_any: 'value [NOT] ILIKE ANY | SOME UNNEST(patterns), value [NOT] ILIKE ANY | SOME (SELECT pattern …)',
  $ilike_all: 'value [NOT] ILIKE ALL UNNEST(patterns), value [NOT] ILIKE ALL (SELECT pattern …)',
  $is_null: 'x IS [NOT] NULL',
  $is_true: 'x IS [NOT] TRUE',
  $is_false: 'x IS [NOT] FALSE',
  $is_distinct: 'x IS [NOT] DISTINCT FROM y',
  $and: 'x AND y',
  $or: 'x OR y',
  $not: 'NOT x',
  $extract: 'EXTRACT(part FROM x [AT TIME ZONE zone])',
  $array_at: 'array[OFFSET(offset)], array[offset]',
  $ordinal_at: 'array[ORDINAL(ordinal)]',
  $safe_array_at: 'array[SAFE_OFFSET(offset)]',
  $safe_ordinal_at: 'array[SAFE_ORDINAL(ordinal)]',
  $interval: 'INTERVAL count part',
  $json_in_text: 'json',
  $approx_quantile_at: 'APPROX_QUANTILES(x, count)[OFFSET(index)]',
};

const isOperator = (name: string): name is OperatorName => name.startsWith('$');

/** The call forms of a function: `SUBSTR(value STRING, position INT64[, length INT64]) → STRING`. */
export function callForms(fn: CatalogueEntry): readonly string[] {
  const { name } = fn;
  if (isOperator(name)) {
    const form = operatorForms[name];
    return [form, ...fn.signatures.map((signature) => operands(signature))];
  }
  return fn.signatures.map((signature) => `${name.toUpperCase()}(${args(signature)}) → ${typeText(signature.returns)}`);
}

const operands = (signature: Signature): string =>
  `(${signature.args.map((arg) => (arg.type === 'PART' ? 'part' : typeText(arg.type))).join(', ')}) → ${typeText(signature.returns)}`;

function args(signature: Signature): string {
  const once = signature.args.filter((arg) => arg.repeated !== true).map((arg) => ({ ...arg, text: argText(arg) }));
  const repeated = signature.args.filter((arg) => arg.repeated === true);
  const [first] = repeated;
  const all = first === undefined ? once : [...once, { ...first, text: `${repeated.map(argText).join(', ')}, …` }];
  const text = all.map((arg, i) => {
    const separator = i === 0 ? '' : ', ';
    return arg.optional === true ? `[${separator}${arg.text}` : `${separator}${arg.text}`;
  });
  return text.join('') + ']'.repeat(all.filter((arg) => arg.optional === true).length);
}

function argText(arg: Argument): string {
  if (arg.type === 'PART') return arg.name;
  return arg.named === true ? `${arg.name} => ${typeText(arg.type)}` : `${arg.name} ${typeText(arg.type)}`;
}

function typeText(type: SignatureType): string {
  if (typeof type === 'string') return type === 'NUMBER' ? 'INT64|FLOAT64' : type;
  if ('arrayOf' in type) return `ARRAY<${typeText(type.arrayOf)}>`;
  return `STRUCT<${type.structOf.map((field) => `${field.name} ${typeText(field.type)}`).join(', ')}>`;
}
