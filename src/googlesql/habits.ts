/** Syntax of another dialect that GoogleSQL rejects. */
export interface Habit {
  /** The dialects that have it. */
  readonly from: string;
  /** A rejected query that has it, over `edge_logs` and its metadata, `m`. */
  readonly example: string;
  /** The same query in GoogleSQL. */
  readonly works: string;
  /** Match the text at the error position, and right before it. */
  readonly at: RegExp;
  readonly before?: RegExp;
  /** The replacement, with the arguments that `at` captured. Without all of them, the hint shows `form`. */
  readonly paste?: string;
  readonly form: string;
}

const postgres = 'PostgreSQL';
const clickhouse = 'ClickHouse';
const mysql = 'MySQL';
const server = 'SQL Server';

/** Matches a function call; captures `args` arguments if they are plain names, literals or parameters. */
const call = (name: string, args = 0): RegExp => {
  const each = String.raw`\s*([\w.@]+|'[^'\\]{0,80}')\s*`;
  return new RegExp(String.raw`${name}\s*\((?:${Array.from({ length: args }, () => each).join(',')}\))?`, 'iy');
};

const from = 'FROM edge_logs AS t CROSS JOIN UNNEST(metadata) AS m';

function select(
  dialect: string,
  [written, works]: readonly [string, string],
  rest: Pick<Habit, 'at' | 'before' | 'paste' | 'form'>,
): Habit {
  return { from: dialect, example: `SELECT ${written} ${from}`, works: `SELECT ${works} ${from}`, ...rest };
}

function where(
  dialect: string,
  [written, works]: readonly [string, string],
  rest: Pick<Habit, 'at' | 'before' | 'paste' | 'form'>,
): Habit {
  return { from: dialect, example: `SELECT id ${from} ${written}`, works: `SELECT id ${from} ${works}`, ...rest };
}

