import fc from 'fast-check';

type Texts = Readonly<
  Record<'query' | 'expression' | 'call' | 'type' | 'select' | 'from' | 'table' | 'pipe' | 'window' | 'order', string>
>;

const name = fc.constantFrom(
  'a',
  'b',
  'Timestamp',
  '`a b`',
  '`se.l`',
  '`order`',
  'offset',
  'count',
  'date',
  'x1',
  '`q\\`\\\\`',
);
const field = fc.oneof(name, fc.constantFrom('select', 'from', 'end', 'interval'));
const literal = fc.constantFrom(
  '0',
  '12',
  '0xFf',
  '18446744073709551615',
  '1.5',
  '.5',
  '1.',
  '1e3',
  '2.E-1',
  "'x'",
  '"it\'s"',
  "'''a'b'''",
  "r'\\d'",
  "'a\\nb\\\\'",
  "'it''s'",
  "'\\.'",
  "'é\\u0001😀'",
  "''",
  "b'a\\xff'",
  "rb'\\''",
  'null',
  'TRUE',
  'false',
  '@p',
  "timestamp '2026-05-01'",
  'date "x"',
  "json '{}'",
); // prettier-ignore
const binary = fc.constantFrom('+', '-', '*', '/', '||', '&', '|', '^', '<<', '>>');
const comparison = fc.constantFrom(
  '=',
  '!=',
  '<>',
  '<',
  '<=',
  '>',
  '>=',
  'is distinct from',
  'is not distinct from',
  'like',
  'not ilike',
);
const part = fc.constantFrom('hour', 'DAY', 'week', '`month`');
const maybe = (text: fc.Arbitrary<string>) => fc.oneof(fc.constant(''), text);
const alias = maybe(
  fc.oneof(
    name.map((each) => ` as ${each}`),
    name.map((each) => ` ${each}`),
  ),
);

