import { limits } from '../../src/core/limits.ts';
import { likeLimits } from '../../src/engines/duckdb/functions/likeExpression.ts';
import { defaultEngineLimits } from '../../src/googlesql/engineLimits.ts';
import { aggregateFunctions } from '../../src/googlesql/functions/aggregates.ts';
import { arrayFunctions } from '../../src/googlesql/functions/arrays.ts';
import { callForms } from '../../src/googlesql/functions/callForms.ts';
import { type CatalogueEntry, functionCatalogue } from '../../src/googlesql/functions/catalogue.ts';
import { conditionalFunctions } from '../../src/googlesql/functions/conditionals.ts';
import { dateParts } from '../../src/googlesql/functions/dateParts.ts';
import { datetimeFunctions } from '../../src/googlesql/functions/datetimes.ts';
import { hashFunctions } from '../../src/googlesql/functions/hashes.ts';
import { jsonFunctions } from '../../src/googlesql/functions/json.ts';
import { mathFunctions } from '../../src/googlesql/functions/maths.ts';
import { networkFunctions } from '../../src/googlesql/functions/networks.ts';
import { operatorFunctions } from '../../src/googlesql/functions/operators.ts';
import { refusedFunctions } from '../../src/googlesql/functions/refused.ts';
import { regexpFunctions } from '../../src/googlesql/functions/regexps.ts';
import { stringFunctions } from '../../src/googlesql/functions/strings.ts';
import { timestampFunctions } from '../../src/googlesql/functions/timestamps.ts';
import { windowFunctions } from '../../src/googlesql/functions/windows.ts';
import { habits } from '../../src/googlesql/habits.ts';
import { subqueryPatternsMax } from '../../src/googlesql/resolve/likeQuantified.ts';
import { pathStepsMax } from '../../src/googlesql/resolve/names.ts';
import { pipesMax } from '../../src/googlesql/resolve/pipes.ts';
import { typeDepthMax } from '../../src/googlesql/resolve/resolvedSize.ts';
import { defaultParseLimits } from '../../src/googlesql/syntax/parseLimits.ts';
import { expressionDeviations, queryDeviations } from '../../test/conformance/deviations.ts';
import { DialectEngine } from './dialectEngine.ts';
import { acceptedForms, refusedForms } from './dialectForms.ts';
import { clauses, type DialectShape, pipeOperators } from './dialectShapes.ts';

/** The compiler adds it around arguments; no query names it. */
const unwritten = '$json_in_text';

/** The page throws if the catalogue has a function in none of these. */
const families: readonly (readonly [title: string, functions: readonly CatalogueEntry[]])[] = [
  ['Operators', operatorFunctions.filter(({ name }) => name !== unwritten)],
  ['Conditions', conditionalFunctions],
  ['Aggregates', aggregateFunctions],
  ['Window functions', windowFunctions],
  ['Numbers', mathFunctions],
  ['Strings', stringFunctions],
  ['Regular expressions', regexpFunctions],
  ['JSON', jsonFunctions],
  ['Timestamps', timestampFunctions],
  ['Dates, datetimes and times', datetimeFunctions],
  ['Arrays', arrayFunctions],
  ['Digests and identifiers', hashFunctions],
  ['Networks', networkFunctions],
];

