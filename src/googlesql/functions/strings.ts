import { scalar } from './declare.ts';

const text = ['value STRING => STRING', 'value BYTES => BYTES'] as const;
const trimmed = ['value STRING, characters? STRING => STRING', 'value BYTES, characters BYTES => BYTES'] as const;
const padded = [
  'value STRING, length INT64, pattern? STRING => STRING',
  'value BYTES, length INT64, pattern? BYTES => BYTES',
] as const;
const replacing = [
  'value STRING, from STRING, to STRING => STRING',
  'value BYTES, from BYTES, to BYTES => BYTES',
] as const;

/** String functions (GoogleSQL reference, "string functions"). Positions and lengths count characters. */
export const stringFunctions = [
  scalar(
    'concat',
    ['value* STRING => STRING', 'value* BYTES => BYTES'],
    'Concatenates values. Numbers, BOOLs and times are cast to STRING, as with `||`.',
    "SELECT CONCAT('a', 'b')",
  ),
  scalar(
    'length',
    ['value STRING => INT64', 'value BYTES => INT64'],
    'The length in characters, or in bytes.',
    "SELECT LENGTH('abc')",
  ),
  scalar('char_length', ['value STRING => INT64'], 'The length in characters.', "SELECT CHAR_LENGTH('abc')"),
  scalar('character_length', ['value STRING => INT64'], 'The length in characters.', "SELECT CHARACTER_LENGTH('abc')"),
  scalar(
    'byte_length',
    ['value STRING => INT64', 'value BYTES => INT64'],
    'The length in bytes.',
    "SELECT BYTE_LENGTH('é')",
  ),
  scalar(
    'octet_length',
    ['value STRING => INT64', 'value BYTES => INT64'],
    'The length in bytes.',
    "SELECT OCTET_LENGTH('é')",
  ),
  scalar('lower', text, 'The value in lower case.', "SELECT LOWER('ABC')"),
  scalar('upper', text, 'The value in upper case.', "SELECT UPPER('abc')"),
  scalar(
    'initcap',
    ['value STRING, delimiters?! STRING => STRING'],
    'The first letter of each word in upper case, the rest in lower case.',
    "SELECT INITCAP('hello world')",
  ),
  scalar(
    'normalize',
    ['value STRING => STRING', 'value STRING, form PART.normalForm => STRING'],
    'The string in a Unicode normal form: NFC (default), NFD, NFKC or NFKD.',
    "SELECT NORMALIZE('ﬁ', NFKC)",
  ),
  scalar('trim', trimmed, 'Removes white space, or the given characters, from both ends.', "SELECT TRIM('  a ')"),
  scalar('ltrim', trimmed, 'Removes white space, or the given characters, from the start.', "SELECT LTRIM('  a')"),
  scalar('rtrim', trimmed, 'Removes white space, or the given characters, from the end.', "SELECT RTRIM('a  ')"),
  scalar(
    'substr',
    ['value STRING, position INT64, length? INT64 => STRING', 'value BYTES, position INT64, length? INT64 => BYTES'],
    'A part of the value. A negative position counts from the end.',
    "SELECT SUBSTR('hello', -3, 2)",
  ),
  scalar(
    'substring',
    ['value STRING, position INT64, length? INT64 => STRING', 'value BYTES, position INT64, length? INT64 => BYTES'],
    'A part of the value. A negative position counts from the end.',
    "SELECT SUBSTRING('hello', 2)",
  ),
  scalar(
    'left',
    ['value STRING, length INT64 => STRING', 'value BYTES, length INT64 => BYTES'],
    'The first characters or bytes.',
    "SELECT LEFT('hello', 2)",
  ),
  scalar(
    'right',
    ['value STRING, length INT64 => STRING', 'value BYTES, length INT64 => BYTES'],
    'The last characters or bytes.',
    "SELECT RIGHT('hello', 2)",
  ),
  scalar('replace', replacing, 'Replaces every occurrence of `from` with `to`.', "SELECT REPLACE('a|b', '|', '/')", {
    grows: true,
  }),
  scalar(
    'translate',
    replacing,
    'Replaces each character that is in `from` with the one at the same position in `to`, or removes it if there is none.',
    "SELECT TRANSLATE('hello', 'el', 'ip')",
  ),
  scalar(
    'split',
    ['value STRING, delimiter? STRING => ARRAY<STRING>', 'value BYTES, delimiter BYTES => ARRAY<BYTES>'],
    'The parts between delimiters (default for strings: a comma). An empty delimiter splits into characters or bytes.',
    "SELECT SPLIT('a,b', ',')",
  ),
  scalar(
    'strpos',
    ['value STRING, search STRING => INT64', 'value BYTES, search BYTES => INT64'],
    'The position of the first occurrence, from 1, or 0 if there is none.',
    "SELECT STRPOS('abc', 'c')",
  ),
  scalar(
    'instr',
    [
      'value STRING, search STRING, position? INT64, occurrence? INT64 => INT64',
      'value BYTES, search BYTES, position? INT64, occurrence? INT64 => INT64',
    ],
    'The position of an occurrence, or 0 if there is none. The search starts at `position`; from a negative one it runs backwards.',
    "SELECT INSTR('banana', 'an', 1, 2)",
  ),
  scalar(
    'starts_with',
    ['value STRING, prefix STRING => BOOL', 'value BYTES, prefix BYTES => BOOL'],
    'Whether the value starts with the prefix.',
    "SELECT STARTS_WITH('abc', 'a')",
  ),
  scalar(
    'ends_with',
    ['value STRING, suffix STRING => BOOL', 'value BYTES, suffix BYTES => BOOL'],
    'Whether the value ends with the suffix.',
    "SELECT ENDS_WITH('abc', 'c')",
  ),
  scalar(
    'contains_substr',
    ['value STRING, search STRING => BOOL'],
    'Whether the string contains another, ignoring case.',
    "SELECT CONTAINS_SUBSTR('the BLUE house', 'blue')",
  ),
  scalar('reverse', text, 'The characters or bytes in reverse order.', "SELECT REVERSE('abc')"),
  scalar(
    'repeat',
    ['value STRING, count INT64 => STRING', 'value BYTES, count INT64 => BYTES'],
    'The value repeated `count` times.',
    "SELECT REPEAT('ab', 3)",
    {
      grows: true,
    },
  ),
  scalar('lpad', padded, 'Pads the start, or truncates the value, to reach a length.', "SELECT LPAD('7', 3, '0')", {
    grows: true,
  }),
  scalar('rpad', padded, 'Pads the end, or truncates the value, to reach a length.', "SELECT RPAD('7', 3, '0')", {
    grows: true,
  }),
  scalar(
    'format',
    ['format STRING, value?* ANY => STRING'],
    'Writes values into a format: %d %i %s %f %e %g %x %X %o %p %t %T %%, with flags, width and precision. A `*` takes the width or precision from the value before the one to write. The format may differ from row to row. %t and %T write a nested string as a STRING, and other nested scalars as they are.',
    "SELECT FORMAT('%05.1f %s', 1.25, 'a')",
    { grows: true },
  ),
  scalar('to_hex', ['value BYTES => STRING'], 'Bytes as lower-case hexadecimal digits.', "SELECT TO_HEX(b'abc')"),
  scalar('from_hex', ['value STRING => BYTES'], 'Bytes from hexadecimal digits.', "SELECT FROM_HEX('616263')"),
  scalar('to_base64', ['value BYTES => STRING'], 'Bytes in base64.', "SELECT TO_BASE64(b'abc')"),
  scalar('from_base64', ['value STRING => BYTES'], 'Bytes from base64.', "SELECT FROM_BASE64('YWJj')"),
  scalar(
    'ascii',
    ['value STRING => INT64', 'value BYTES => INT64'],
    'The code of the first character, which must be ASCII, or the first byte. 0 if the value is empty.',
    "SELECT ASCII('A')",
  ),
  scalar(
    'unicode',
    ['value STRING => INT64'],
    'The code point of the first character. 0 if the string is empty.',
    "SELECT UNICODE('é')",
  ),
  scalar(
    'to_code_points',
    ['value STRING => ARRAY<INT64>', 'value BYTES => ARRAY<INT64>'],
    'The code points of the characters, or the bytes as numbers.',
    "SELECT TO_CODE_POINTS('aé')",
  ),
  scalar(
    'code_points_to_string',
    ['codes ARRAY<INT64> => STRING'],
    'The string of the given code points, or NULL if one is NULL.',
    'SELECT CODE_POINTS_TO_STRING([97, 233])',
  ),
  scalar(
    'code_points_to_bytes',
    ['codes ARRAY<INT64> => BYTES'],
    'The bytes with the given values, 0 to 255, or NULL if one is NULL.',
    'SELECT CODE_POINTS_TO_BYTES([97, 255])',
  ),
  scalar(
    'safe_convert_bytes_to_string',
    ['value BYTES => STRING'],
    'The bytes as a string. Each byte that is not valid UTF-8 becomes U+FFFD.',
    "SELECT SAFE_CONVERT_BYTES_TO_STRING(b'a\\xffb')",
  ),
  scalar('chr', ['code INT64 => STRING'], 'The character of a code point.', 'SELECT CHR(65)'),
] as const;
