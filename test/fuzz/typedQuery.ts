import type { SeededRandom } from '../../src/demo/seededRandom.ts';
import { functionCatalogue } from '../../src/googlesql/functions/catalogue.ts';
import type { FunctionDeclaration, Signature, SignatureType } from '../../src/googlesql/functions/signature.ts';
import type { ScalarTypeName } from '../../src/googlesql/types.ts';

/** The types that expressions are made of; arrays hold scalars. */
export type Wanted = ScalarTypeName | `ARRAY<${ScalarTypeName}>`;

const scalars: readonly [ScalarTypeName, ...ScalarTypeName[]] = [
  'INT64',
  'FLOAT64',
  'BOOL',
  'STRING',
  'BYTES',
  'TIMESTAMP',
  'DATETIME',
  'DATE',
  'TIME',
  'INTERVAL',
  'JSON',
];

const literals: Readonly<Record<ScalarTypeName, readonly [string, ...string[]]>> = {
  INT64: ['0', '1', '2', '-7', '400', '0xff', 'null', '9223372036854775807'],
  FLOAT64: ['0.0', '1.5', '-2.25', '1e300', "cast('nan' as float64)", "cast('inf' as float64)", 'null'],
  BOOL: ['true', 'false', 'null', '1 = 1'],
  STRING: ["''", "'a'", "'GET'", "'%a_b%'", "'2026-05-01 10:00:00'", "'[a-z]+'", "'é😀'", '\'{"a":[1]}\'', 'null'],
  BYTES: ["b''", "b'ab'", "b'\\xff\\x00'", 'null'],
  TIMESTAMP: ["timestamp '2026-05-01 10:00:00'", "timestamp '1969-12-31 23:59:59.999999'", 'current_timestamp()'],
  DATETIME: ["datetime '2026-05-01 10:00:00'", "datetime '2024-02-29 00:00:00.5'"],
  DATE: ["date '2026-05-01'", "date '2024-02-29'", 'current_date()'],
  TIME: ["time '10:00:00'", "time '23:59:59.999999'"],
  INTERVAL: ['interval 1 day', 'interval -3 hour', 'interval 2 month', 'interval 0 second'],
  JSON: ['json \'{"a": 1}\'', 'json \'[1, "x", null]\'', "json 'null'", 'metadata', "parse_json('3')"],
};

/** FROM clauses, and the columns by type that every one of them makes known. */
export interface Vocabulary {
  readonly froms: readonly [string, ...string[]];
  readonly columns: Readonly<Partial<Record<ScalarTypeName, readonly [string, ...string[]]>>>;
  /** What expressions are made of, where that is not everything there is. */
  readonly types?: readonly [ScalarTypeName, ...ScalarTypeName[]];
  readonly literals?: Readonly<Partial<Record<ScalarTypeName, readonly [string, ...string[]]>>>;
  /** Functions that are not called. */
  readonly without?: ReadonlySet<string>;
}

/** What the FROM clauses below make known. */
const columns: Vocabulary['columns'] = {
  STRING: ['t.id', 't.event_message', 'event_message'],
  TIMESTAMP: ['t.timestamp', 'timestamp'],
  JSON: [
    't.metadata',
    'm.request',
    'r.path',
    'r.method',
    'r.headers',
    'r.headers.x_real_ip',
    'r.cf.country',
    's.status_code',
    's.origin_time',
    's',
    'm',
    'm.response.status_code',
    'metadata.request.path',
    't.metadata.response.origin_time',
    'm.unknown_member.deeper',
    't.metadata[0].request',
  ],
};

const nested =
  'cross join unnest(t.metadata) as m left join unnest(m.request) as r on true left join unnest(m.response) as s on true';
const froms: readonly [string, ...string[]] = [
  `edge_logs as t ${nested}`,
  `edge_logs as t, unnest(t.metadata) as m, unnest(m.request) as r, unnest(m.response) as s`,
  `(select * from edge_logs where timestamp > timestamp '2020-01-01') as t ${nested}`,
  `(select * except (metadata), metadata from edge_logs) as t ${nested}`,
  `(select timestamp, id, event_message, metadata from edge_logs union all select timestamp, id, event_message, metadata from auth_logs) as t ${nested}`,
  `function_edge_logs as t ${nested}`,
  `database_logs as t ${nested}`,
];

