import type { stringFunctions } from '../../../googlesql/functions/strings.ts';
import { quoteText } from '../emit/literal.ts';
import type { EmitContext, EmitFunction, ScalarEmitters } from './emitContext.ts';
import { emitFormat } from './format.ts';
import { instr } from './instr.ts';
import { alsoOfBytes } from './latin1.ts';
import { scriptedNames } from './scriptedNames.ts';
import {
  argument,
  bind,
  bindInLambda,
  checked,
  constantNumber,
  constantText,
  failedCall,
  failure,
  grownTextBytesMax,
  joinedBytes,
  joinedText,
} from './sqlFragments.ts';

const engine =
  (name: string): EmitFunction =>
  (args) =>
    `${name}(${args.join(', ')})`;

/** Unicode's White_Space, which TRIM removes. */
const whiteSpace = quoteText(
  '\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000',
);

const trimmed =
  (name: string): EmitFunction =>
  (args) =>
    `${name}(${argument(args, 0)}, ${args[1] ?? whiteSpace})`;

const byteLength: EmitFunction = (args, context) =>
  `${context.argTypes[0]?.kind === 'BYTES' ? 'octet_length' : 'strlen'}(${argument(args, 0)})`;

/** No text is longer, and the engine rejects higher positions and lengths. */
const charactersMax = 4_294_967_295;
const noMore = (count = ''): string => `CASE WHEN ${count} > ${charactersMax} THEN ${charactersMax} ELSE ${count} END`;

/** Cuts bytes like a list in the engine, by the first and the last position. */
const bytesFrom = (value: string, start: string, end: string): string => `(${value})[${start}:${end}]`;

/** Like `substr`, for BYTES. */
const substrOfBytes: EmitFunction = (args, context) =>
  bind(args, (value = '', at = '', count) => {
    const size = `octet_length(${value})`;
    const start = `CASE WHEN ${at} = 0 OR ${at} < -${size} THEN 1 WHEN ${at} < 0 THEN ${size} + ${at} + 1 ELSE ${at} END`;
    if (count === undefined) return bytesFrom(value, start, size);
    const negative = failure(context, 'The length of SUBSTR must not be negative.');
    const isNull = `${value} IS NULL OR ${at} IS NULL OR ${count} IS NULL`;
    const end = `least(${noMore(start)}, ${size}) + least(${count}, ${size}) - 1`;
    const part = `CASE WHEN ${count} = 0 OR ${at} > ${size} THEN ''::BLOB ELSE ${bytesFrom(value, start, end)} END`;
    return `CASE WHEN ${isNull} THEN NULL WHEN ${count} < 0 THEN ${negative} ELSE ${part} END`;
  });

/** Position 0 means 1; a position before the start means the start; a negative length is an error. */
const substr: EmitFunction = (args, context) => {
  if (context.returns.kind === 'BYTES') return substrOfBytes(args, context);
  const position = constantNumber(context, 1);
  const length = constantNumber(context, 2);
  const isPlain = (n: number | undefined): boolean => n !== undefined && n >= 0 && n <= charactersMax;
  if (isPlain(position) && position !== 0 && (args.length < 3 || isPlain(length))) {
    return `substr(${args.join(', ')})`;
  }
  return bind(args, (value, at, count) => {
    const start = `CASE WHEN ${at} = 0 OR ${at} < -length(${value}) THEN 1 ELSE ${noMore(at)} END`;
    const part = `substr(${value}, ${start}${count === undefined ? '' : `, ${noMore(count)}`})`;
    if (count === undefined) return part;
    return `CASE WHEN ${count} < 0 AND ${value} IS NOT NULL AND ${at} IS NOT NULL THEN ${failure(context, 'The length of SUBSTR must not be negative.')} ELSE ${part} END`;
  });
};

const side =
  (name: 'left' | 'right'): EmitFunction =>
  (args, context) => {
    if (context.returns.kind === 'BYTES') return sideOfBytes(name, args, context);
    const length = constantNumber(context, 1);
    if (length !== undefined && length >= 0 && length <= charactersMax) return `${name}(${args.join(', ')})`;
    const sentence = `The length of ${name.toUpperCase()} must not be negative.`;
    return bind(
      args,
      (value, n) =>
        `CASE WHEN ${n} < 0 AND ${value} IS NOT NULL THEN ${failure(context, sentence)} ELSE ${name}(${value}, ${noMore(n)}) END`,
    );
  };

