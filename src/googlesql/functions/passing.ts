import type { FunctionName } from './catalogue.ts';

/**
 * What the result of a function contains of its operands. Redaction depends on it: from which members of events a column is
 * computed, and whether personal values can still be recognised in it.
 */
export type Passing =
  /** A count or a row number, and nothing of the values. */
  | 'nothing'
  /** A truth value. */
  | 'truth'
  /** A length, a position or the name of a type: computed from a text, but with no character of it. */
  | 'size'
  /** A number or a time that is computed from numbers, times or a whole text. */
  | 'measure'
  /** Unchanged values of operands: one, several in an array, or inside JSON. */
  | 'whole'
  /** An unchanged member of a JSON operand; the second argument names it. */
  | 'member'
  /** Concatenated texts: complete, but next to other characters. */
  | 'joined'
  /** Parts of a text. */
  | 'part'
  /** Texts with other characters, in another order or encoding, or a hash of them. */
  | 'changed';

/**
 * The class of every function in the catalogue. In doubt, use `changed`, which gives the author of an endpoint a notice.
 */
export const passing: Readonly<Record<FunctionName, Passing>> = {
  ...each('nothing', ['count', 'countif', 'approx_count_distinct', 'row_number', 'rank', 'dense_rank']),
  ...each('nothing', ['percent_rank', 'cume_dist', 'ntile', 'rand', 'generate_uuid']),
  ...each('nothing', ['current_timestamp', 'current_datetime', 'current_date', 'current_time']),

  ...each('truth', ['$eq', '$ne', '$lt', '$le', '$gt', '$ge', '$between', '$in', '$in_array', '$like', '$ilike']),
  ...each('truth', ['$like_any', '$like_all', '$ilike_any', '$ilike_all']),
  ...each('truth', ['$is_null', '$is_true', '$is_false', '$is_distinct', '$and', '$or', '$not']),
  ...each('truth', ['logical_and', 'logical_or', 'is_nan', 'is_inf', 'lax_bool', 'bool']),
  ...each('truth', ['starts_with', 'ends_with', 'contains_substr', 'regexp_contains']),

  ...each('size', ['length', 'char_length', 'character_length', 'byte_length', 'octet_length', 'array_length']),
  ...each('size', ['strpos', 'instr', 'regexp_instr', 'json_type', 'grouping']),

  ...each('measure', [
    '$add',
    '$sub',
    '$mul',
    '$div',
    '$neg',
    '$bitand',
    '$bitor',
    '$bitxor',
    '$bitnot',
    '$shl',
    '$shr',
  ]),
  ...each('measure', ['abs', 'sign', 'round', 'trunc', 'floor', 'ceil', 'ceiling', 'mod', 'div', 'bit_count']),
  ...each('measure', ['safe_divide', 'safe_add', 'safe_subtract', 'safe_multiply', 'safe_negate', 'ieee_divide']),
  ...each('measure', ['sqrt', 'pow', 'power', 'exp', 'ln', 'log', 'log10', 'sin', 'cos', 'tan', 'asin', 'acos']),
  ...each('measure', ['atan', 'atan2', 'lax_int64', 'lax_float64', 'int64', 'float64', 'generate_array']),
  ...each('measure', ['sum', 'avg', 'stddev', 'stddev_samp', 'stddev_pop', 'variance', 'var_samp', 'var_pop']),
  ...each('measure', ['corr', 'covar_pop', 'covar_samp', 'percentile_cont']),
  ...each('measure', ['$extract', '$interval', 'timestamp', 'datetime', 'date', 'time', 'last_day']),
  ...each('measure', ['timestamp_add', 'timestamp_sub', 'timestamp_diff', 'timestamp_trunc', 'timestamp_bucket']),
  ...each('measure', ['datetime_add', 'datetime_sub', 'datetime_diff', 'datetime_trunc', 'datetime_bucket']),
  ...each('measure', ['date_add', 'date_sub', 'date_diff', 'date_trunc', 'unix_date', 'date_from_unix_date']),
  ...each('measure', ['time_add', 'time_sub', 'time_diff', 'time_trunc']),
  ...each('measure', ['unix_seconds', 'unix_millis', 'unix_micros']),
  ...each('measure', ['timestamp_seconds', 'timestamp_millis', 'timestamp_micros']),
  ...each('measure', ['format_timestamp', 'format_datetime', 'format_date', 'format_time']),
  ...each('measure', ['parse_timestamp', 'parse_datetime', 'parse_date', 'parse_time']),
  ...each('measure', ['generate_date_array', 'generate_timestamp_array', 'range_bucket', 'date_bucket']),

  ...each('whole', ['if', 'ifnull', 'coalesce', 'nullif', 'greatest', 'least']),
  ...each('whole', ['min', 'max', 'any_value', 'min_by', 'max_by', 'array_agg', 'array_concat_agg']),
  ...each('whole', ['approx_quantiles', '$approx_quantile_at', 'approx_top_count', 'percentile_disc']),
  ...each('whole', ['first_value', 'last_value', 'nth_value', 'lag', 'lead']),
  ...each('whole', [
    'array_concat',
    'array_reverse',
    'parse_json',
    '$json_in_text',
    'to_json',
    'to_json_string',
    'lax_string',
    'string',
  ]),
  ...each('whole', ['normalize', 'net.host']),
  ...each('whole', ['array_first', 'array_last', 'array_slice', 'json_object', 'json_array']),

  ...each('member', ['$array_at', '$ordinal_at', '$safe_array_at', '$safe_ordinal_at']),
  ...each('member', ['json_value', 'json_extract_scalar', 'json_query', 'json_extract', 'json_value_array']),
  ...each('member', ['json_extract_string_array', 'json_query_array', 'json_extract_array']),

  ...each('joined', ['concat', '$concat_op', 'string_agg', 'array_to_string', 'format', 'repeat']),

  ...each('part', ['substr', 'substring', 'left', 'right', 'split', 'trim', 'ltrim', 'rtrim', 'lpad', 'rpad']),
  ...each('part', ['regexp_extract', 'regexp_substr', 'regexp_extract_all']),

  ...each('changed', ['lower', 'upper', 'initcap', 'reverse', 'replace', 'translate', 'regexp_replace']),
  // Applied to numbers, they give numbers, which hold no text; of a single byte string, they give that string.
  ...each('changed', ['bit_and', 'bit_or', 'bit_xor']),
  ...each('changed', ['to_hex', 'from_hex', 'to_base64', 'from_base64', 'ascii', 'unicode', 'chr']),
  ...each('changed', ['md5', 'sha1', 'sha256', 'sha512', 'farm_fingerprint']),
  ...each('changed', ['net.ip_from_string', 'net.safe_ip_from_string', 'net.ip_to_string', 'net.ip_trunc']),
  ...each('changed', ['to_code_points', 'code_points_to_string', 'code_points_to_bytes']),
  ...each('changed', ['safe_convert_bytes_to_string', 'json_keys']),
};

function each<const N extends FunctionName>(how: Passing, names: readonly N[]): Record<N, Passing> {
  return Object.fromEntries(names.map((name) => [name, how])) as Record<N, Passing>;
}
