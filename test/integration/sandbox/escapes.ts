/** A text that tries to leave the sandbox, and the code that refuses it. */
export interface Escape {
  readonly title: string;
  readonly sql: string;
  readonly code: string;
}

const table = 'sandbox.table';
const fn = 'sandbox.function';
const statement = 'sandbox.statement';

const group = (code: string, escapes: Readonly<Record<string, string>>): readonly Escape[] =>
  Object.entries(escapes).map(([title, sql]) => ({ title, sql, code }));

/** Ways to name a table that is not one of the endpoint's. */
const tables = group(table, {
  'the source beneath a table': 'select * from sources.edge_logs',
  'the source beneath a table, in upper case': 'select * from SOURCES.EDGE_LOGS',
  'the source in one pair of backticks': 'select * from `sources.edge_logs`',
  'the source in two pairs of backticks': 'select * from `sources`.`edge_logs`',
  'the source with white space and a comment in the path': 'select * from sources /* x */ . edge_logs',
  'the source with an alias that is a table': 'select * from sources.edge_logs as edge_logs',
  'the source under a project path': 'select * from logmill.sources.edge_logs',
  'the source with a leading dot in backticks': 'select * from `.sources.edge_logs`',
  'a comma join': 'select * from edge_logs, sources.edge_logs as b',
  'an inner join': 'select * from edge_logs a join sources.edge_logs b on true',
  'a left join': 'select * from edge_logs a left join sources.edge_logs b using (id)',
  'a right join': 'select * from edge_logs a right join sources.edge_logs b using (id)',
  'a full join': 'select * from edge_logs a full join sources.edge_logs b using (id)',
  'a cross join': 'select * from edge_logs cross join sources.database_logs',
  'a nested join in parentheses':
    'select * from edge_logs a join (database_logs b join sources.edge_logs c using (id)) using (id)',
  'a parenthesised join tree on the left':
    'select 1 from ((sources.edge_logs a cross join edge_logs b) cross join edge_logs c)',
  'a subquery in FROM': 'select * from (select * from sources.edge_logs)',
  'a subquery in FROM, five deep':
    'select * from (select * from (select * from (select * from (select * from sources.edge_logs))))',
  'a scalar subquery in the select list': 'select (select count(*) from sources.edge_logs) as n',
  'a subquery as the argument of a function': 'select coalesce((select max(id) from sources.edge_logs), 1)',
  'a subquery in CASE': 'select case when (select count(*) from sources.edge_logs) > 0 then 1 end from edge_logs',
  EXISTS: 'select id from edge_logs where exists (select 1 from sources.edge_logs)',
  'IN a subquery': 'select id from edge_logs where id in (select id from sources.edge_logs)',
  'NOT IN a subquery': 'select id from edge_logs where id not in (select id from sources.edge_logs)',
  'an array subquery': 'select array(select id from sources.edge_logs)',
  'UNNEST of an array subquery': 'select * from unnest(array(select id from sources.edge_logs))',
  'a subquery in ON': 'select 1 from edge_logs a join edge_logs b on a.id = (select max(id) from sources.edge_logs)',
  'a subquery in GROUP BY': 'select count(*) from edge_logs group by (select max(id) from sources.edge_logs)',
  'a subquery in HAVING': 'select count(*) from edge_logs having count(*) > (select count(*) from sources.edge_logs)',
  'a subquery in QUALIFY':
    'select id from edge_logs qualify row_number() over () > (select count(*) from sources.edge_logs)',
  'a subquery in ORDER BY': 'select id from edge_logs order by (select max(id) from sources.edge_logs)',
  'a subquery in a window': 'select sum(1) over (order by (select max(id) from sources.edge_logs)) from edge_logs',
  'a subquery in an aggregate': 'select count(distinct (select max(id) from sources.edge_logs)) from edge_logs',
  'a subquery in a STRUCT': 'select struct((select max(id) from sources.edge_logs) as x)',
  'a subquery as an array index': 'select [1, 2][offset((select count(*) from sources.edge_logs))]',
  'a correlated subquery':
    'select id from edge_logs e where (select count(*) from sources.edge_logs s where s.id = e.id) > 0',
  'a WITH body': 'with a as (select * from sources.edge_logs) select * from a',
  'a WITH body that nothing reads': 'with a as (select * from sources.edge_logs) select 1',
  'a WITH in a WITH': 'with a as (with b as (select * from sources.edge_logs) select * from b) select * from a',
  'a WITH in a subquery': 'select * from (with b as (select * from sources.edge_logs) select * from b)',
  'a WITH that shadows a table': 'with edge_logs as (select * from sources.edge_logs) select * from edge_logs',
  'a chain of WITH tables that shadow one another':
    'with edge_logs as (select * from edge_logs), database_logs as (select * from sources.edge_logs) select * from edge_logs',
  'a WITH table named sources': 'with sources as (select * from edge_logs) select * from sources.edge_logs',
  'an alias named sources': 'select * from edge_logs as sources, sources.edge_logs',
  'an alias named sources, in a subquery': 'select (select count(*) from sources.edge_logs) from edge_logs as sources',
  'a set operation': 'select id from edge_logs union all select id from sources.edge_logs',
  'the thirteenth arm of a set operation': `${'select 1 union all '.repeat(12)}select 1 from sources.edge_logs`,
  'INTERSECT in parentheses':
    '(select id from edge_logs) intersect distinct (select id from (select id from sources.edge_logs))',
  EXCEPT: 'select id from edge_logs except distinct select id from sources.edge_logs',
  'a table of a caller WITH outside its scope': 'select * from (with mine as (select 1 as x) select * from mine), mine',
  'a WITH table that refers to itself': 'with mine as (select * from mine) select * from mine',
  'a WITH table before its definition': 'with a as (select * from b), b as (select 1) select * from a',
  'an unknown table': 'select * from edge_log',
  'the information schema of another catalogue': 'select * from main.information_schema.tables',
  'the information schema of a path': 'select * from edge_logs.information_schema.tables',
  'a table of the main schema': 'select * from main.edge_logs',
  'a table of an event file': 'select * from active_1.edge_logs',
  'a table of an event file and schema': 'select * from `active-1`.main.edge_logs',
  'a sealed event file': 'select * from sealed_1.edge_logs',
  'the SQLite master table': 'select * from sqlite_master',
  'the catalogue of PostgreSQL': 'select * from pg_catalog.pg_tables',
  'an engine view without parentheses': 'select * from duckdb_tables',
  'a file as a table': 'select * from `/etc/passwd`',
  'a Parquet file as a table': 'select * from `x.parquet`',
  'a wildcard table': 'select * from `sources.*`',
  'a generated alias': 'select * from t1',
  'a quoted name with a quote in it': 'select * from `edge_logs" union select 1 --`',
  'a quoted name with a semicolon': 'select * from `edge_logs; drop table edge_logs`',
  'a full-width look-alike': 'select * from `ｅdge_logs`',
  'a Cyrillic look-alike': 'select * from `еdge_logs`',
  'a name with a zero-width space': 'select * from `edge\u200b_logs`',
  'a name with a trailing space': 'select * from `edge_logs `',
});