function sideOfBytes(name: 'left' | 'right', args: readonly string[], context: EmitContext): string {
  const negative = failure(context, `The length of ${name.toUpperCase()} must not be negative.`);
  return bind(args, (value = '', length = '') => {
    const size = `octet_length(${value})`;
    const part =
      name === 'left'
        ? bytesFrom(value, '1', `least(${length}, ${size})`)
        : bytesFrom(value, `${size} - least(${length}, ${size}) + 1`, size);
    return `CASE WHEN ${value} IS NULL OR ${length} IS NULL THEN NULL WHEN ${length} < 0 THEN ${negative} WHEN ${length} = 0 THEN ''::BLOB ELSE ${part} END`;
  });
}

/** A repeated character among those to replace is an error, as in GoogleSQL. */
const translate: EmitFunction = (args, context) => {
  const sentence = 'TRANSLATE must not replace the same character twice.';
  const from = constantText(context, 1);
  if (from !== undefined && new Set(from).size === [...from].length) return `translate(${args.join(', ')})`;
  return bind(args, (value = '', characters = '', others = '') => {
    const isNull = `${value} IS NULL OR ${characters} IS NULL OR ${others} IS NULL`;
    const isTwice = `len(list_distinct(string_split(${characters}, ''))) < length(${characters})`;
    return `CASE WHEN ${isNull} THEN NULL WHEN ${isTwice} THEN ${failure(context, sentence)} ELSE translate(${value}, ${characters}, ${others}) END`;
  });
};

const tooLong = (context: EmitContext, name: string): string =>
  failure(context, `The result of ${name} would be longer than ${grownTextBytesMax} bytes.`);

/** Computes the size of the result from the number of occurrences before it is made. */
const replace: EmitFunction = (args, context) => {
  const from = constantText(context, 1);
  const to = constantText(context, 2);
  if (from !== undefined && to !== undefined && Buffer.byteLength(to) <= Buffer.byteLength(from)) {
    return `replace(${args.join(', ')})`;
  }
  return bind(args, (value, search, text) => {
    const mayGrow = `strlen(${value}) * greatest(strlen(${text}), 1) > ${grownTextBytesMax}`;
    const occurrences = `(strlen(${value}) - strlen(replace(${value}, ${search}, ''))) // greatest(strlen(${search}), 1)`;
    const size = `strlen(${value}) + ${occurrences} * (strlen(${text}) - strlen(${search}))`;
    return `CASE WHEN ${mayGrow} AND ${size} > ${grownTextBytesMax} THEN ${tooLong(context, 'REPLACE')} ELSE replace(${value}, ${search}, ${text}) END`;
  });
};

const repeat: EmitFunction = (args, context) =>
  bind(args, (value = '', count) => {
    const size = byteLength([value], context);
    return `CASE WHEN ${count} < 0 AND ${value} IS NOT NULL THEN ${failure(context, 'The count of REPEAT must not be negative.')} WHEN ${size} > 0 AND ${count} > ${grownTextBytesMax} // ${size} THEN ${tooLong(context, 'REPEAT')} WHEN ${size} = 0 AND ${count} IS NOT NULL THEN ${value} ELSE repeat(${value}, ${count}) END`;
  });

const padded =
  (name: 'lpad' | 'rpad'): EmitFunction =>
  (args, context) => {
    const label = name.toUpperCase();
    return bind([argument(args, 0), argument(args, 1), args[2] ?? "' '"], (value, length, pattern) => {
      const isNull = `${value} IS NULL OR ${length} IS NULL OR ${pattern} IS NULL`;
      const negative = failure(context, `The length of ${label} must not be negative.`);
      const empty = failure(context, `The pattern of ${label} must not be empty.`);
      return `CASE WHEN ${isNull} THEN NULL WHEN ${length} < 0 THEN ${negative} WHEN ${pattern} = '' THEN ${empty} WHEN ${length} > ${grownTextBytesMax / 4} THEN ${tooLong(context, label)} ELSE ${name}(${value}, CAST(least(${length}, ${grownTextBytesMax}) AS INTEGER), ${pattern}) END`;
    });
  };

/** Delimiters that INITCAP uses by default. */
const wordDelimiters = '[](){}/|<>!?@"^#$&~_,.:;*%+-';

/** One character in upper case. INITCAP keeps ß, which has no single-character capital in GoogleSQL. */
const capital = (character: string): string => `CASE WHEN ${character} = 'ß' THEN 'ß' ELSE upper(${character}) END`;

const initcap: EmitFunction = (args, context) => {
  if (context.constants[1] === null) return 'CAST(NULL AS VARCHAR)';
  const given = args.length > 1 ? constantText(context, 1) : `${wordDelimiters} \t\n\v\f\r`;
  if (given === undefined) return failedCall(context, 'The delimiters of INITCAP must be a literal.');
  if (given === '') {
    return bind([argument(args, 0)], (value) => `${capital(`${value}[1]`)} || lower(${value}[2:])`);
  }
  const characters = [...new Set(given)].map((c) => `\\x{${(c.codePointAt(0) ?? 0).toString(16)}}`).join('');
  const pattern = quoteText(`(?s)[^${characters}]+|[${characters}]`);
  const word = `CASE WHEN regexp_full_match(w, ${quoteText(`(?s)[${characters}]`)}) THEN w ELSE ${capital('w[1]')} || lower(w[2:]) END`;
  return bind([argument(args, 0)], (value) => {
    const words = `list_transform(regexp_extract_all(${value}, ${pattern}), lambda w: ${word})`;
    return `CASE WHEN ${value} IS NOT NULL THEN coalesce(array_to_string(${words}, ''), '') END`;
  });
};

