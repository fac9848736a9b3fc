import { limits } from '../../src/core/limits.ts';
import { duckdbLimits } from '../../src/engines/duckdb/limits.ts';
import { aggregateFunctions } from '../../src/googlesql/functions/aggregates.ts';
import { arrayFunctions } from '../../src/googlesql/functions/arrays.ts';
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
import { signatureTexts } from './signatureText.ts';

/** What the compiler puts around arguments: nobody writes it. */
const unwritten = '$json_in_text';

/** Every function belongs to one of them; the page fails to be made where the catalogue has more. */
const families: readonly (readonly [title: string, functions: readonly CatalogueEntry[]])[] = [
  ['Operators', operatorFunctions.filter(({ name }) => name !== unwritten)],
  ['Conditions', conditionalFunctions],
  ['Aggregates', aggregateFunctions],
  ['Window functions', windowFunctions],
  ['Numbers', mathFunctions],
  ['Texts', stringFunctions],
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

Queries are GoogleSQL, read-only: one SELECT or pipe query, its tables those of the endpoint. What is not on this page does not exist here, and is refused by
name. The examples are run when this page is made, at 2026-05-01 10:20:30.123456 UTC.

[Queries](#queries) · [Pipe syntax](#pipe-syntax) · ${families.map(([title]) => `[${title}](#${anchor(title)})`).join(' · ')} ·
[Accepted beyond GoogleSQL](#accepted-beyond-googlesql) · [From other dialects](#from-other-dialects) · [Answered differently](#answered-differently) · [Refused](#refused) · [Bounds](#bounds)

In signatures, brackets hold what may be left out, \`…\` what may be repeated; \`T\` and \`U\` are any types, the same throughout a signature. A nested value of an
event fits every scalar type: it is read as what the function takes, in arrays and structs too; a number computed of such values fits INT64.
A nested string that holds JSON is text to JSON_VALUE, JSON_QUERY, JSON_EXTRACT and their like: \`json_value(m.raw, '$.message')\` reads it; JSON_TYPE and LAX_ functions take the string as it is, and so does everything of a string in JSON that PARSE_JSON made. A path does not go through such a string: \`json_value(m, '$.raw.message')\` is NULL, as a string has no members. The prefix \`SAFE.\` makes an error of a function of one row NULL.

Where a \`part\` of a time is taken, it is one of ${dateParts.datetime.map(code).join(', ')}; EXTRACT takes ${['dayofweek', 'dayofyear', ...dateParts.asDate, ...dateParts.asTime, ...dateParts.asDatetime].map(code).join(', ')} as well.
Differences of TIMESTAMPs count in ${dateParts.elapsed.map(code).join(', ')}; an INTERVAL in ${dateParts.interval.map(code).join(', ')}.

## Queries

| | | example | rows |
| --- | --- | --- | --- |
${(await shapeRows(clauses, engine)).join('\n')}

## Pipe syntax

A query may start with FROM, and operators may follow any query, each behind \`|>\`.

| | | example | rows |
| --- | --- | --- | --- |
${(await shapeRows(pipeOperators, engine)).join('\n')}

${sections.join('\n\n')}

## Accepted beyond GoogleSQL

Each is answered with a notice in \`meta.notices\`.

| query | result | notice |
| --- | --- | --- |
${(await Promise.all(acceptedForms.map((form) => acceptedRow(form, engine)))).join('\n')}

## From other dialects

An error at one of these says what works instead.

| from | written there | works here |
| --- | --- | --- |
${habits.map((habit) => `| ${habit.from} | ${code(shownHabit(habit.example))} | ${code(shownHabit(habit.works))} |`).join('\n')}

Text in double quotes is a string: where it is spelt like a column, a notice (\`sql.quoted_name\`) says so. \`x::type\` and ILIKE are [accepted](#accepted-beyond-googlesql).

## Answered differently

GoogleSQL's reference evaluator answers these otherwise; recorded answers of it are compared with those of Logmill in the tests.

${differences()}

FLOAT64 values in results are JSON numbers with the fewest digits that say them; whole ones below 2^53 have no decimal point. As text (\`CAST(x AS STRING)\`) they have 15 or 17
digits, as in GoogleSQL. APPROX_ functions are exact.

- Times hold microseconds. Constant text with nanoseconds is read up to them, with a notice; text of columns without one. An INTERVAL with nanoseconds is not read.
- PARSE_JSON of text of a column keeps a member that is written twice; functions read the first, as in GoogleSQL. Of constant text the first alone is kept.
- The names of zones are read in any case, and a constant \`'Z'\` as UTC; GoogleSQL refuses \`'utc'\`.
- A DATE beside a TIMESTAMP (\`timestamp >= DATE '2026-05-01'\`) is its midnight in UTC, as a text without a time is; GoogleSQL wants TIMESTAMP(date).
- Rows of events with equal keys have the order of their arrival in windows too, where a function tells them apart; LAST_VALUE without a frame gives a value of any row equal to the last, as in GoogleSQL.
- A STRUCT with two fields of one name is written with the second as \`name_1\`, so that no reader of JSON loses one.

Some values that GoogleSQL computes are errors (\`sql.data\`), because the engine computes them another way:

- variances, deviations, covariances and correlations whose squares are beyond FLOAT64, which GoogleSQL scales or calls infinite;
- a SUM of FLOAT64 whose total is beyond all numbers on the way, but not at its end, and an AVG whose total is at any time;
- PARSE_* with the week elements %U and %W: week 00, of which GoogleSQL makes a day of another year, a week beside another element of the day (the last one counts there), and one beside minutes.

## Refused

Refused by name, never answered differently: what is written here, and what to write instead.

| function | |
| --- | --- |
${[...refusedFunctions].map(([name, sentence]) => `| \`${name.toUpperCase()}\` | ${cell(sentence)} |`).join('\n')}

| form | |
| --- | --- |
${refusedForms.map((form) => `| ${code(form)} | ${cell(engine.refusal(form))}. |`).join('\n')}

## Bounds

What a function makes is bounded before it is made; beyond a bound the query ends with \`sql.data\`, which names the function.

| what | at most |
| --- | --- |
| a text or byte string made by a function (REPEAT, LPAD, RPAD, FORMAT, REPLACE, CONCAT, STRING_AGG, TO_HEX, TO_JSON_STRING …) | 4 MiB |
| a generated array | 100,000 elements |
| an array joined from others | 1,000,000 elements |
| FARM_FINGERPRINT, SHA512, REGEXP_INSTR, NORMALIZE of texts that are not ASCII, and FORMAT with a format or a width that is not constant or with # for a FLOAT64, each call in one query | 500,000 values and 64 MiB |
| REGEXP_INSTR (characters that are looked at times the size of the pattern, for each match) and NORMALIZE (squares of runs of combining marks), all calls in one query | 100,000,000 steps |
| an INTERVAL | 10,000 years |
| dates and times | the years 0001 to 9999 |

What a query may be is bounded before it is run; beyond a bound it is refused with \`sql.too_complex\`.

| what | at most |
| --- | --- |
| the text of a query of the caller's own | ${defaultParseLimits.bytesMax / 1024} KiB |
| syntax nodes | ${defaultParseLimits.nodesMax.toLocaleString('en')} |
| SELECTs, in WITH tables, subqueries and arms of set operations together | ${defaultParseLimits.selectsMax} |
| constructs inside one another | ${defaultParseLimits.depthMax}; ${defaultParseLimits.heightMax} in a chain of operators or joins, fewer of operators that the engine takes more steps for |
| names in one path below its column | ${pathStepsMax} |
| STRUCTs inside one another | ${typeDepthMax} |
| patterns of LIKE ANY, SOME or ALL behind a subquery | ${subqueryPatternsMax} |
| columns of the result | ${limits.outputColumnsMax.toLocaleString('en')} |
| conditions IN (SELECT …) of one query, those of WITH tables and subqueries included | ${duckdbLimits.inSubqueriesMax} |
| tables that one join brings together, WITH tables and subqueries included | ${duckdbLimits.joinedTablesMax} |
| tables beside one another without ON or USING | ${duckdbLimits.crossJoinedTablesMax} |
| aggregations on one another | ${duckdbLimits.aggregateDepthMax} |
| subqueries inside one another as values | ${duckdbLimits.subqueryDepthMax} |
| pipe operators of one query | ${pipesMax} |
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
    const signatures = signatureTexts(fn).map(code).join('<br>');
    const modifiers =
      fn.modifiers === undefined ? '' : ` Takes ${fn.modifiers.map((m) => modifierTexts[m]).join(', ')}.`;
    const window = fn.kind === 'aggregate' && fn.windowable === false ? ' Takes no OVER.' : '';
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
  if (fn.isVolatile === true) return 'differs';
  return (await engine.rows(fn.example)).map(code).join('<br>');
}

async function acceptedRow(form: string, engine: DialectEngine): Promise<string> {
  const notices = engine.notices(form);
  if (notices.length === 0) throw new Error(`accepted without a notice: ${form}`);
  return `| ${code(form)} | ${(await engine.rows(form)).map(code).join('<br>')} | ${notices.map(cell).join('<br>')} |`;
}

/** Reasons with the expressions that show them. */
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

/** Text of a table's cell. */
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

/** Code in a table's cell. */
function code(text: string): string {
  const fence = text.includes('`') ? '``' : '`';
  return `${fence}${cell(text)}${fence}`;
}

/** Without the tables that all of them read. */
const shownHabit = (sql: string): string => sql.replace('edge_logs AS t CROSS JOIN UNNEST(metadata) AS m', '…');