/** Ways to call what reads outside. */
const functions = group(fn, {
  'a CSV file': "select * from read_csv('/etc/passwd')",
  'a text file': "select * from read_text('/etc/passwd')",
  'a JSON file': "select * from read_json_auto('x.json')",
  'a Parquet file': "select * from read_parquet('*')",
  'a blob': "select * from read_blob('/etc/passwd')",
  'a list of files': "select * from glob('*')",
  'a range in backticks': 'select * from `range`(10)',
  'a generated series': 'select * from generate_series(1, 10)',
  'the engine settings': 'select * from duckdb_settings()',
  'the engine tables': 'select * from duckdb_tables()',
  'the engine databases': 'select * from duckdb_databases()',
  'a pragma as a function': "select * from pragma_table_info('edge_logs')",
  'a table scan by name': "select * from seq_scan('edge_logs')",
  'a query in a text': "select * from query('select 1')",
  'a table in a text': "select * from query_table('edge_logs')",
  'a table function in a join': "select * from edge_logs join read_text('/etc/passwd') on true",
  'a table function in a subquery': "select (select max(content) from read_text('/etc/passwd'))",
  'a table function in a WITH': "with a as (select * from read_text('/etc/passwd')) select * from a",
  'a table function of a schema': "select * from main.read_text('/etc/passwd')",
  'a table function in backticks': "select * from `read_text`('/etc/passwd')",
  sqlite_scan: "select * from sqlite_scan('store.sqlite', 'tokens')",
});

/** Scalar calls of what an engine offers beyond the dialect. */
const systemCalls = group(fn, {
  'the environment': "select getenv('HOME')",
  'a setting': "select current_setting('memory_limit')",
  'the version': 'select version()',
  'a pause': 'select pg_sleep(10)',
  'another pause': 'select sleep(10)',
  'a file in the select list': "select read_text('/etc/passwd')",
  'a blob in the select list': "select read_blob('/etc/passwd')",
  'the current database': 'select current_database()',
  'the current schema': 'select current_schema()',
  'the current query': 'select current_query()',
  'the transaction': 'select txid_current()',
  'a sequence': "select nextval('s')",
  'a function under another prefix': "select duckdb.getenv('HOME')",
  'a SAFE call of what does not exist': "select safe.getenv('HOME')",
  'a function in backticks': "select `getenv`('HOME')",
  'a function in upper case': "select GETENV('HOME')",
});