/** Blanks are allowed, and padding may be omitted. */
const paddedBase64 = (text: string): string => `${text} || repeat('=', (4 - length(${text}) % 4) % 4)`;

/** The hexadecimal digits of a text in pairs, one per byte. */
const pairs = (bytes: string): string => `regexp_extract_all(hex(${bytes}), '..')`;

const byteOf = (pair: string): string => `CAST('0x' || ${pair} AS INTEGER)`;

const toCodePoints: EmitFunction = (args, context) =>
  bindInLambda(args, (value = '') =>
    context.argTypes[0]?.kind === 'BYTES'
      ? `list_transform(${pairs(value)}, lambda b: CAST(${byteOf('b')} AS BIGINT))`
      : `CASE WHEN ${value} = '' THEN [] ELSE list_transform(string_split(${value}, ''), lambda c: CAST(unicode(c) AS BIGINT)) END`,
  );

/** Text or bytes from a list of numbers: NULL if one is NULL, an error if one is not `isValid`. */
const fromCodes =
  (isValid: (code: string) => string, wrong: string, make: (codes: string) => string): EmitFunction =>
  (args, context) =>
    bindInLambda(args, (codes = '') => {
      const hasNull = `len(list_filter(${codes}, lambda c: c IS NULL)) > 0`;
      const isWrong = `len(list_filter(${codes}, lambda c: NOT (${isValid('c')}))) > 0`;
      return `CASE WHEN ${codes} IS NULL OR ${hasNull} THEN NULL WHEN ${isWrong} THEN ${failure(context, wrong)} ELSE ${make(codes)} END`;
    });

const isCodePoint = (code: string): string => `${code} BETWEEN 0 AND 55295 OR ${code} BETWEEN 57344 AND 1114111`;

/** UTF-8 in pairs of hexadecimal digits (RFC 3629): a character, otherwise any single byte. */
const utf8Character =
  '[0-7].|(?:C[2-9A-F]|D.)[89AB].|E0[AB].[89AB].|(?:E[1-9A-CEF])(?:[89AB].){2}|ED[89].[89AB].|F0[9AB].(?:[89AB].){2}|F[1-3](?:[89AB].){3}|F48.(?:[89AB].){2}|..';

const safeText: EmitFunction = (args) =>
  bindInLambda(args, (bytes = '') => {
    const characters = `regexp_extract_all(hex(${bytes}), '${utf8Character}')`;
    const mended = `list_transform(${characters}, lambda c: CASE WHEN length(c) = 2 AND c >= '80' THEN 'EFBFBD' ELSE c END)`;
    return `CASE WHEN ${bytes} IS NOT NULL THEN decode(unhex(coalesce(array_to_string(${mended}, ''), ''))) END`;
  });

const asciiOfText: EmitFunction = (args, context) =>
  bind(
    args,
    (text) =>
      `CASE WHEN ${text} = '' THEN 0 WHEN unicode(${text}) > 127 THEN ${failure(context, 'ASCII needs text that starts with an ASCII character; UNICODE takes any.')} ELSE CAST(unicode(${text}) AS BIGINT) END`,
  );

/** ASCII of BYTES is the number of the first byte, whatever it is. */
const asciiOfBytes: EmitFunction = (args) =>
  bind(
    args,
    (bytes = '') => `CASE WHEN octet_length(${bytes}) = 0 THEN 0 ELSE CAST('0x' || hex(${bytes}[1:1]) AS BIGINT) END`,
  );

const small = 'abcdefghijklmnopqrstuvwxyz';
const capitals = small.toUpperCase();

/** Letters of BYTES are those of ASCII. */
const inCase = (from: string, to: string): EmitFunction =>
  alsoOfBytes(([value = '']) => `translate(${value}, '${from}', '${to}')`);