/** The page of the query dialect, from the catalogue of functions; every result is that of the engine. */
export async function dialectPage(): Promise<string> {
  const listed = families.flatMap(([, functions]) => functions);
  const missing = [...functionCatalogue.values()].filter((fn) => fn.name !== unwritten && !listed.includes(fn));
  if (missing.length > 0) throw new Error(`in no family: ${missing.map((fn) => fn.name).join(', ')}`);
  const engine = await DialectEngine.open();
  const sections: string[] = [];
  for (const [title, functions] of families) sections.push(await familySection(title, functions, engine));
  return `# The query dialect

Queries are written in GoogleSQL and are read-only. A query is one SELECT or one pipe query over the endpoint's tables. Logmill rejects anything that is not
on this page, and names it in the error. The examples ran when this page was generated, with the clock at 2026-05-01 10:20:30.123456 UTC.

[Queries](#queries) · [Pipe syntax](#pipe-syntax) · ${families.map(([title]) => `[${title}](#${anchor(title)})`).join(' · ')} ·
[Accepted beyond GoogleSQL](#accepted-beyond-googlesql) · [From other dialects](#from-other-dialects) · [Answered differently](#answered-differently) · [Refused](#refused) · [Bounds](#bounds)

In signatures:

- Brackets enclose optional arguments. \`…\` follows arguments that may be repeated.
- \`T\` and \`U\` stand for any type. Each letter stands for the same type throughout a signature.
- A \`part\` of a time is one of ${dateParts.datetime.map(code).join(', ')}. EXTRACT also takes ${['dayofweek', 'dayofyear', ...dateParts.asDate, ...dateParts.asTime, ...dateParts.asDatetime].map(code).join(', ')}.
- The part for a difference between TIMESTAMPs is one of ${dateParts.elapsed.map(code).join(', ')}. The part of an INTERVAL is one of ${dateParts.interval.map(code).join(', ')}.

Nested values of events follow these rules:

- A nested value fits every scalar type, also in arrays and structs. Logmill reads it as the type that the function takes. A number computed from nested values
  fits INT64.
- JSON_VALUE, JSON_QUERY, JSON_EXTRACT and their variants read the JSON inside a nested string: \`json_value(m.raw, '$.message')\`. JSON_TYPE and the LAX_
  functions take the string itself.
- A path does not lead into such a string: \`json_value(m, '$.raw.message')\` is NULL, because a string has no members.
- A string in a value made by PARSE_JSON is always a string, for every function.

The prefix \`SAFE.\` turns an error of a scalar function into NULL.

## Queries

| | | example | rows |
| --- | --- | --- | --- |
${(await shapeRows(clauses, engine)).join('\n')}

## Pipe syntax

A query may start with FROM. Pipe operators may follow any query; each one starts with \`|>\`.

| | | example | rows |
| --- | --- | --- | --- |
${(await shapeRows(pipeOperators, engine)).join('\n')}

${sections.join('\n\n')}

## INFORMATION_SCHEMA

Caller queries can read three views of their sandbox: \`INFORMATION_SCHEMA.TABLES\`, \`COLUMNS\` and \`FIELDS\`.
[Finding out what your events hold](../guides/finding-fields.md#in-sql) lists their columns.

## Accepted beyond GoogleSQL

Logmill accepts these forms, and adds a notice to \`meta.notices\`.

| query | result | notice |
| --- | --- | --- |
${(await Promise.all(acceptedForms.map((form) => acceptedRow(form, engine)))).join('\n')}

## From other dialects

If you write one of these, the error message says what to write instead.

| from | there | here |
| --- | --- | --- |
${habits.map((habit) => `| ${habit.from} | ${code(shownHabit(habit.example))} | ${code(shownHabit(habit.works))} |`).join('\n')}

Text in double quotes is a string. If it is spelled like a column, the answer has the notice \`sql.quoted_name\`. \`x::type\` and ILIKE are
[accepted](#accepted-beyond-googlesql).

## Answered differently

Logmill's tests compare its answers with recorded answers of GoogleSQL's reference evaluator. They differ on purpose in these cases:

${differences()}

Other differences:

- FLOAT64 values in results are JSON numbers with the fewest digits that identify the value; integers below 2^53 have no decimal point. As strings
  (\`CAST(x AS STRING)\`) they have 15 or 17 digits, as in GoogleSQL.
- APPROX_ functions are exact.
- Times have microsecond precision. If a constant has nanoseconds, Logmill drops them and adds a notice. If a string in a column has them, Logmill drops them
  without a notice. An INTERVAL with nanoseconds is rejected.
- PARSE_JSON of a column keeps both members if a key occurs twice; functions read the first, as in GoogleSQL. PARSE_JSON of a constant keeps only the first.
- Time zone names are case-insensitive, and the constant \`'Z'\` means UTC. GoogleSQL rejects \`'utc'\`.
- A DATE compared with a TIMESTAMP (\`timestamp >= DATE '2026-05-01'\`) is midnight in UTC, like a string without a time. GoogleSQL requires TIMESTAMP(date).
- Events with equal keys keep their order of arrival in windows too, if a function distinguishes them. LAST_VALUE without a frame gives the value of any row
  that is equal to the last, as in GoogleSQL.
- If a STRUCT has two fields with the same name, the second is written as \`name_1\`, so that JSON readers do not lose one.

GoogleSQL computes these values, but Logmill reports an error (\`sql.data\`) because its engine computes them differently:

- Variances, deviations, covariances and correlations whose squares exceed FLOAT64. GoogleSQL scales them or returns infinity.
- A SUM of FLOAT64 whose running total overflows although the final total would not, and an AVG whose running total ever overflows.
- PARSE_ functions with the week elements %U and %W, in three cases: week 00, which GoogleSQL resolves to a day of another year; a week together with another
  element for the day, where GoogleSQL uses the last one; and a week together with minutes.

## Refused

Logmill rejects these functions and forms instead of answering differently. The error says what to write instead.

| function | |
| --- | --- |
${[...refusedFunctions].map(([name, sentence]) => `| \`${name.toUpperCase()}\` | ${cell(sentence)} |`).join('\n')}

| form | |
| --- | --- |
${refusedForms.map((form) => `| ${code(form)} | ${cell(engine.refusal(form))}. |`).join('\n')}

## Bounds

Logmill checks the size of a function's result before it computes the result. A query that exceeds a limit ends with \`sql.data\`, which names the function.

| limit | at most |
| --- | --- |
| a string or byte string made by a function (REPEAT, LPAD, RPAD, FORMAT, REPLACE, CONCAT, STRING_AGG, TO_HEX, TO_JSON_STRING …) | 4 MiB |
| a LIKE pattern with a \`%\` before its end, except a constant without \`_\` and escapes | ${likeLimits.charactersMax.toLocaleString('en')} characters and ${likeLimits.singlesMax} \`_\` |
| a generated array | 100,000 elements |
| a concatenated array | 1,000,000 elements |
| each call in a query of FARM_FINGERPRINT, SHA512, REGEXP_INSTR, NORMALIZE of non-ASCII strings, and FORMAT with a format or width that is not constant or with # for a FLOAT64 | 500,000 values and 64 MiB |
| all calls in a query of REGEXP_INSTR (steps: characters read × size of the pattern, for each match) and NORMALIZE (steps: squares of the lengths of runs of combining marks) | 100,000,000 steps |
| an INTERVAL | 10,000 years |
| dates and times | years 0001 to 9999 |

Logmill checks the size of a query before it runs it, and rejects larger queries with \`sql.too_complex\`.

| limit | at most |
| --- | --- |
| the text of a caller query | ${defaultParseLimits.bytesMax / 1024} KiB |
| syntax nodes | ${defaultParseLimits.nodesMax.toLocaleString('en')} |
| SELECTs, including those in WITH tables, subqueries and arms of set operations | ${defaultParseLimits.selectsMax} |
| nesting levels | ${defaultParseLimits.depthMax}; ${defaultParseLimits.heightMax} in a chain of operators or joins, fewer for operators that take the engine several steps |
| names in a path below its column | ${pathStepsMax} |
| nested STRUCTs | ${typeDepthMax} |
| patterns of LIKE ANY, SOME or ALL after a subquery | ${subqueryPatternsMax} |
| columns of a result | ${limits.outputColumnsMax.toLocaleString('en')} |
| IN (SELECT …) conditions, including those in WITH tables and subqueries | ${defaultEngineLimits.inSubqueriesMax} |
| tables in one join, including those in WITH tables and subqueries | ${defaultEngineLimits.joinedTablesMax} |
| tables in one cross join | ${defaultEngineLimits.crossJoinedTablesMax} |
| nested aggregations | ${defaultEngineLimits.aggregateDepthMax} |
| nested subqueries that are used as values | ${defaultEngineLimits.subqueryDepthMax} |
| pipe operators | ${pipesMax} |
`;
}