const wantedOf = (
  type: SignatureType,
  bound: Map<string, Wanted>,
  random: SeededRandom,
  types: NonNullable<Vocabulary['types']>,
): Wanted | null => {
  if (typeof type === 'object') {
    if (!('arrayOf' in type)) return null;
    const element = wantedOf(type.arrayOf, bound, random, types);
    return element === null || element.startsWith('ARRAY') ? null : (`ARRAY<${element}>` as Wanted);
  }
  if (type === 'PART') return null;
  if (type !== 'T' && type !== 'U' && type !== 'NUMBER' && type !== 'ANY') return type;
  const known = bound.get(type);
  if (known !== undefined && type !== 'ANY') return known;
  const chosen = type === 'NUMBER' ? random.pick(['INT64', 'FLOAT64'] as const) : random.pick(types);
  bound.set(type, chosen);
  return chosen;
};

/** Binds the letters of a result type so that the result is the wanted one; false where it cannot be. */
function bindResult(returns: SignatureType, wanted: Wanted, bound: Map<string, Wanted>): boolean {
  if (typeof returns === 'object') {
    if (!('arrayOf' in returns) || !wanted.startsWith('ARRAY<')) return false;
    return bindResult(returns.arrayOf, wanted.slice(6, -1) as Wanted, bound);
  }
  if (returns === 'NUMBER' && wanted !== 'INT64' && wanted !== 'FLOAT64') return false;
  if (returns === 'T' || returns === 'U' || returns === 'NUMBER') {
    bound.set(returns, wanted);
    return true;
  }
  return returns === wanted;
}

interface Candidate {
  readonly declaration: FunctionDeclaration;
  readonly signature: Signature;
}

const candidates = [...functionCatalogue.values()]
  .filter(({ name }) => !name.startsWith('$'))
  .flatMap((declaration) => declaration.signatures.map((signature) => ({ declaration, signature }))) as [
  Candidate,
  ...Candidate[],
];

/** The tables of logs. */
export const logVocabulary: Vocabulary = { froms, columns };

/** Makes queries that are well typed by the catalogue of functions, so that most of them reach the engine. */
export class TypedQueries {
  readonly #random: SeededRandom;
  readonly #froms: Vocabulary['froms'];
  readonly #columns: Vocabulary['columns'];
  readonly #types: NonNullable<Vocabulary['types']>;
  readonly #literals: typeof literals;
  readonly #candidates: readonly [Candidate, ...Candidate[]];

  constructor(random: SeededRandom, vocabulary: Vocabulary = logVocabulary) {
    this.#random = random;
    this.#froms = vocabulary.froms;
    this.#columns = vocabulary.columns;
    this.#types = vocabulary.types ?? scalars;
    this.#literals = { ...literals, ...vocabulary.literals };
    const isCalled = ({ declaration }: Candidate): boolean => vocabulary.without?.has(declaration.name) !== true;
    this.#candidates = candidates.filter(isCalled) as [Candidate, ...Candidate[]];
  }

  /** An expression of a type over the columns of the vocabulary. */
  expression(wanted: Wanted, depth: number): string {
    return this.#expression(wanted, depth);
  }

  query(): string {
    const random = this.#random;
    switch (random.integer(0, 7)) {
      case 0:
      case 1:
        return this.#grouped();
      case 2:
        return this.#windowed();
      case 3:
        return `with q as (${this.#plain()}) select * from q limit 5`;
      case 4:
        return this.#union();
      case 5:
        return `select ${this.#list(1)}`;
      default:
        return this.#plain();
    }
  }