export const stringEmitters: ScalarEmitters<typeof stringFunctions> = {
  concat: (args, context) =>
    context.returns.kind === 'BYTES' ? joinedBytes(args, context, 'CONCAT') : joinedText(args, context, 'CONCAT'),
  length: (args, context) =>
    context.argTypes[0]?.kind === 'BYTES' ? byteLength(args, context) : `length(${argument(args, 0)})`,
  char_length: engine('length'),
  character_length: engine('length'),
  byte_length: byteLength,
  octet_length: byteLength,
  lower: (args, context) =>
    context.returns.kind === 'BYTES' ? inCase(capitals, small)(args, context) : `lower(${argument(args, 0)})`,
  // The engine maps one character to one; the capital of ß has two.
  upper: (args, context) =>
    context.returns.kind === 'BYTES'
      ? inCase(small, capitals)(args, context)
      : `upper(replace(${argument(args, 0)}, 'ß', 'SS'))`,
  initcap,
  // Not the engine's own NFC: its time grows with the square of a run of combining marks, and it cannot be interrupted.
  normalize: ([text = '', form = 'nfc']) =>
    bind(
      [text],
      (value) =>
        `CASE WHEN strlen(${value}) = length(${value}) THEN ${value} ELSE ${scriptedNames.normalize}(${value}, '${form.toUpperCase()}') END`,
    ),
  trim: alsoOfBytes(trimmed('trim')),
  ltrim: alsoOfBytes(trimmed('ltrim')),
  rtrim: alsoOfBytes(trimmed('rtrim')),
  substr,
  substring: substr,
  left: side('left'),
  right: side('right'),
  replace: alsoOfBytes(replace),
  translate: alsoOfBytes(translate),
  split: alsoOfBytes((args, context) => {
    const [value = '', delimiter] = args;
    if (delimiter === undefined) return `string_split(${value}, ',')`;
    if (constantText(context, 1) !== undefined) return `string_split(${value}, ${delimiter})`;
    return bind([value, delimiter], (v, by) => `CASE WHEN ${by} IS NOT NULL THEN string_split(${v}, ${by}) END`);
  }),
  strpos: alsoOfBytes(engine('strpos')),
  instr: alsoOfBytes(instr),
  starts_with: alsoOfBytes(engine('starts_with')),
  ends_with: alsoOfBytes(engine('suffix')),
  contains_substr: (args) => `contains(lower(${argument(args, 0)}), lower(${argument(args, 1)}))`,
  reverse: alsoOfBytes((args) =>
    bind(
      args,
      (value) =>
        `CASE WHEN ${value} IS NOT NULL THEN array_to_string(list_reverse(string_split(${value}, '')), '') END`,
    ),
  ),
  repeat,
  lpad: alsoOfBytes(padded('lpad')),
  rpad: alsoOfBytes(padded('rpad')),
  format: emitFormat,
  to_hex: (args, context) =>
    bind(
      args,
      (value) =>
        `CASE WHEN octet_length(${value}) > ${grownTextBytesMax / 2} THEN ${tooLong(context, 'TO_HEX')} ELSE lower(hex(${value})) END`,
    ),
  from_hex: (args, context) =>
    checked(
      args,
      context,
      'FROM_HEX needs text of hexadecimal digits.',
      (text) =>
        `unhex(CASE WHEN regexp_full_match(${text}, '[0-9a-fA-F]*') THEN repeat('0', strlen(${text}) % 2) || ${text} END)`,
    ),
  to_base64: engine('to_base64'),
  from_base64: (args, context) =>
    checked(
      args,
      context,
      'FROM_BASE64 needs text in base64.',
      (text = '') => `from_base64(${paddedBase64(`regexp_replace(${text}, '\\s', '', 'g')`)})`,
    ),
  ascii: (args, context) =>
    context.argTypes[0]?.kind === 'BYTES' ? asciiOfBytes(args, context) : asciiOfText(args, context),
  unicode: (args) => bind(args, (text) => `CASE WHEN ${text} = '' THEN 0 ELSE CAST(unicode(${text}) AS BIGINT) END`),
  to_code_points: toCodePoints,
  code_points_to_string: fromCodes(
    isCodePoint,
    'CODE_POINTS_TO_STRING needs numbers of Unicode characters.',
    (codes) => `coalesce(array_to_string(list_transform(${codes}, lambda c: chr(CAST(c AS INTEGER))), ''), '')`,
  ),
  code_points_to_bytes: fromCodes(
    (code) => `${code} BETWEEN 0 AND 255`,
    'CODE_POINTS_TO_BYTES needs numbers from 0 to 255.',
    (codes) =>
      `unhex(coalesce(array_to_string(list_transform(${codes}, lambda c: printf('%02x', CAST(c AS INTEGER))), ''), ''))`,
  ),
  safe_convert_bytes_to_string: safeText,
  chr: (args, context) =>
    bind(
      args,
      (code = '') =>
        `CASE WHEN ${isCodePoint(code)} THEN chr(CAST(${code} AS INTEGER)) WHEN ${code} IS NOT NULL THEN ${failure(context, 'CHR needs the number of a Unicode character.')} END`,
    ),
};
