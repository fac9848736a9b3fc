/**
 * Settings of ClickHouse on which the meaning of pushed statements depends. Each statement is sent with them, whatever the
 * server or the user's profile says; the equality suite runs with them.
 */
export const meaningSettings: Readonly<Record<string, string>> = {
  // NULL, not a default, for unmatched rows, aggregates without rows, and IN.
  join_use_nulls: '1',
  transform_null_in: '0',
  aggregate_functions_null_for_empty: '0',
  cast_keep_nullable: '0',
  group_by_use_nulls: '0',
  // Names in WITH are aliases; a column of that name would otherwise be read instead.
  prefer_column_name_to_alias: '0',
  enable_positional_arguments: '0',
  // The fast reader of numbers is off by one in the last place.
  precise_float_parsing: '1',
  session_timezone: 'UTC',
  enable_extended_results_for_datetime_functions: '1',
  short_circuit_function_evaluation: 'enable',
  allow_hyperscan: '0',
  use_query_cache: '0',
  enable_analyzer: '1',
};
