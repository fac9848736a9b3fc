import type { SeededRandom } from '../../src/demo/seededRandom.ts';

const zones = [
  'UTC',
  'America/New_York',
  'Europe/Berlin',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'America/Sao_Paulo',
  'Asia/Kathmandu',
  '+05:30',
  '-03:00',
] as const;

/** Parts of INTERVAL that the evaluator knows. */
const spanParts = ['second', 'minute', 'hour', 'day'] as const;

/** Ends of the range, leap days, ends of months and years, and hours that a zone skips or has twice. */
const instants: readonly [string, ...string[]] = [
  '0001-01-01 00:00:00',
  '1969-12-31 23:59:59.999999',
  '1970-01-01 00:00:00',
  '2024-02-29 12:00:00',
  '2026-03-08 06:59:59.5',
  '2026-03-08 07:00:00',
  '2026-03-08 02:30:00',
  '2026-03-29 01:00:00',
  '2026-03-29 02:30:00',
  '2026-10-25 00:30:00',
  '2026-10-25 01:30:00',
  '2026-10-25 02:30:00',
  '2026-12-31 23:59:59.001',
  '2027-01-01 00:00:00',
  '2027-01-03 05:00:00',
  '2026-05-31 10:11:12.345678',
  '9999-12-31 23:59:59.999999',
];
/** Those for which zones have offsets of whole minutes. */
const modernInstants = instants.slice(1) as unknown as typeof instants;
/** Those that stay within the years in every zone. */
const innerInstants = modernInstants.slice(0, -1) as unknown as typeof instants;

const clockParts = ['microsecond', 'millisecond', 'second', 'minute', 'hour'] as const;
const fixedParts = [...clockParts, 'day'] as const;
const weekParts = ['week', 'isoweek', 'week(monday)', 'week(wednesday)', 'week(saturday)'] as const;
const dayParts = ['day', ...weekParts, 'month', 'quarter', 'year', 'isoyear'] as const;
const addedParts = ['day', 'week', 'month', 'quarter', 'year'] as const;

const timeElements: readonly [string, ...string[]] = [
  'text',
  ...'%Y-%m-%d,%H:%M:%S,%E*S,%E3S,%E6S,%Ez,%z,%a %A,%b %B %h,%j,%U %W %V,%G %g,%u %w,%e|%k|%l,%I %p,%y %C'.split(','),
  ...'%D,%F %T,%R,%s,%Q,%E4Y,%%,%c,%x %X,%n%t'.split(','),
];
/** A quarter, a century, a week or a day of it alone names no date here. */
const parsedElements = timeElements.filter((each) => !/%[QCUWVGu]/.test(each)) as unknown as typeof timeElements;

const texts = [
  "''",
  "'abcabc'",
  "'GET /api/v1/users?id=12&x=a%20b'",
  "'line one\\nline two\\r\\n'",
  "'é😀ß Ünïcödé'",
  "'aaa'",
  "'2026-05-01T10:00:00.123Z [error] code=500 dur=12.5ms'",
  "'a.b.c|d'",
  "'\\t tabs  and blanks '",
  'cast(null as string)',
] as const;

const patterns = [
  "r'a'",
  "r'(a)(b)?'",
  "r'a*'",
  "r''",
  "r'^'",
  "r'$'",
  "r'\\b'",
  "r'[a-z]+'",
  "r'[^a-z]'",
  "r'(?i)[A-Z]{2,3}'",
  "r'(?s).+'",
  "r'.+?'",
  "r'\\d+(\\.\\d+)?'",
  "r'(\\w+)=(\\w+)'",
  "r'(?m)^line'",
  "r'é|😀'",
  "r'\\pL+'",
  "r'[[:alpha:]]+'",
  "r'(?:ab)+c'",
  "r'(x)|(b)'",
  "r'\\s+$'",
  "r'.'",
] as const;