  #wanted(): Wanted {
    return this.#random.chance(0.12) ? `ARRAY<${this.#random.pick(this.#types)}>` : this.#random.pick(this.#types);
  }

  #list(count: number): string {
    return Array.from({ length: count }, (_, n) => `${this.#without(this.#wanted(), 3)} as c${n}`).join(', ');
  }

  /** An expression without columns. */
  #without(wanted: Wanted, depth: number): string {
    return this.#expression(wanted, depth, false);
  }

  #plain(): string {
    const random = this.#random;
    const list = Array.from(
      { length: random.integer(1, 3) },
      (_, n) => `${this.#expression(this.#wanted(), 3)} as c${n}`,
    );
    const where = random.chance(0.5) ? ` where ${this.#expression('BOOL', 3)}` : '';
    const order = random.chance(0.4) ? ` order by ${random.pick(['1', 'c0 desc nulls last', 't.timestamp desc'])}` : '';
    const distinct = order === '' && random.chance(0.15) ? 'distinct ' : '';
    return `select ${distinct}${list.join(', ')} from ${random.pick(this.#froms)}${where}${order} limit ${random.integer(0, 20)}`;
  }

  #grouped(): string {
    const random = this.#random;
    const key = this.#expression(random.pick(['STRING', 'TIMESTAMP', 'INT64', 'JSON', 'DATE', 'BOOL'] as const), 2);
    const aggregates = Array.from({ length: random.integer(1, 2) }, (_, n) => `${this.#aggregate()} as a${n}`);
    const having = random.chance(0.3) ? ' having count(*) > 0' : '';
    const order = random.chance(0.5) ? ' order by 1' : '';
    const grouping = random.pick(['g', '1', 'rollup(g)']);
    return `select ${key} as g, ${aggregates.join(', ')} from ${random.pick(this.#froms)} group by ${grouping}${having}${order}`;
  }

  #windowed(): string {
    const random = this.#random;
    const window = random.pick([
      '(partition by r.method order by t.timestamp)',
      '(order by t.timestamp desc)',
      '(order by t.timestamp rows between 2 preceding and current row)',
      '(partition by t.id)',
    ]);
    const call = random.chance(0.5) ? this.#aggregate() : this.#call('window');
    return `select t.id, ${call} over ${window} as w from ${random.pick(this.#froms)} limit 10`;
  }

  #union(): string {
    const types = Array.from({ length: this.#random.integer(1, 3) }, () => this.#wanted());
    const arm = () =>
      `select ${types.map((type, n) => `${this.#expression(type, 2)} as c${n}`).join(', ')} from ${this.#random.pick(this.#froms)}`;
    const operator = this.#random.pick(['union all', 'union distinct', 'intersect distinct', 'except distinct']);
    return `(${arm()}) ${operator} (${arm()})`;
  }

  #aggregate(): string {
    return this.#call('aggregate');
  }

  #call(kind: 'aggregate' | 'window'): string {
    for (;;) {
      const choice = this.#random.pick(this.#candidates);
      if (choice.declaration.kind !== kind) continue;
      const args = this.#args(choice.signature, new Map(), 2, true);
      if (args === null) continue;
      const { modifiers = [], name } = choice.declaration;
      const distinct = modifiers.includes('distinct') && this.#random.chance(0.15) ? 'distinct ' : '';
      return `${name}(${distinct}${args.join(', ')})`;
    }
  }

  #args(signature: Signature, bound: Map<string, Wanted>, depth: number, hasColumns: boolean): string[] | null {
    const random = this.#random;
    const repeated = signature.args.filter((argument) => argument.repeated === true);
    const more = repeated.length === 0 ? 0 : random.integer(0, 2);
    const args: string[] = [];
    for (const argument of [...signature.args, ...Array.from({ length: more }, () => repeated).flat()]) {
      // Those that are repeated together are left out together.
      const mayEnd = argument.repeated !== true || argument === repeated[0];
      if (argument.optional === true && mayEnd && random.chance(0.5)) break;
      if (argument.type === 'PART') {
        args.push(random.pick((argument.parts ?? ['day']) as readonly [string, ...string[]]));
        continue;
      }
      const wanted = wantedOf(argument.type, bound, random, this.#types);
      if (wanted === null) return null;
      args.push(argument.constant === true ? this.#literal(wanted) : this.#expression(wanted, depth - 1, hasColumns));
    }
    return args;
  }

  #literal(wanted: Wanted): string {
    if (!wanted.startsWith('ARRAY<')) return this.#random.pick(this.#literals[wanted as ScalarTypeName]);
    const element = wanted.slice(6, -1) as ScalarTypeName;
    const count = this.#random.integer(0, 3);
    return `array<${element}>[${Array.from({ length: count }, () => this.#literal(element)).join(', ')}]`;
  }

  #leaf(wanted: Wanted, hasColumns: boolean): string {
    const random = this.#random;
    const own = hasColumns ? this.#columns[wanted as ScalarTypeName] : undefined;
    if (own !== undefined && random.chance(0.75)) return random.pick(own);
    // A nested value takes the type that its context asks for.
    if (hasColumns && !wanted.startsWith('ARRAY') && random.chance(0.25) && this.#types.includes('JSON')) {
      const path = random.pick(this.#columns.JSON ?? ['null']);
      return random.chance(0.5) ? path : `safe_cast(${path} as ${wanted === 'JSON' ? 'STRING' : wanted})`;
    }
    const literal = this.#literal(wanted);
    return hasColumns || !literal.includes('metadata') ? literal : 'null';
  }

  #expression(wanted: Wanted, depth: number, hasColumns = true): string {
    const random = this.#random;
    if (depth <= 0 || random.chance(0.2)) return this.#leaf(wanted, hasColumns);
    const below = (type: Wanted) => this.#expression(type, depth - 1, hasColumns);
    if (random.chance(0.3)) return this.#form(wanted, below);
    for (let attempt = 0; attempt < 40; attempt++) {
      const { declaration, signature } = random.pick(this.#candidates);
      if (declaration.kind !== 'scalar') continue;
      const bound = new Map<string, Wanted>();
      if (!bindResult(signature.returns, wanted, bound)) continue;
      const args = this.#args(signature, bound, depth, hasColumns);
      if (args === null) continue;
      return `${random.chance(0.05) ? 'safe.' : ''}${declaration.name}(${args.join(', ')})`;
    }
    return this.#form(wanted, below);
  }

  /** Syntax other than calls. */
  #form(wanted: Wanted, below: (type: Wanted) => string): string {
    const random = this.#random;
    const any = random.pick(this.#types);
    if (wanted === 'BOOL' && random.chance(0.7)) {
      return random.pick([
        () => `(${below(any)} ${random.pick(['=', '!=', '<', '<=', '>', '>='])} ${below(any)})`,
        () => `(${below(any)} is ${random.pick(['', 'not '])}null)`,
        () => `(${below('STRING')} ${random.pick(['like', 'not like', 'ilike'])} ${below('STRING')})`,
        () => `(${below('BOOL')} ${random.pick(['and', 'or'])} ${below('BOOL')})`,
        () => `(not ${below('BOOL')})`,
        () => `(${below(any)} ${random.pick(['in', 'not in'])} (${below(any)}, ${below(any)}))`,
        () => `(${below(any)} in unnest(${below(`ARRAY<${any}>`)}))`,
        () => `(${below(any)} between ${below(any)} and ${below(any)})`,
        () => `(${below(any)} is distinct from ${below(any)})`,
        () => `exists (select 1 from unnest(${below(`ARRAY<${any}>`)}) as e where e is not null)`,
      ])();
    }
    if (wanted.startsWith('ARRAY<')) {
      const element = wanted.slice(6, -1) as ScalarTypeName;
      return random.pick([
        () => `[${below(element)}, ${below(element)}]`,
        () => `array(select e from unnest(${below(wanted)}) as e order by 1)`,
        () => `if(${below('BOOL')}, ${below(wanted)}, ${below(wanted)})`,
      ])();
    }
    return random.pick([
      () => `case when ${below('BOOL')} then ${below(wanted)} else ${below(wanted)} end`,
      () => `case ${below(any)} when ${below(any)} then ${below(wanted)} end`,
      () => `if(${below('BOOL')}, ${below(wanted)}, ${below(wanted)})`,
      () => `coalesce(${below(wanted)}, ${below(wanted)})`,
      () => `nullif(${below(wanted)}, ${below(wanted)})`,
      () => (wanted === 'JSON' ? `to_json(${below(any)})` : `safe_cast(${below(any)} as ${wanted})`),
      () => (wanted === 'JSON' ? `parse_json(${below('STRING')})` : `cast(${below('STRING')} as ${wanted})`),
      () => `${below(`ARRAY<${wanted as ScalarTypeName}>`)}[safe_offset(${random.integer(0, 2)})]`,
      () => `(select ${below(wanted)})`,
      () => `(select max(e) from unnest(${below(`ARRAY<${wanted as ScalarTypeName}>`)}) as e)`,
      () => this.#arithmetic(wanted, below),
    ])();
  }

  #arithmetic(wanted: Wanted, below: (type: Wanted) => string): string {
    const random = this.#random;
    switch (wanted) {
      case 'INT64':
        return `(${below('INT64')} ${random.pick(['+', '-', '*', '&', '|', '^', '<<', '>>'])} ${below('INT64')})`;
      case 'FLOAT64':
        return `(${below('FLOAT64')} ${random.pick(['+', '-', '*', '/'])} ${below(random.pick(['INT64', 'FLOAT64'] as const))})`;
      case 'STRING':
        return `(${below('STRING')} || ${below('STRING')})`;
      case 'TIMESTAMP':
        return `(${below('TIMESTAMP')} - interval ${random.integer(0, 50)} ${random.pick(['day', 'hour', 'second'])})`;
      case 'INTERVAL':
        return `(${below('TIMESTAMP')} - ${below('TIMESTAMP')})`;
      default:
        return below(wanted);
    }
  }
}
