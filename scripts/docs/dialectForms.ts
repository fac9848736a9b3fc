/** Queries that GoogleSQL rejects and Logmill accepts; each must give a notice. */
export const acceptedForms: readonly string[] = [
  "SELECT 'a''b'",
  String.raw`SELECT '\.'`,
  "SELECT '1'::INT64",
  "SELECT 'ABC' ILIKE 'a%'",
  "SELECT '50%' LIKE '50!%' ESCAPE '!'",
  "SELECT TIMESTAMP '2026-05-01' = 1777593600000000",
];

/** Queries that GoogleSQL accepts and Logmill rejects; each must fail with `sql.unsupported`. */
export const refusedForms: readonly string[] = [
  "SELECT INTERVAL '1:30' HOUR TO MINUTE",
  "SELECT NUMERIC '1.5'",
  "SELECT CAST('1.5' AS NUMERIC)",
  "SELECT CAST('abc' AS STRING(2))",
  "SELECT CAST('2026' AS DATE FORMAT 'YYYY')",
  'SELECT ARRAY_AGG(x HAVING MAX x) FROM UNNEST([1]) AS x',
  'SELECT x FROM UNNEST([1]) AS x GROUP BY GROUPING SETS (x)',
  'SELECT x FROM UNNEST([1]) AS x GROUP BY CUBE (x)',
  "SELECT (JSON '{\"a\":1}')[x] FROM UNNEST(['a']) AS x",
  'SELECT x FROM UNNEST([1]) AS x TABLESAMPLE SYSTEM (10 PERCENT)',
  'SELECT @@time_zone',
];
