/**
 * Settings of ClickHouse on which the meaning of pushed expressions depends, besides those of every query
 * (connection/readSettings.ts). The equality suite runs with them.
 */
export const emitSettings: Readonly<Record<string, string | number>> = {
  // NULL IN (…) is NULL.
  transform_null_in: 0,
  // Aggregates without rows are as written: `sumOrNull` and the like.
  aggregate_functions_null_for_empty: 0,
  empty_result_for_aggregation_by_empty_set: 0,
  empty_result_for_aggregation_by_constant_keys_on_empty_set: 1,
  // A number in GROUP BY or ORDER BY is a value.
  enable_positional_arguments: 0,
  group_by_use_nulls: 0,
  // The fast reader of numbers is wrong in the last place.
  precise_float_parsing: 1,
  short_circuit_function_evaluation: 'enable',
  // The length of a statement is bounded (writeFetch.ts), and each of its parts has more than one character.
  max_ast_elements: 250_000,
  max_expanded_ast_elements: 2_500_000,
};