/** Expressions of times at the edges of what there is, and of regular expressions, without columns. */
export class EdgeExpressions {
  readonly #random: SeededRandom;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  query(): string {
    const list = Array.from({ length: 3 }, (_, n) => `${this.#expression()} as c${n}`);
    return `select ${list.join(', ')}`;
  }

  #expression(): string {
    switch (this.#random.integer(0, 4)) {
      case 0:
        return this.#regexp();
      case 1:
        return this.#text();
      default:
        return this.#time();
    }
  }

  #zone(): string {
    return `'${this.#random.pick(zones)}'`;
  }

  #timestamp(): string {
    return `timestamp '${this.#random.pick(instants)}+00'`;
  }

  #modern(): string {
    return `timestamp '${this.#random.pick(innerInstants)}+00'`;
  }

  #datetime(): string {
    return `datetime '${this.#random.pick(instants)}'`;
  }

  #date(): string {
    return `date '${this.#random.pick(instants).slice(0, 10)}'`;
  }

  #clock(): string {
    return `time '${this.#random.pick(instants).slice(11)}'`;
  }

  #count(): number {
    return this.#random.pick([0, 1, -1, 7, -13, 400, 100_000, 90_000_000]);
  }

  #time(): string {
    const random = this.#random;
    const sign = random.pick(['+', '-']);
    const parsed = `'${random.pick(parsedElements)}'`;
    const elements = `'${random.pick(timeElements)} ${random.pick(timeElements)}'`;
    return random.pick([
      () => `timestamp_trunc(${this.#modern()}, ${random.pick([...clockParts, ...dayParts])}, ${this.#zone()})`,
      () => `datetime_trunc(${this.#datetime()}, ${random.pick([...clockParts, ...dayParts])})`,
      () => `date_trunc(${this.#date()}, ${random.pick(dayParts)})`,
      () => `time_trunc(${this.#clock()}, ${random.pick(clockParts)})`,
      () => `timestamp_diff(${this.#timestamp()}, ${this.#timestamp()}, ${random.pick(fixedParts)})`,
      () => `datetime_diff(${this.#datetime()}, ${this.#datetime()}, ${random.pick([...clockParts, ...dayParts])})`,
      () => `date_diff(${this.#date()}, ${this.#date()}, ${random.pick(dayParts)})`,
      () => `time_diff(${this.#clock()}, ${this.#clock()}, ${random.pick(clockParts)})`,
      () => `timestamp_add(${this.#timestamp()}, interval ${this.#count()} ${random.pick(fixedParts)})`,
      () => `timestamp_sub(${this.#timestamp()}, interval ${this.#count()} ${random.pick(fixedParts)})`,
      () =>
        `datetime_add(${this.#datetime()}, interval ${this.#count()} ${random.pick([...clockParts, ...addedParts])})`,
      () =>
        `datetime_sub(${this.#datetime()}, interval ${this.#count()} ${random.pick([...clockParts, ...addedParts])})`,
      () => `date_add(${this.#date()}, interval ${this.#count()} ${random.pick(addedParts)})`,
      () => `date_sub(${this.#date()}, interval ${this.#count()} ${random.pick(addedParts)})`,
      () => `time_add(${this.#clock()}, interval ${this.#count()} ${random.pick(clockParts)})`,
      () => `(${this.#timestamp()} ${sign} interval ${this.#count()} ${random.pick(spanParts)})`,
      () => `(${this.#datetime()} ${sign} interval ${this.#count()} ${random.pick([...spanParts, ...addedParts])})`,
      () => `(${this.#date()} ${sign} interval ${this.#count()} ${random.pick(addedParts)})`,
      () => `(${this.#date()} ${sign} ${this.#count()})`,
      () => `cast((${this.#timestamp()} - ${this.#timestamp()}) as string)`,
      () => `cast((${this.#datetime()} - ${this.#datetime()}) as string)`,
      () => `cast((${this.#date()} - ${this.#date()}) as string)`,
      () =>
        `extract(${random.pick([...clockParts, ...dayParts, 'dayofweek', 'dayofyear', 'date', 'time', 'datetime'])} from ${this.#modern()} at time zone ${this.#zone()})`,
      () => `extract(${random.pick([...clockParts, ...dayParts, 'dayofweek', 'dayofyear'])} from ${this.#datetime()})`,
      () => `extract(${random.pick([...dayParts, 'dayofweek', 'dayofyear'])} from ${this.#date()})`,
      () => `format_timestamp(${elements}, ${this.#modern()}, ${this.#zone()})`,
      () => `format_datetime(${elements}, datetime '${random.pick(modernInstants)}')`,
      () => `format_date(${elements}, date '${random.pick(modernInstants).slice(0, 10)}')`,
      () => `format_time(${elements}, ${this.#clock()})`,
      () => `date(${this.#modern()}, ${this.#zone()})`,
      () => `datetime(${this.#modern()}, ${this.#zone()})`,
      () => `time(${this.#modern()}, ${this.#zone()})`,
      () => `timestamp(datetime '${random.pick(innerInstants)}', ${this.#zone()})`,
      () => `timestamp('${random.pick(innerInstants)}', ${this.#zone()})`,
      () => `string(${this.#modern()}, ${this.#zone()})`,
      () => `cast(${this.#timestamp()} as string)`,
      () => `cast(${this.#datetime()} as string)`,
      () => `unix_millis(${this.#timestamp()})`,
      () => `unix_seconds(${this.#timestamp()})`,
      () => `unix_date(${this.#date()})`,
      () => `last_day(${this.#date()}, ${random.pick(['month', 'quarter', 'year', 'isoyear', ...weekParts])})`,
      () => `parse_timestamp('%F %H:%M:%E*S', '${random.pick(innerInstants)}', ${this.#zone()})`,
      () => `parse_datetime('%F %H:%M:%E*S', '${random.pick(instants)}')`,
      () => `parse_date('%F', '${random.pick(instants).slice(0, 10)}')`,
      () => `parse_date(f, format_date(f, ${this.#date()}))`.replaceAll(/\bf\b/g, parsed),
      () => `safe.parse_timestamp(f, format_timestamp(f, ${this.#timestamp()}))`.replaceAll(/\bf\b/g, parsed),
      () =>
        `array_length(generate_date_array(date '${random.pick(modernInstants).slice(0, 10)}', date_add(date '2026-01-31', interval ${random.integer(-3, 40)} month), interval ${random.pick([1, 3, 900])} ${random.pick(['month', 'quarter', 'year'])}))`,
      () =>
        `generate_timestamp_array(timestamp '2026-03-29 00:00:00+00', timestamp '2026-03-29 ${random.pick(['03', '23'])}:00:00+00', interval ${random.pick([1, 5, -1])} ${random.pick(['hour', 'day'])})`,
      () =>
        `timestamp_bucket(${this.#timestamp()}, interval ${random.pick([0, 1, 7, 90])} ${random.pick([...spanParts, ...addedParts])})`,
      () =>
        `datetime_bucket(${this.#datetime()}, interval ${random.pick([1, 7, 90])} ${random.pick([...spanParts, ...addedParts])}, ${this.#datetime()})`,
      () =>
        `date_bucket(${this.#date()}, interval ${random.pick([-1, 1, 5, 13])} ${random.pick([...spanParts, ...addedParts])}, ${this.#date()})`,
      () => `date(${this.#timestamp()}, ${random.pick(["'UTC'", "'+05:30'", "'-03:00'"])})`,
      () => `timestamp(${this.#datetime()}, ${random.pick(["'UTC'", "'+05:30'", "'-03:00'"])})`,
      () =>
        `timestamp_trunc(${this.#timestamp()}, ${random.pick([...clockParts, ...dayParts])}, ${random.pick(["'+05:30'", "'-03:00'"])})`,
    ])();
  }

  #regexp(): string {
    const random = this.#random;
    const [text, pattern] = [random.pick(texts), random.pick(patterns)];
    return random.pick([
      () => `regexp_contains(${text}, ${pattern})`,
      () => `regexp_extract(${text}, ${pattern})`,
      () => `regexp_extract(${text}, ${pattern}, ${random.integer(1, 6)})`,
      () => `regexp_extract(${text}, ${pattern}, ${random.integer(1, 4)}, ${random.integer(1, 3)})`,
      () => `regexp_extract_all(${text}, ${pattern})`,
      () => `regexp_replace(${text}, ${pattern}, ${random.pick(["'<\\\\0>'", "r'[\\1]'", "''", "'x'", "r'\\\\'"])})`,
      () => `regexp_instr(${text}, ${pattern})`,
      () =>
        `regexp_instr(${text}, ${pattern}, ${random.integer(1, 5)}, ${random.integer(1, 2)}, ${random.integer(0, 1)})`,
    ])();
  }

  #text(): string {
    const random = this.#random;
    const [text, other] = [random.pick(texts), random.pick(texts)];
    const small = () => random.integer(-3, 5);
    return random.pick([
      () => `substr(${text}, ${small()}, ${random.integer(0, 4)})`,
      () => `split(${text}, ${random.pick(["''", "' '", "'a'", "'ab'", "'.'"])})`,
      () =>
        `instr(${text}, ${random.pick(["'a'", "'ab'", "''", "'.'"])}, ${random.pick([1, 2, -1, -2])}, ${random.integer(1, 2)})`,
      () => `lpad(${text}, ${random.integer(0, 12)}, ${random.pick(["'xy'", "'é'"])})`,
      () => `initcap(${text})`,
      () => `initcap(${text}, ${random.pick(["'a'", "''", "' ./'"])})`,
      () => `trim(${text}, ${random.pick(["'a'", "'abc '", "'é'"])})`,
      () => `replace(${text}, ${random.pick(["'a'", "''", "'ab'"])}, ${random.pick(["''", "'xyz'"])})`,
      () => `concat(${text}, ${other})`,
      () => `reverse(${text})`,
      () => `to_code_points(${random.pick([text, `cast(${text} as bytes)`])})`,
      () => `code_points_to_string(array_slice(to_code_points(${text}), ${small()}, ${small()}))`,
      () => `safe_convert_bytes_to_string(substr(cast(${text} as bytes), ${small()}, ${random.integer(0, 40)}))`,
      () => `json_object('k', ${text}, ${random.pick(["'k'", "'l'"])}, json_array(${other}, ${small()}))`,
      () => `array_last(array_slice(split(${text}, 'a'), ${small()}, ${small()}))`,
      () => `range_bucket(${text}, array(select e from unnest([${other}, 'b']) as e where e is not null order by e))`,
      () =>
        `net.ip_to_string(net.ip_trunc(substr(sha256(${random.pick([text, 'x'])}), 1, ${random.pick([4, 16, 5])}), ${random.pick([-1, 0, 7, 22, 32, 65, 128, 129])}))`.replace(
          'sha256(x)',
          "concat(b'\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00', sha256('a'))",
        ),
      () =>
        `format('%*.*s|%-*d|%.*d|%6.3d|%#x', ${small()}, ${small()}, ${text}, ${small()}, ${small()}, ${small()}, ${small()}, ${small()}, ${small()})`,
      () => `${text} like ${random.pick(["'a%'", "'%b_a%'", "''", "'%'", "'_b%'", "'%\\\\\\\\%'"])}`,
      () => `format('%10.3s|%-8s|%T|%t', ${text}, ${text}, ${text}, ${text})`,
      () => `to_base64(cast(${text} as bytes))`,
      () => `safe.from_base64(${text})`,
      () => `to_json_string(${text})`,
      () => `upper(${text})`,
      () => `safe_cast(${text} as ${random.pick(['int64', 'float64', 'bool', 'date', 'timestamp'])})`,
    ])();
  }
}
