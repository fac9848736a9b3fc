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
    'Joins values; numbers, truth values and times are cast to STRING, as `||` does.',
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
  scalar('lower', text, 'The text in lower case.', "SELECT LOWER('ABC')"),
  scalar('upper', text, 'The text in upper case.', "SELECT UPPER('abc')"),
  scalar(
    'initcap',
    ['value STRING, delimiters?! STRING => STRING'],
    'The first letter of every word in upper case, the rest in lower case.',
    "SELECT INITCAP('hello world')",
  ),
  scalar(
    'normalize',
    ['value STRING => STRING', 'value STRING, form PART.normalForm => STRING'],
    'The text in a Unicode normal form: NFC unless NFD, NFKC or NFKD is given.',
    "SELECT NORMALIZE('ﬁ', NFKC)",
  ),
  scalar('trim', trimmed, 'Without white space, or the given characters, at both ends.', "SELECT TRIM('  a ')"),
  scalar('ltrim', trimmed, 'Without white space, or the given characters, at the start.', "SELECT LTRIM('  a')"),
  scalar('rtrim', trimmed, 'Without white space, or the given characters, at the end.', "SELECT RTRIM('a  ')"),
  scalar(
    'substr',
    ['value STRING, position INT64, length? INT64 => STRING', 'value BYTES, position INT64, length? INT64 => BYTES'],
    'A part of the text or of the bytes; a negative position counts from the end.',
    "SELECT SUBSTR('hello', -3, 2)",
  ),
  scalar(
    'substring',
    ['value STRING, position INT64, length? INT64 => STRING', 'value BYTES, position INT64, length? INT64 => BYTES'],
    'A part of the text or of the bytes; a negative position counts from the end.',
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
  scalar('replace', replacing, 'The text with every occurrence replaced.', "SELECT REPLACE('a|b', '|', '/')", {
    grows: true,
  }),
  scalar(
    'translate',
    replacing,
    'The text with each character of one text replaced by the character at its place in the other, or left out without one.',
    "SELECT TRANSLATE('hello', 'el', 'ip')",
  ),
  scalar(
    'split',
    ['value STRING, delimiter? STRING => ARRAY<STRING>', 'value BYTES, delimiter BYTES => ARRAY<BYTES>'],
    'The parts between delimiters, of a text a comma unless another is given; an empty delimiter splits into characters or bytes.',
    "SELECT SPLIT('a,b', ',')",
  ),
  scalar(
    'strpos',
    ['value STRING, search STRING => INT64', 'value BYTES, search BYTES => INT64'],
    'The position of the first occurrence, from 1; 0 without one.',
    "SELECT STRPOS('abc', 'c')",
  ),
  scalar(
    'instr',
    [
      'value STRING, search STRING, position? INT64, occurrence? INT64 => INT64',
      'value BYTES, search BYTES, position? INT64, occurrence? INT64 => INT64',
    ],
    'The position of an occurrence, searched from a position (backwards from a negative one); 0 without one.',
    "SELECT INSTR('banana', 'an', 1, 2)",
  ),
  scalar(
    'starts_with',
    ['value STRING, prefix STRING => BOOL', 'value BYTES, prefix BYTES => BOOL'],
    'Whether the text starts so.',
    "SELECT STARTS_WITH('abc', 'a')",
  ),
  scalar(
    'ends_with',
    ['value STRING, suffix STRING => BOOL', 'value BYTES, suffix BYTES => BOOL'],
    'Whether the text ends so.',
    "SELECT ENDS_WITH('abc', 'c')",
  ),
  scalar(
    'contains_substr',
    ['value STRING, search STRING => BOOL'],
    'Whether the text contains another, without regard to case.',
    "SELECT CONTAINS_SUBSTR('the BLUE house', 'blue')",
  ),
  scalar('reverse', text, 'The text backwards.', "SELECT REVERSE('abc')"),
  scalar(
    'repeat',
    ['value STRING, count INT64 => STRING', 'value BYTES, count INT64 => BYTES'],
    'The text several times.',
    "SELECT REPEAT('ab', 3)",
    {
      grows: true,
    },
  ),
  scalar('lpad', padded, 'Filled up at the start, or cut, to a length.', "SELECT LPAD('7', 3, '0')", { grows: true }),
  scalar('rpad', padded, 'Filled up at the end, or cut, to a length.', "SELECT RPAD('7', 3, '0')", { grows: true }),
  scalar(
    'format',
    ['format STRING, value?* ANY => STRING'],
    'Values written into a format: %d %i %s %f %e %g %x %X %o %p %t %T %% with flags, width and precision, which a value before the one that is written says in place of *. Format and values may come from the row. A nested string is a text to %t and %T, another nested scalar is written as it is.',
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
    'The code of the first character, which must be ASCII, or the first byte; 0 for no text.',
    "SELECT ASCII('A')",
  ),
  scalar(
    'unicode',
    ['value STRING => INT64'],
    'The code point of the first character; 0 for no text.',
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
    'The text of code points; NULL where one of them is NULL.',
    'SELECT CODE_POINTS_TO_STRING([97, 233])',
  ),
  scalar(
    'code_points_to_bytes',
    ['codes ARRAY<INT64> => BYTES'],
    'Bytes from numbers from 0 to 255; NULL where one of them is NULL.',
    'SELECT CODE_POINTS_TO_BYTES([97, 255])',
  ),
  scalar(
    'safe_convert_bytes_to_string',
    ['value BYTES => STRING'],
    'Bytes as text; each byte that is no UTF-8 becomes the character U+FFFD.',
    "SELECT SAFE_CONVERT_BYTES_TO_STRING(b'a\\xffb')",
  ),
  scalar('chr', ['code INT64 => STRING'], 'The character of a code point.', 'SELECT CHR(65)'),
] as const;
