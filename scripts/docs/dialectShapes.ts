/** A clause or operator, its meaning, and an example that runs. */
export interface DialectShape {
  readonly form: string;
  readonly meaning: string;
  readonly example: string;
}

const table = "(SELECT 'a' AS k, 1 AS x UNION ALL SELECT 'a', 2 UNION ALL SELECT 'b', 3)";

export const clauses: readonly DialectShape[] = [
  {
    form: 'WITH',
    meaning: 'Defines tables. Each one can read those before it.',
    example: 'WITH a AS (SELECT 1 AS x), b AS (SELECT x + 1 AS y FROM a) SELECT y FROM b',
  },
  {
    form: 'SELECT [DISTINCT] [AS STRUCT | AS VALUE]',
    meaning:
      'Selects expressions, `*` and `t.*`, with EXCEPT and REPLACE. A column without an alias is named after the last name in its path.',
    example: `SELECT * EXCEPT (k) REPLACE (x * 10 AS x) FROM ${table}`,
  },
  {
    form: 'JOIN, LEFT, RIGHT, FULL, CROSS JOIN and comma',
    meaning:
      'Joins tables with ON, whose condition may contain subqueries, or with USING, which merges two columns into one.',
    example: 'SELECT id FROM (SELECT 1 AS id) FULL JOIN (SELECT 2 AS id) USING (id) ORDER BY id',
  },
  {
    form: 'UNNEST(array) [WITH OFFSET]',
    meaning: 'Turns the elements of an array into rows. LEFT JOIN keeps rows whose array is empty.',
    example: "SELECT v, i FROM UNNEST(['x', 'y']) AS v WITH OFFSET AS i ORDER BY i",
  },
  {
    form: 'GROUP BY expression, alias, number, ALL, ROLLUP(…) or ()',
    meaning: 'Groups rows. An alias in the select list takes precedence over a column.',
    example: `SELECT k, SUM(x) FROM ${table} GROUP BY ROLLUP(k) ORDER BY k`,
  },
  {
    form: 'HAVING, QUALIFY',
    meaning: 'Filters groups, and rows by the values of window functions.',
    example: `SELECT k, x FROM ${table} QUALIFY RANK() OVER (PARTITION BY k ORDER BY x DESC) = 1 ORDER BY k`,
  },
  {
    form: 'WINDOW name AS (…)',
    meaning: 'Names a window that others can extend. Frames use ROWS or RANGE.',
    example: `SELECT x, SUM(x) OVER (w ROWS 1 PRECEDING) FROM ${table} WINDOW w AS (ORDER BY x) ORDER BY x`,
  },
  {
    form: 'ORDER BY, LIMIT, OFFSET',
    meaning:
      'NULLs come first in ascending and last in descending order, unless NULLS FIRST or NULLS LAST is given. Events that are equal in all keys are ordered by arrival: the later one first, or the earlier one first if the first TIMESTAMP or DATETIME key is ascending. Elements of an array keep their order.',
    example: `SELECT x FROM ${table} ORDER BY x DESC LIMIT 1 OFFSET 1`,
  },
  {
    form: 'UNION ALL, UNION, INTERSECT, EXCEPT DISTINCT',
    meaning:
      'Combines queries. Different set operations need parentheses. A NULL literal takes the type of the other arms.',
    example: '(SELECT 1 AS x UNION ALL SELECT NULL) EXCEPT DISTINCT SELECT 1',
  },
  {
    form: '[INNER | LEFT | FULL] UNION ALL BY NAME [ON (…)]',
    meaning:
      'Matches columns by name; works with every set operation. Without a mode, all arms must have the same columns. INNER keeps the columns that all arms have, LEFT those of the first arm, FULL all of them; an arm that lacks a column gives NULL. CORRESPONDING [BY (…)] means INNER … BY NAME, and STRICT CORRESPONDING means BY NAME.',
    example: "SELECT 1 AS a, 'x' AS b FULL UNION ALL BY NAME SELECT true AS c, 'y' AS b",
  },
  {
    form: '(SELECT …), ARRAY(SELECT …), EXISTS(…), x IN (SELECT …)',
    meaning:
      'Subqueries in any clause. They may be correlated. A subquery used as a value must not return more than one row.',
    example: `SELECT (SELECT MAX(x) FROM ${table}), ARRAY(SELECT v * 2 FROM UNNEST([1, 2]) AS v ORDER BY v)`,
  },
];

export const pipeOperators: readonly DialectShape[] = [
  {
    form: 'FROM … and any query',
    meaning: 'Pipe operators may follow any query. A FROM clause alone returns all columns.',
    example: `FROM ${table} |> WHERE x > 2`,
  },
  {
    form: 'WHERE',
    meaning: 'Filters rows. It also replaces HAVING and QUALIFY, and may contain window functions.',
    example: `FROM ${table} |> WHERE RANK() OVER (ORDER BY x DESC) = 1`,
  },
  {
    form: 'SELECT [DISTINCT]',
    meaning: 'Selects expressions, without aggregates. Table aliases are not visible after it.',
    example: `FROM ${table} |> SELECT DISTINCT k |> ORDER BY k`,
  },
  {
    form: 'EXTEND, WINDOW',
    meaning: 'Adds columns.',
    example: `FROM ${table} |> EXTEND x * 2 AS y`,
  },
  {
    form: 'SET, DROP, RENAME',
    meaning: 'Changes columns. The alias of their table still refers to the original values.',
    example: `FROM ${table} AS t |> SET x = -x |> RENAME k AS g |> WHERE t.x = 3`,
  },
  {
    form: 'AGGREGATE … [GROUP [AND ORDER] BY …]',
    meaning: 'Aggregates rows. The grouping columns come first. ASC or DESC after an item orders the result.',
    example: `FROM ${table} |> AGGREGATE COUNT(*) AS n, SUM(x) AS total GROUP AND ORDER BY k DESC`,
  },
  {
    form: 'DISTINCT',
    meaning: 'Removes duplicate rows.',
    example: `FROM ${table} |> DROP x |> DISTINCT |> ORDER BY k`,
  },
  {
    form: 'ORDER BY, LIMIT [OFFSET]',
    meaning: 'Orders and limits rows. The order is kept by operators that do not combine rows.',
    example: `FROM ${table} |> ORDER BY x DESC |> LIMIT 2 |> SELECT x`,
  },
  {
    form: 'AS',
    meaning: 'Gives all columns one table alias.',
    example: `FROM ${table} |> AS t |> WHERE t.x = 1`,
  },
  {
    form: '[LEFT …] JOIN',
    meaning: 'Joins the rows so far, as the left side, with a table.',
    example: `FROM ${table} |> JOIN (SELECT 'b' AS k, 'B' AS name) USING (k)`,
  },
  {
    form: 'UNION ALL, UNION, INTERSECT, EXCEPT DISTINCT',
    meaning: 'Combines the rows so far with one or more queries in parentheses.',
    example: `FROM ${table} |> SELECT x |> UNION ALL (SELECT 4), (SELECT 5) |> AGGREGATE SUM(x) AS total`,
  },
  {
    form: 'WITH',
    meaning: 'Defines tables for the operators after it.',
    example: `FROM ${table} |> WITH w AS (SELECT 'a' AS k) |> JOIN w USING (k) |> AGGREGATE COUNT(*) AS n`,
  },
];