/** Names that do not exist. */
const names = group('sql.unknown_name', {
  'a hash of the engine': 'select `hash`(id) from edge_logs',
  'a cast of the engine': 'select try_strptime(id, "x") from edge_logs',
  'a type of the engine': 'select typeof(id) from edge_logs',
  'a lambda function': 'select list_transform([1], 1)',
  'a function under another schema': "select main.lower('X')",
  'the internal name of an operator': 'select `$eq`(1, 1)',
  'a column that no table shows': 'select project from edge_logs',
  'a column of the engine': 'select rowid from edge_logs',
  'a qualified column of the engine': 'select e.rowid from edge_logs e',
  'a generated column name': 'select c1 from edge_logs',
  'a column of a stored query that is not shown': 'select t.project from edge_logs t',
  'an undeclared parameter': 'select @secret',
  'an undeclared parameter in a subquery': 'select * from edge_logs where id in (select @secret)',
});

/** What is no query. */
const statements = group(statement, {
  COPY: "copy edge_logs to '/tmp/x'",
  'COPY of a query': "copy (select 1) to '/tmp/x'",
  ATTACH: "attach 'x.db'",
  DETACH: 'detach main',
  INSTALL: 'install httpfs',
  LOAD: 'load httpfs',
  SET: "set memory_limit = '10GB'",
  RESET: 'reset all',
  PRAGMA: 'pragma database_list',
  CREATE: 'create table x as select 1',
  'CREATE FUNCTION': 'create temp function f() as (1)',
  INSERT: "insert into edge_logs values ('x')",
  UPDATE: "update edge_logs set id = 'x' where true",
  DELETE: 'delete from edge_logs where true',
  MERGE: 'merge edge_logs using database_logs on false when not matched then insert row',
  TRUNCATE: 'truncate table edge_logs',
  DROP: 'drop table edge_logs',
  ALTER: 'alter table edge_logs add column x int64',
  EXPORT: "export database '/tmp/x'",
  IMPORT: "import database '/tmp/x'",
  CALL: 'call duckdb_settings()',
  EXPLAIN: 'explain select 1',
  'EXPLAIN ANALYZE': 'explain analyze select 1',
  DESCRIBE: 'describe select 1',
  SHOW: 'show tables',
  SUMMARIZE: 'summarize edge_logs',
  VACUUM: 'vacuum',
  CHECKPOINT: 'checkpoint',
  BEGIN: 'begin transaction',
  USE: 'use main',
  EXECUTE: "execute immediate 'select 1'",
  DECLARE: 'declare x int64',
  'two statements': 'select 1; select 2',
  'two statements, the second a change': 'select 1; drop table edge_logs',
  'a second statement behind a comment': 'select 1; -- x\nselect 2',
  'a second statement behind an empty one': 'select 1;; select 2',
  'a values list': 'values (1)',
  GRANT: 'grant select on edge_logs to x',
});

/** What other dialects have. */
const unsupported = group('sql.unsupported', {
  'a system variable': 'select @@version',
  'a system variable of a path': 'select @@global.x',
  'a positional parameter': 'select ?',
  'FOR UPDATE': 'select 1 from edge_logs for update',
});

/** What does not parse. */
const syntax = group('sql.syntax', {
  'a dollar parameter': 'select $1',
  'dollar quoting': 'select $$x$$',
  'an unterminated literal': "select 'x",
  'an unterminated comment': 'select 1 /* x',
  'a full-width semicolon': 'select 1； select 2',
  'full-width letters as keywords': 'ｓｅｌｅｃｔ 1',
  'a full-width quote': 'select ＇x＇',
  'curly quotes': 'select ‘x’',
  'SELECT INTO': 'select 1 into outfile x from edge_logs',
  'an empty FROM': 'select * from',
  'a bare expression': '1 + 1',
  'a lambda': 'select (x -> x + 1)',
  'a bare table': 'edge_logs',
  'only a comment': '-- select 1',
});

export const escapes: readonly Escape[] = [
  ...tables,
  ...functions,
  ...systemCalls,
  ...names,
  ...statements,
  ...unsupported,
  ...syntax,
];
