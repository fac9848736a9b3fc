import { describe, expect, it } from 'vitest';
import { outlineOfExpression, refusalOf } from './testing/expectations.ts';

describe('calls', () => {
  it.each([
    ['f()', 'FunctionCall([f])'],
    ["F(a, 'b', 1 + 2)", 'FunctionCall([F] [a "b" Binary(+ 1 2)])'],
    ['count(*)', 'FunctionCall([count] [*])'],
    ['net.host(u)', 'FunctionCall([net host] [u])'],
    ['safe.parse_json(x).level', 'FieldAccess(FunctionCall([parse_json] isSafe [x]) level)'],
    ['SAFE.net.ip_from_string(x)', 'FunctionCall([net ip_from_string] isSafe [x])'],
    ['`f`(x)', 'FunctionCall([`f`] [x])'],
    ['if(a, 1, 2)', 'FunctionCall([if] [a 1 2])'],
    ['left(a, 1)', 'FunctionCall([left] [a 1])'],
    ['right(a, 1)', 'FunctionCall([right] [a 1])'],
    ['grouping(a)', 'FunctionCall([grouping] [a])'],
    ['mod(a, b)[offset(0)].c', 'FieldAccess(Subscript(FunctionCall([mod] [a b]) offset 0) c)'],
    ['f(a => 1, `b` => x + 1)', 'FunctionCall([f] [NamedArgument(a 1) NamedArgument(`b` Binary(+ x 1))])'],
    ['timestamp_trunc(t, week(monday))', 'FunctionCall([timestamp_trunc] [t FunctionCall([week] [monday])])'],
    ['f((select 1))', 'FunctionCall([f] [ScalarSubquery(Query(Select([SelectExpression(1)])))])'],
    ['f(interval 1 day)', 'FunctionCall([f] [Interval(1 day)])'],
  ] as const)('%s', (text, tree) => {
    expect(outlineOfExpression(text)).toBe(tree);
  });
});

describe('aggregate modifiers', () => {
  it.each([
    ['count(distinct a)', 'FunctionCall([count] isDistinct [a])'],
    [
      "string_agg(distinct a, ',' order by a desc)",
      'FunctionCall([string_agg] isDistinct [a ","] orderBy=[OrderingItem(a desc)])',
    ],
    [
      'array_agg(distinct a ignore nulls order by b desc nulls last, c limit 3)[offset(0)]',
      'Subscript(FunctionCall([array_agg] isDistinct [a] nulls=ignore orderBy=[OrderingItem(b desc nulls=last) OrderingItem(c asc)] limit=3) offset 0)',
    ],
    ['any_value(a respect nulls)', 'FunctionCall([any_value] [a] nulls=respect)'],
    ['any_value(a having max b)', 'FunctionCall([any_value] [a] having=HavingModifier(max b))'],
    ['any_value(a having min b + 1)', 'FunctionCall([any_value] [a] having=HavingModifier(min Binary(+ b 1)))'],
    ['approx_quantiles(x, 100)[offset(95)]', 'Subscript(FunctionCall([approx_quantiles] [x 100]) offset 95)'],
  ] as const)('%s', (text, tree) => {
    expect(outlineOfExpression(text)).toBe(tree);
  });
});

describe('windows', () => {
  it.each([
    ['row_number() over ()', 'FunctionCall([row_number] over=WindowSpecification())'],
    ['sum(a) over w', 'FunctionCall([sum] [a] over=WindowName(w))'],
    ['lag(a) over (w)', 'FunctionCall([lag] [a] over=WindowSpecification(base=w))'],
    [
      'lag(a ignore nulls) over (w order by b)',
      'FunctionCall([lag] [a] nulls=ignore over=WindowSpecification(base=w orderBy=[OrderingItem(b asc)]))',
    ],
    [
      'sum(a) over (partition by b, c order by d desc)',
      'FunctionCall([sum] [a] over=WindowSpecification(partitionBy=[b c] orderBy=[OrderingItem(d desc)]))',
    ],
    [
      'sum(a) over (order by c rows 2 preceding)',
      'FunctionCall([sum] [a] over=WindowSpecification(orderBy=[OrderingItem(c asc)] WindowFrame(rows FrameBound(preceding 2))))',
    ],
    [
      'sum(a) over (order by c rows between unbounded preceding and current row)',
      'FunctionCall([sum] [a] over=WindowSpecification(orderBy=[OrderingItem(c asc)] WindowFrame(rows FrameBound(unbounded_preceding) upper=FrameBound(current_row))))',
    ],
    [
      'sum(a) over (order by c range between 1 + 1 preceding and unbounded following)',
      'FunctionCall([sum] [a] over=WindowSpecification(orderBy=[OrderingItem(c asc)] WindowFrame(range FrameBound(preceding Binary(+ 1 1)) upper=FrameBound(unbounded_following))))',
    ],
    [
      'sum(a) over (rows between current row and @n following)',
      'FunctionCall([sum] [a] over=WindowSpecification(WindowFrame(rows FrameBound(current_row) upper=FrameBound(following @n))))',
    ],
  ] as const)('%s', (text, tree) => {
    expect(outlineOfExpression(text)).toBe(tree);
  });
});

describe('errors say what may stand there', () => {
  it.each([
    ['select f(1', 'sql.syntax', 'Expecting ) or a comma; got the end of the query at line 1, column 11.'],
    ['select f(,)', 'sql.syntax', 'Expecting an expression; got `,` at line 1, column 10.'],
    ['select f(1 2)', 'sql.syntax', 'Expecting ) or a comma; got `2` at line 1, column 12.'],
    ['select f(distinct)', 'sql.syntax', 'Expecting an expression; got `)` at line 1, column 18.'],
    [
      'select f(select 1)',
      'sql.syntax',
      'Expecting an expression; got `select` at line 1, column 10. Put a subquery in its own parentheses.',
    ],
    ['select f(a ignore)', 'sql.syntax', 'Expecting NULLS; got `)` at line 1, column 18.'],
    ['select f(a having avg b)', 'sql.syntax', 'Expecting MAX or MIN after HAVING; got `avg` at line 1, column 19.'],
    ['select f(a) over', 'sql.syntax', 'Expecting a window name or (; got the end of the query at line 1, column 17.'],
    ['select f(a) over (order b)', 'sql.syntax', 'Expecting BY; got `b` at line 1, column 25.'],
    [
      'select f(a) over (partiton by b)',
      'sql.syntax',
      'Expecting PARTITION; got `partiton` at line 1, column 19. Did you mean PARTITION?',
    ],
    ['select f(a) over (rows 1)', 'sql.syntax', 'Expecting PRECEDING or FOLLOWING; got `)` at line 1, column 25.'],
    [
      'select f(a) over (order by b nulls middle)',
      'sql.syntax',
      'Expecting FIRST or LAST after NULLS; got `middle` at line 1, column 36.',
    ],
    [
      'select f(a) over (order by b groups 1 preceding)',
      'sql.unsupported',
      'GROUPS is not supported in window frames; use ROWS or RANGE (line 1, column 30).',
    ],
  ] as const)('%s', (text, code, message) => {
    const error = refusalOf(text);
    expect([error.code, error.message]).toEqual([code, message]);
  });
});