async function shapeRows(shapes: readonly DialectShape[], engine: DialectEngine): Promise<readonly string[]> {
  const rows: string[] = [];
  for (const { form, meaning, example } of shapes) {
    const results = (await engine.rows(example)).map(code).join('<br>');
    rows.push(`| ${code(form)} | ${cell(meaning)} | ${code(example)} | ${results} |`);
  }
  return rows;
}

async function familySection(
  title: string,
  functions: readonly CatalogueEntry[],
  engine: DialectEngine,
): Promise<string> {
  const rows: string[] = [];
  for (const fn of functions) {
    const signatures = callForms(fn).map(code).join('<br>');
    const modifiers =
      fn.modifiers === undefined ? '' : ` Accepts ${fn.modifiers.map((m) => modifierTexts[m]).join(', ')}.`;
    const window = fn.kind === 'aggregate' && fn.windowable === false ? ' Does not accept OVER.' : '';
    rows.push(
      `| ${signatures} | ${cell(fn.meaning)}${modifiers}${window} | ${code(fn.example)} | ${await result(fn, engine)} |`,
    );
  }
  return `## ${title}\n\n| | | example | result |\n| --- | --- | --- | --- |\n${rows.join('\n')}`;
}

const modifierTexts = {
  distinct: 'DISTINCT',
  nulls: 'IGNORE and RESPECT NULLS',
  order_by: 'ORDER BY',
  limit: 'LIMIT',
} as const;

async function result(fn: CatalogueEntry, engine: DialectEngine): Promise<string> {
  if (fn.isVolatile === true) return 'varies';
  return (await engine.rows(fn.example)).map(code).join('<br>');
}

async function acceptedRow(form: string, engine: DialectEngine): Promise<string> {
  const notices = engine.notices(form);
  if (notices.length === 0) throw new Error(`accepted without a notice: ${form}`);
  return `| ${code(form)} | ${(await engine.rows(form)).map(code).join('<br>')} | ${notices.map(cell).join('<br>')} |`;
}

/** Each reason, with the expressions that show it. */
function differences(): string {
  const byReason = new Map<string, string[]>();
  for (const [expression, reason] of expressionDeviations) {
    byReason.set(reason, [...(byReason.get(reason) ?? []), expression]);
  }
  for (const reason of queryDeviations.values()) byReason.set(reason, byReason.get(reason) ?? []);
  return [...byReason]
    .map(([reason, expressions]) => {
      const shown = expressions.length === 0 ? '' : `: ${expressions.map(code).join(', ')}`;
      return `- ${reason.charAt(0).toUpperCase()}${reason.slice(1)}${shown}`;
    })
    .join('\n');
}

const anchor = (title: string): string => title.toLowerCase().replaceAll(',', '').replaceAll(' ', '-');

/** Text in a table cell. */
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

/** Code in a table cell. */
function code(text: string): string {
  const fence = text.includes('`') ? '``' : '`';
  return `${fence}${cell(text)}${fence}`;
}

/** Leaves out the FROM clause, which is the same in most examples. */
const shownHabit = (sql: string): string => sql.replace('edge_logs AS t CROSS JOIN UNNEST(metadata) AS m', '…');
