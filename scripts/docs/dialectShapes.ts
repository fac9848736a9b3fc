/** A shape of queries, what it means where that needs saying, and an example that runs. */
export interface DialectShape {
  readonly form: string;
  readonly meaning: string;
  readonly example: string;
}

const table = "(SELECT 'a' AS k, 1 AS x UNION ALL SELECT 'a', 2 UNION ALL SELECT 'b', 3)";

export const clauses: readonly DialectShape[] = [
  {
    form: 'WITH',
    meaning: 'Tables of the query, each of which sees those before it.',
    example: 'WITH a AS (SELECT 1 AS x), b AS (SELECT x + 1 AS y FROM a) SELECT y FROM b',
  },
  {
    form: 'SELECT [DISTINCT] [AS STRUCT | AS VALUE]',
    meaning: 'Expressions, `*` and `t.*` with EXCEPT and REPLACE. An unnamed column has the last name of its path.',
    example: `SELECT * EXCEPT (k) REPLACE (x * 10 AS x) FROM ${table}`,
  },
  {
    form: 'JOIN, LEFT, RIGHT, FULL, CROSS JOIN and comma',
    meaning: 'With ON, whose condition may hold subqueries, or USING, which makes one column of two.',
    example: 'SELECT id FROM (SELECT 1 AS id) FULL JOIN (SELECT 2 AS id) USING (id) ORDER BY id',
  },
  {
    form: 'UNNEST(array) [WITH OFFSET]',
    meaning: 'The elements as rows. LEFT JOIN keeps rows without elements.',
    example: "SELECT v, i FROM UNNEST(['x', 'y']) AS v WITH OFFSET AS i ORDER BY i",
  },
  {
    form: 'GROUP BY expression, alias, number, ALL, ROLLUP(…) or ()',
    meaning: 'An alias of the select list wins over a column.',
    example: `SELECT k, SUM(x) FROM ${table} GROUP BY ROLLUP(k) ORDER BY k`,
  },
  {
    form: 'HAVING, QUALIFY',
    meaning: 'Conditions on groups, and on window functions.',
    example: `SELECT k, x FROM ${table} QUALIFY RANK() OVER (PARTITION BY k ORDER BY x DESC) = 1 ORDER BY k`,
  },
  {
    form: 'WINDOW name AS (…)',
    meaning: 'A window that others can build on; frames of ROWS and RANGE.',
    example: `SELECT x, SUM(x) OVER (w ROWS 1 PRECEDING) FROM ${table} WINDOW w AS (ORDER BY x) ORDER BY x`,
  },
  {
    form: 'ORDER BY, LIMIT, OFFSET',
    meaning:
      'NULLs come first ascending and last descending, unless NULLS FIRST or LAST says otherwise. Rows of events that are equal in all keys come by arrival: later first, or earlier first where the first key of type TIMESTAMP or DATETIME ascends; elements of an array as they stand in it.',
    example: `SELECT x FROM ${table} ORDER BY x DESC LIMIT 1 OFFSET 1`,
  },
  {
    form: 'UNION ALL, UNION, INTERSECT, EXCEPT DISTINCT',
    meaning: 'Different ones need parentheses. A bare NULL takes the type of the other arms.',
    example: '(SELECT 1 AS x UNION ALL SELECT NULL) EXCEPT DISTINCT SELECT 1',
  },
  {
    form: '[INNER | LEFT | FULL] UNION ALL BY NAME [ON (…)]',
    meaning:
      'Matches columns by name, of every set operation: the same ones in each arm, with INNER those that each has, with LEFT those of the first, with FULL all, NULL where an arm lacks one. CORRESPONDING [BY (…)] is INNER … BY NAME, STRICT CORRESPONDING is BY NAME.',
    example: "SELECT 1 AS a, 'x' AS b FULL UNION ALL BY NAME SELECT true AS c, 'y' AS b",
  },
  {
    form: '(SELECT …), ARRAY(SELECT …), EXISTS(…), x IN (SELECT …)',
    meaning:
      'Subqueries in any clause; they may read rows of the query around them. Several rows where one value is wanted are an error.',
    example: `SELECT (SELECT MAX(x) FROM ${table}), ARRAY(SELECT v * 2 FROM UNNEST([1, 2]) AS v ORDER BY v)`,
  },
];

export const pipeOperators: readonly DialectShape[] = [
  {
    form: 'FROM … and any query',
    meaning: 'What pipe operators follow. Without one, FROM gives all columns.',
    example: `FROM ${table} |> WHERE x > 2`,
  },
  {
    form: 'WHERE',
    meaning: 'Also in the place of HAVING and QUALIFY: window functions may stand in it.',
    example: `FROM ${table} |> WHERE RANK() OVER (ORDER BY x DESC) = 1`,
  },
  {
    form: 'SELECT [DISTINCT]',
    meaning: 'Without aggregates; aliases of tables end here.',
    example: `FROM ${table} |> SELECT DISTINCT k |> ORDER BY k`,
  },
  {
    form: 'EXTEND, WINDOW',
    meaning: 'Adds columns.',
    example: `FROM ${table} |> EXTEND x * 2 AS y`,
  },
  {
    form: 'SET, DROP, RENAME',
    meaning: 'Changes columns; behind the alias of their table they stay what they were.',
    example: `FROM ${table} AS t |> SET x = -x |> RENAME k AS g |> WHERE t.x = 3`,
  },
  {
    form: 'AGGREGATE … [GROUP [AND ORDER] BY …]',
    meaning: 'The groupings come first. ASC and DESC behind an item order the result.',
    example: `FROM ${table} |> AGGREGATE COUNT(*) AS n, SUM(x) AS total GROUP AND ORDER BY k DESC`,
  },
  { form: 'DISTINCT', meaning: 'Each row once.', example: `FROM ${table} |> DROP x |> DISTINCT |> ORDER BY k` },
  {
    form: 'ORDER BY, LIMIT [OFFSET]',
    meaning: 'The order holds through operators that keep rows apart.',
    example: `FROM ${table} |> ORDER BY x DESC |> LIMIT 2 |> SELECT x`,
  },
  {
    form: 'AS',
    meaning: 'One alias for all columns.',
    example: `FROM ${table} |> AS t |> WHERE t.x = 1`,
  },
  {
    form: '[LEFT …] JOIN',
    meaning: 'What stands before it is the left side.',
    example: `FROM ${table} |> JOIN (SELECT 'b' AS k, 'B' AS name) USING (k)`,
  },
  {
    form: 'UNION ALL, UNION, INTERSECT, EXCEPT DISTINCT',
    meaning: 'With one query in parentheses, or several.',
    example: `FROM ${table} |> SELECT x |> UNION ALL (SELECT 4), (SELECT 5) |> AGGREGATE SUM(x) AS total`,
  },
  {
    form: 'WITH',
    meaning: 'Tables for the operators behind it.',
    example: `FROM ${table} |> WITH w AS (SELECT 'a' AS k) |> JOIN w USING (k) |> AGGREGATE COUNT(*) AS n`,
  },
];
