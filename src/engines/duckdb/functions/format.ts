import type { SqlType } from '../../../googlesql/types.ts';
import { quoteText } from '../emit/literal.ts';
import type { EmitContext, EmitFunction } from './emitContext.ts';
import { jsonText } from './jsonText.ts';
import { scalarText } from './scalarText.ts';
import { argument, bind, constantText, failure } from './sqlText.ts';

const widthMax = 10_000;
const specifier = /%([-+ 0#']*)(\d+)?(?:\.(\d+))?([a-zA-Z%*])/g;

/**
 * FORMAT with a constant format: %d %i %u (INT64), %x %X %o (INT64), %f %F %e %E %g %G (FLOAT64), %s (STRING),
 * %t (any value as text), %T (as a literal), %p (JSON), %%. A NULL for any but %t and %T makes the result NULL.
 */
export const emitFormat: EmitFunction = (args, context) => {
  const format = constantText(context, 0);
  if (context.constants[0] === null) return 'CAST(NULL AS VARCHAR)';
  if (format === undefined) return failure(context, 'The format of FORMAT must be a literal.');
  const pieces: string[] = [];
  let at = 0;
  let used = 1;
  for (const match of format.matchAll(specifier)) {
    const [whole, flags = '', width = '', precision, verb = ''] = match;
    const before = format.slice(at, match.index);
    if (before.includes('%')) return failure(context, badFormat);
    if (before !== '') pieces.push(quoteText(before));
    at = match.index + whole.length;
    if (verb === '%') {
      pieces.push("'%'");
      continue;
    }
    if (Number(width) > widthMax || Number(precision ?? 0) > widthMax) {
      return failure(context, `Widths and precisions in FORMAT go up to ${widthMax}.`);
    }
    const type = context.argTypes[used];
    if (type === undefined || used >= args.length) return failure(context, 'FORMAT has more specifiers than values.');
    const piece = emitPiece(verb, { flags, width, precision }, argument(args, used), type, context);
    if (piece === undefined) {
      return failure(context, `FORMAT cannot write a value of type ${type.kind} with %${verb}.`);
    }
    pieces.push(piece);
    used++;
  }
  const rest = format.slice(at);
  if (rest.includes('%')) return failure(context, badFormat);
  if (used < args.length) return failure(context, 'FORMAT has more values than specifiers.');
  if (rest !== '' || pieces.length === 0) pieces.push(quoteText(rest));
  return `(${pieces.join(' || ')})`;
};

const badFormat = 'A specifier of FORMAT is not known. Known are %d %i %u %x %X %o %f %e %g %s %t %T %p and %%.';

interface Layout {
  readonly flags: string;
  readonly width: string;
  readonly precision: string | undefined;
}

function emitPiece(
  verb: string,
  layout: Layout,
  value: string,
  type: SqlType,
  _context: EmitContext,
): string | undefined {
  const point = layout.precision === undefined ? '' : `.${layout.precision}`;
  switch (verb) {
    case 'd':
    case 'i':
    case 'u':
      return type.kind === 'INT64' ? `printf('%${quoted(layout)}d', ${value})` : undefined;
    case 'x':
    case 'X':
    case 'o': {
      if (type.kind !== 'INT64') return undefined;
      // The engine writes negative numbers as unsigned; GoogleSQL writes a sign.
      const digits = (number: string): string =>
        `printf('%${layout.flags.replaceAll("'", '')}${layout.width}${verb}', ${number})`;
      return bind([value], (n) => `CASE WHEN ${n} < 0 THEN '-' || ${digits(`-(${n})`)} ELSE ${digits(`${n}`)} END`);
    }
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G': {
      if (type.kind !== 'FLOAT64' && type.kind !== 'INT64') return undefined;
      const number = type.kind === 'INT64' ? `CAST(${value} AS DOUBLE)` : value;
      return `printf('%${quoted(layout)}${point}${verb}', ${number})`;
    }
    case 's':
      return type.kind === 'STRING' ? laidOut(value, layout) : undefined;
    case 't':
      return laidOut(`coalesce(${bind([value], (v = '') => plainText(v, type))}, 'NULL')`, layout);
    case 'T':
      return laidOut(`coalesce(${bind([value], (v = '') => literalText(v, type))}, 'NULL')`, layout);
    case 'p':
      return type.kind === 'JSON' ? laidOut(`CAST(${value} AS VARCHAR)`, layout) : undefined;
    default:
      return undefined;
  }
}

/** Thousands are set apart with commas, which the engine calls by another flag. */
const quoted = (layout: Layout): string => `${layout.flags.replaceAll("'", ',')}${layout.width}`;

/** Cut to the precision and filled up with blanks to the width, at the start unless the flag - is there. */
function laidOut(text: string, layout: Layout): string {
  const cut = layout.precision === undefined ? text : `left(${text}, ${layout.precision})`;
  if (layout.width === '') return cut;
  const pad = layout.flags.includes('-') ? 'rpad' : 'lpad';
  return bind(
    [cut],
    (value) =>
      `CASE WHEN length(${value}) >= ${layout.width} THEN ${value} ELSE ${pad}(${value}, ${layout.width}, ' ') END`,
  );
}

function plainText(value: string, type: SqlType): string {
  if (type.kind === 'ARRAY' || type.kind === 'STRUCT')
    return `CASE WHEN ${value} IS NOT NULL THEN ${jsonText(value, type)} END`;
  if (type.kind === 'FLOAT64') return floatWithPoint(scalarText(value, type), value);
  return scalarText(value, type);
}

/** %t and %T show that a FLOAT64 is one: 1.0. */
const floatWithPoint = (text: string, value: string): string =>
  `CASE WHEN ${value} = trunc(${value}) AND abs(${value}) < 1e15 THEN ${text} || '.0' ELSE ${text} END`;

function literalText(value: string, type: SqlType): string {
  switch (type.kind) {
    case 'STRING': {
      const escaped = `replace(replace(replace(replace(replace(${value}, '\\', '\\\\'), '"', '\\"'), chr(10), '\\n'), chr(13), '\\r'), chr(9), '\\t')`;
      return `'"' || ${escaped} || '"'`;
    }
    case 'TIMESTAMP':
    case 'DATETIME':
    case 'DATE':
    case 'TIME':
      return `'${type.kind} "' || ${scalarText(value, type)} || '"'`;
    case 'JSON':
      return `'JSON ' || CAST(to_json(CAST(${value} AS VARCHAR)) AS VARCHAR)`;
    default:
      return plainText(value, type);
  }
}