/** Tried in this order; the hint is that of the first match. */
export const habits: readonly Habit[] = [
  select(postgres, ['now()', 'CURRENT_TIMESTAMP()'], {
    at: call('now'),
    form: 'CURRENT_TIMESTAMP()',
  }),
  select(postgres, ["m->>'path'", "JSON_VALUE(m, '$.path')"], {
    at: />>?/y,
    before: /-$/,
    form: "a path (m.path), or JSON_VALUE(m, '$.path') for a string and JSON_QUERY(m, '$.path') for JSON",
  }),
  select(postgres, ["count(*) filter (where id = 'a')", "COUNTIF(id = 'a')"], {
    at: /\(\s*where\b/iy,
    before: /\bfilter\s*$/i,
    form: 'COUNTIF(condition), or an aggregate of IF(condition, value, NULL)',
  }),
  select('PostgreSQL, MySQL', ['timestamp - interval 1 hours', 'timestamp - INTERVAL 1 hour'], {
    at: /interval\s+(\d+|@\w+)\s+(microsecond|millisecond|second|minute|hour|day|week|month|quarter|year)s\b/iy,
    paste: 'INTERVAL $1 $2',
    form: 'INTERVAL 1 HOUR, with the unit in the singular',
  }),
  select(postgres, ["timestamp - interval '1 hour'", 'timestamp - INTERVAL 1 HOUR'], {
    at: /\S*/y,
    before: /\binterval\s+'[^'\\]*'\s*$/i,
    form: 'INTERVAL 1 HOUR, with the unit after a number without quotes',
  }),
  where(mysql, ['LIMIT 10,20', 'LIMIT 20 OFFSET 10'], {
    at: /,\s*(\d+|@\w+)/y,
    before: /\blimit\s+(?:\d+|@\w+)\s*$/i,
    form: 'LIMIT 20 OFFSET 10 instead of LIMIT 10,20',
  }),
  {
    from: 'standard SQL',
    example: 'SELECT id FROM "edge_logs"',
    works: 'SELECT id FROM `edge_logs`',
    at: /"([^"\\`\n]{1,80})"/y,
    before: /(?:\b(?:from|join)\s*|[.,]\s*)$/i,
    paste: '`$1`',
    form: 'names in backticks; text in double quotes is a string',
  },
  select(postgres, ["date_trunc('hour', timestamp)", 'TIMESTAMP_TRUNC(timestamp, hour)'], {
    at: /date_trunc\s*\(\s*'(\w+)'\s*(?:,\s*([\w.]+)\s*\))?/iy,
    paste: 'TIMESTAMP_TRUNC($2, $1)',
    form: 'TIMESTAMP_TRUNC(timestamp, HOUR)',
  }),
  select(mysql, ['group_concat(id)', "STRING_AGG(id, ',')"], {
    at: call('group_concat', 1),
    paste: "STRING_AGG($1, ',')",
    form: "STRING_AGG(value, ',')",
  }),
  {
    from: server,
    example: 'SELECT TOP 10 id FROM edge_logs',
    works: 'SELECT id FROM edge_logs LIMIT 10',
    at: /\(?\s*(\d+|@\w+)/y,
    before: /\bselect\s+(?:distinct\s+)?top\s*$/i,
    paste: 'LIMIT $1',
    form: 'LIMIT 10 at the end of the query',
  },
  where('programming languages', ["WHERE id == 'a'", "WHERE id = 'a'"], { at: /==/y, form: '= for equality' }),
  where('programming languages', ["WHERE id = 'a' && id = 'b'", "WHERE id = 'a' AND id = 'b'"], {
    at: /&/y,
    before: /&$/,
    form: 'AND',
  }),
  select(server, ["isnull(id, 'x')", "IFNULL(id, 'x')"], {
    at: call('isnull', 2),
    paste: 'IFNULL($1, $2)',
    form: 'x IS NULL, or IFNULL(x, y) to replace NULL',
  }),
  select('Oracle', ["nvl(id, 'x')", "IFNULL(id, 'x')"], {
    at: call('nvl', 2),
    paste: 'IFNULL($1, $2)',
    form: 'IFNULL(x, y)',
  }),
  select('PostgreSQL, Oracle', ["to_char(timestamp, 'YYYY')", "FORMAT_TIMESTAMP('%Y', timestamp)"], {
    at: call('to_char'),
    form: "FORMAT_TIMESTAMP('%Y-%m-%d %H:%M:%S', timestamp)",
  }),
  select('SQLite, DuckDB', ["strftime('%Y', timestamp)", "FORMAT_TIMESTAMP('%Y', timestamp)"], {
    at: call('strftime', 2),
    paste: 'FORMAT_TIMESTAMP($1, $2)',
    form: "FORMAT_TIMESTAMP('%Y-%m-%d', timestamp)",
  }),
  where('MySQL, Oracle', ["WHERE regexp_like(id, 'a')", "WHERE REGEXP_CONTAINS(id, 'a')"], {
    at: call('regexp_like', 2),
    paste: 'REGEXP_CONTAINS($1, $2)',
    form: "REGEXP_CONTAINS(text, r'pattern')",
  }),
  where(postgres, ["WHERE id ~ 'a'", "WHERE REGEXP_CONTAINS(id, r'a')"], {
    at: /!?~\*?/y,
    form: "REGEXP_CONTAINS(text, r'pattern'), with (?i) at the start of the pattern to ignore case",
  }),
  select(postgres, ['extract(epoch from timestamp)', 'UNIX_SECONDS(timestamp)'], {
    at: /extract\s*\(\s*epoch\s+from(?:\s+([\w.]+)\s*\))?/iy,
    paste: 'UNIX_SECONDS($1)',
    form: 'UNIX_SECONDS(timestamp)',
  }),
  select(postgres, ["date_part('hour', timestamp)", 'EXTRACT(hour FROM timestamp)'], {
    at: /date_part\s*\((?:\s*'(\w+)'\s*,\s*([\w.]+)\s*\))?/iy,
    paste: 'EXTRACT($1 FROM $2)',
    form: 'EXTRACT(HOUR FROM timestamp)',
  }),
  select(
    'SQL Server, ClickHouse',
    ['datediff(hour, timestamp, t.timestamp)', 'TIMESTAMP_DIFF(t.timestamp, timestamp, hour)'],
    {
      at: /date_?diff\s*\((?:\s*'?(\w+)'?\s*,\s*([\w.]+)\s*,\s*([\w.]+)\s*\))?/iy,
      paste: 'TIMESTAMP_DIFF($3, $2, $1)',
      form: 'TIMESTAMP_DIFF(later, earlier, HOUR)',
    },
  ),
  select(server, ['dateadd(hour, 1, timestamp)', 'TIMESTAMP_ADD(timestamp, INTERVAL 1 hour)'], {
    at: /dateadd\s*\((?:\s*'?(\w+)'?\s*,\s*([\w.@]+)\s*,\s*([\w.]+)\s*\))?/iy,
    paste: 'TIMESTAMP_ADD($3, INTERVAL $2 $1)',
    form: 'TIMESTAMP_ADD(timestamp, INTERVAL 1 HOUR)',
  }),
  select(server, ['len(id)', 'LENGTH(id)'], { at: call('len', 1), paste: 'LENGTH($1)', form: 'LENGTH(text)' }),
  select(server, ["charindex('a', id)", "STRPOS(id, 'a')"], {
    at: call('charindex', 2),
    paste: 'STRPOS($2, $1)',
    form: 'STRPOS(text, part)',
  }),
  select(postgres, ["split_part(id, '-', 1)", "SPLIT(id, '-')[SAFE_ORDINAL(1)]"], {
    at: call('split_part', 3),
    paste: 'SPLIT($1, $2)[SAFE_ORDINAL($3)]',
    form: "SPLIT(text, ',')[SAFE_ORDINAL(1)]",
  }),
  select(clickhouse, ['toStartOfHour(timestamp)', 'TIMESTAMP_TRUNC(timestamp, Hour)'], {
    at: /toStartOf(Minute|Hour|Day|Week|Month|Quarter|Year)\s*\((?:\s*([\w.]+)\s*\))?/iy,
    paste: 'TIMESTAMP_TRUNC($2, $1)',
    form: 'TIMESTAMP_TRUNC(timestamp, HOUR)',
  }),
  select(clickhouse, ['uniq(id)', 'APPROX_COUNT_DISTINCT(id)'], {
    at: call('uniq(?:Exact)?', 1),
    paste: 'APPROX_COUNT_DISTINCT($1)',
    form: 'COUNT(DISTINCT value)',
  }),
  select(clickhouse, ["sumIf(1, id = 'a')", "SUM(IF(id = 'a', 1, NULL))"], {
    at: /(sum|avg|min|max|any)If\s*\(/iy,
    form: 'an aggregate of IF(condition, value, NULL)',
  }),
  where(postgres, ['LIMIT ALL', ''], { at: /all\b/iy, before: /\blimit\s*$/i, form: 'the query without LIMIT' }),
  where('standard SQL', ['FETCH FIRST 10 ROWS ONLY', 'LIMIT 10'], {
    at: /fetch\s+(?:first|next)\s+(\d+)\s+rows?\b/iy,
    paste: 'LIMIT $1',
    form: 'LIMIT 10',
  }),
  {
    from: mysql,
    example: 'SELECT id FROM edge_logs JOIN edge_logs AS b USING id',
    works: 'SELECT id FROM edge_logs JOIN edge_logs AS b USING (id)',
    at: /(\w+)/y,
    before: /\busing\s+$/i,
    paste: 'USING ($1)',
    form: 'USING (column)',
  },
  where('drivers', ['WHERE id = $1', 'WHERE id = @name'], {
    at: /\$\d*|\?|:\w+/y,
    form: 'a parameter of the endpoint as @name',
  }),
  where('templates', ['WHERE id = {{name}}', 'WHERE id = @name'], {
    at: /\{\{?\s*(\w+)\s*\}?\}/y,
    paste: '@$1',
    form: 'a parameter of the endpoint as @name',
  }),
  {
    from: 'MySQL, ClickHouse',
    example: 'SHOW TABLES',
    works: 'SELECT * FROM INFORMATION_SCHEMA.TABLES',
    at: /show\b/iy,
    form: 'SELECT * FROM INFORMATION_SCHEMA.TABLES',
  },
  {
    from: 'MySQL, ClickHouse',
    example: 'DESCRIBE edge_logs',
    works: "SELECT * FROM INFORMATION_SCHEMA.FIELDS WHERE table_name = 'edge_logs'",
    at: /desc(?:ribe)?\s+(?:table\s+)?(\w+)/iy,
    paste: "SELECT * FROM INFORMATION_SCHEMA.FIELDS WHERE table_name = '$1'",
    form: "SELECT * FROM INFORMATION_SCHEMA.FIELDS WHERE table_name = 'name'",
  },
];