/** Fills the placeholders of a pattern in order. */
function fill(strings: TemplateStringsArray, ...holes: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> {
  return fc.tuple(...holes).map((values) => String.raw({ raw: strings.raw }, ...values));
}

function list(item: fc.Arbitrary<string>, max = 3): fc.Arbitrary<string> {
  return fc.array(item, { minLength: 1, maxLength: max }).map((items) => items.join(', '));
}

/** Random queries over the grammar of the parser, small, and deep enough to combine every construct with every other. */
export function queryText(maxDepth: number): fc.Arbitrary<string> {
  const { query } = fc.letrec<Texts>((tie) => {
    const e = tie('expression');
    const q = tie('query');
    const t = tie('type');
    const operand = fc.oneof({ maxDepth }, name, literal, fill`(${e})`);
    const condition = maybe(fc.oneof(fill` on ${e}`, fill` using (${list(name)})`));
    const orders = maybe(fill` order by ${list(tie('order'))}`);
    return {
      order: fill`${e}${fc.constantFrom('', ' asc', ' desc')}${fc.constantFrom('', ' nulls first', ' nulls last')}`,
      type: fc.oneof(
        { maxDepth, withCrossShrink: true },
        fc.constantFrom('int64', 'STRING', 'numeric(10, 2)', 'interval'),
        fill`array<${t}>`,
        fill`struct<a ${t}, ${t}>`,
      ),
      expression: fc.oneof(
        { maxDepth, withCrossShrink: true },
        fc.oneof(name, literal),
        fill`${name}.${field}.${field}`,
        fill`(${e}).1e5`,
        fill`'a' 'b' ${fc.constantFrom("'c'", '"d"')}`,
        fill`(${e}).${field}`,
        fill`(${e})[${fc.constantFrom('', 'offset', 'ordinal', 'safe_offset', 'safe_ordinal')}(${e})]`,
        fill`${fc.constantFrom('-', '+', '~', '- -', 'not ', 'not not ')}${operand}`,
        fill`${operand} ${binary} ${operand} ${binary} ${operand}`,
        fill`${operand} ${comparison} ${operand}`,
        fill`${operand} like ${operand} escape ${operand}`,
        fill`${operand} not like all (${operand}, ${operand})`,
        fill`${operand} ilike any (${operand})`,
        fill`${operand} not like some unnest(${e})`,
        fill`${operand} like all (${q})`,
        fill`${operand} ${fc.constantFrom('and', 'or')} ${operand} ${fc.constantFrom('and', 'or')} ${e}`,
        fill`${operand} is ${fc.constantFrom('', 'not ')}${fc.constantFrom('null', 'true', 'false', 'unknown')}`,
        fill`${operand} ${fc.constantFrom('', 'not ')}between ${operand} and ${operand}`,
        fill`${operand} ${fc.constantFrom('', 'not ')}in (${list(e)})`,
        fill`${operand} in unnest(${e})`,
        fill`${operand} in (${q})`,
        fill`case ${maybe(e)} when ${e} then ${e} when ${e} then ${e}${maybe(fill` else ${e}`)} end`,
        fill`${fc.constantFrom('cast', 'safe_cast')}(${e} as ${t}${maybe(fill` format ${e} at time zone ${e}`)})`,
        fill`${operand}::${fc.oneof(t, fc.constantFrom('timestamp with time zone', 'double precision', 'double', 'text[]'))}`,
        fill`extract(${part} from ${e}${maybe(fill` at time zone ${e}`)})`,
        fill`extract(week(monday) from ${e})`,
        fill`interval ${operand} ${part}${maybe(fill` to ${part}`)}`,
        fill`interval (${e}) ${part}`,
        tie('call'),
        fill`[${list(e)}]`,
        fill`array<${t}>[${maybe(e)}]`,
        fill`array(${q})`,
        fill`struct(${list(fill`${e}${maybe(fill` as ${name}`)}`)})`,
        fill`struct<${t}, b ${t}>(${e}, ${e})`,
        fill`(${e}, ${e})`,
        fill`exists(${q})`,
        fill`(${q})`,
        fill`((${q}) union all (${q}))`,
      ),
      call: fc.oneof(
        { maxDepth },
        fill`${fc.constantFrom('f', 'if', 'left', 'SAFE.f', 'net.host', 'safe.net.host', '`f`', 'count')}(${maybe(list(e))})`,
        fc.constant('count(*)'),
        fill`f(a => ${e}, ${name} => ${e})`,
        fill`array_agg(distinct ${e} ${fc.constantFrom('', 'ignore nulls', 'respect nulls')}${orders}${maybe(fill` limit ${e}`)})`,
        fill`any_value(${e} having ${fc.constantFrom('max', 'min')} ${e})`,
        fill`sum(${e}) over ${tie('window')}`,
      ),
      window: fc.oneof(
        { maxDepth },
        name,
        fill`(${maybe(name)}${maybe(fill` partition by ${list(e)}`)}${orders})`,
        fill`(order by a ${fc.constantFrom('rows', 'range')} ${operand} preceding)`,
        fill`(rows between ${fc.constantFrom('unbounded preceding', 'current row')} and ${operand} following)`,
      ),
      table: fc.oneof(
        { maxDepth },
        fill`${name}.${field}${alias}${fc.constantFrom('', ' with offset', ' with offset as o')}`,
        fill`${fc.constantFrom('t', 'my-project-1.d.t', '`a.b`')}${alias}`,
        fill`unnest(${e})${alias}${fc.constantFrom('', ' with offset', ' with offset o')}`,
        fill`(${q})${alias}`,
        fill`((${q})${alias} join t on true)`,
        fill`(${tie('from')})`,
        fill`f(${e}, ${e})${alias}`,
      ),
      from: fc.oneof(
        { maxDepth },
        tie('table'),
        fill`${tie('table')}, ${tie('table')} cross join ${tie('table')}`,
        fill`${tie('table')} ${fc.constantFrom('join', 'left join', 'right outer join', 'full join')} ${tie('table')}${condition}`,
        fill`${tie('table')} left join ${tie('table')} join ${tie('table')}${condition}`,
        fill`${tie('table')} join ${tie('table')} join ${tie('table')} on ${e} on ${e}`,
      ),
      select: fc
        .tuple(
          fill`select ${fc.constantFrom('', 'distinct ', 'all ', 'as struct ', 'distinct as value ')}`,
          list(
            fc.oneof(
              fill`${e}${alias}`,
              fill`*${maybe(fill` except (${list(name)})`)}${maybe(fill` replace (${e} as ${name})`)}`,
              fill`${name}.*${maybe(fill` except (${name})`)}`,
              fill`(${e}).*`,
            ),
          ),
          fc.constantFrom('', ','),
          maybe(fill` from ${tie('from')}`),
          maybe(fill` where ${e}`),
          maybe(
            fc.oneof(
              fill` group by ${list(e)}`,
              fc.constant(' group by all'),
              fc.constant(' group by ()'),
              fill` group by rollup(${list(e)}), ${e}`,
            ),
          ),
          maybe(fill` having ${e}`),
          maybe(fill` qualify ${e}`),
          maybe(fill` window w as ${tie('window')}, v as ${tie('window')}`),
        )
        .map((parts) => parts.join('')),
      query: fc.oneof(
        { maxDepth },
        fill`select ${literal}`,
        tie('select'),
        fill`${tie('select')}${orders} limit ${e}${maybe(fill` offset ${e}`)}`,
        fill`with a as (${q}), ${name} as (${q}) ${q}`.filter((text) => !/\) with /.test(text)),
        fill`(${q}) ${fc.constantFrom('union all', 'union distinct', 'intersect distinct', 'except all')} ${tie('select')}${orders}`,
        fill`(${q}) union all (${q}) union all ${tie('select')}`,
        fill`(${q}) ${fc.constantFrom('', 'inner ', 'left ', 'full outer ', 'outer ')}union all by name${maybe(fill` on (${list(name)})`)} ${tie('select')}`,
        fill`${tie('select')} ${fc.constantFrom('', 'strict ')}${fc.constant('')}except distinct (${q})`.map((text) =>
          text.replace(/ strict except distinct/, ' except distinct strict corresponding'),
        ),
        fill`from ${tie('from')}${maybe(tie('pipe'))}${maybe(tie('pipe'))}`,
        fill`(${q})${tie('pipe')}`,
      ),
      pipe: fc.oneof(
        { maxDepth },
        fill` |> where ${e}`,
        fill` |> select ${e}${alias}, *`,
        fill` |> select distinct ${e} window w as ${tie('window')}`,
        fill` |> extend ${e}${alias}`,
        fill` |> set ${name} = ${e}, ${name} = ${e}`,
        fill` |> drop ${list(name)}`,
        fill` |> rename ${name} as ${name}, ${name} ${name}`,
        fill` |> as ${name}`,
        fill` |> aggregate ${e}${alias}${fc.constantFrom('', ' desc', ' asc nulls last')} group ${fc.constantFrom('', 'and order ')}by ${list(fill`${e}${alias}`)}`,
        fc.constant(' |> distinct'),
        fill` |> order by ${list(tie('order'))}`,
        fill` |> limit ${e}${maybe(fill` offset ${e}`)}`,
        fill` |> ${fc.constantFrom('join', 'left join')} ${tie('table')}${condition}`,
        fill` |> cross join ${tie('table')}`,
        fill` |> except distinct (${q}), (${q})`,
        fill` |> ${fc.constantFrom('left ', 'inner ', '')}intersect all corresponding${maybe(fill` by (${name})`)} (${q})`,
      ),
    };
  });
  return query;
}
