import {
  BIGINT,
  BLOB,
  DuckDBBlobValue,
  DuckDBBlobVector,
  type DuckDBConnection,
  type DuckDBDataChunk,
  DuckDBScalarFunction,
  type DuckDBScalarFunctionInfo,
  type DuckDBType,
  type DuckDBValue,
  type DuckDBVector,
  VARCHAR,
} from '@duckdb/node-api';

import { failByFault } from './functionFault.ts';

/** JavaScript types of arguments and results, by the engine's type. */
interface ValueOf {
  readonly VARCHAR: string;
  readonly BLOB: Uint8Array;
  readonly BIGINT: bigint;
}
type ScriptedType = keyof ValueOf;
type ScriptedValue = ValueOf[ScriptedType];

/** A scalar function that this process computes for the engine. NULL in any argument gives NULL. */
export interface ScriptedFunction {
  readonly name: string;
  /** The name that callers know, for errors. */
  readonly label: string;
  readonly takes: readonly ScriptedType[];
  readonly gives: ScriptedType;
  readonly evaluate: (args: readonly ScriptedValue[], spend: Spend) => ScriptedValue | null;
}

/** Counts steps of some 20 ns before they are taken. Throws ScriptedRefusal beyond the limit of a statement. */
export type Spend = (steps: number) => void;

/**
 * Declares a function with typed arguments. `evaluate` throws ScriptedRefusal for values that it rejects. Work beyond a
 * fixed number of passes over its arguments must be spent before it is done: one value of a megabyte is within the
 * limits of values and bytes, but can take an hour (decision 57).
 */
export function scripted<const Takes extends readonly ScriptedType[], Gives extends ScriptedType>(
  declared: Omit<ScriptedFunction, 'takes' | 'gives' | 'evaluate'> & {
    readonly takes: Takes;
    readonly gives: Gives;
    readonly evaluate: (
      args: { -readonly [I in keyof Takes]: ValueOf[Takes[I]] },
      spend: Spend,
    ) => ValueOf[Gives] | null;
  },
): ScriptedFunction {
  const { evaluate, ...rest } = declared;
  // The engine passes values of the types in `takes`.
  return { ...rest, evaluate: (args, spend) => evaluate(args as Parameters<typeof evaluate>[0], spend) };
}

/** A value that a scripted function rejects; the message is shown to the caller. */
export class ScriptedRefusal extends Error {}

/**
 * Limits of one call in one statement; the steps of all calls are limited together. The engine's threads wait for the
 * only thread that runs JavaScript, which meanwhile notices nothing else: no interrupt, no other statement. The limits
 * allow a second or two.
 */
const valuesMax = 500_000;
const bytesMax = 64 * 1024 * 1024;
export const stepsMax = 100_000_000;

const types: Readonly<Record<ScriptedType, DuckDBType>> = { VARCHAR, BLOB, BIGINT };

/** What one call in one statement has used so far. */
interface Used {
  values: number;
  bytes: number;
}

/** Steps of all calls in the running statement. */
export class StatementSteps {
  #taken = 0;

  begin(): void {
    this.#taken = 0;
  }

  /** Throws ScriptedRefusal beyond the limit. */
  spend(label: string, steps: number): void {
    this.#taken += steps;
    if (this.#taken > stepsMax) throw new ScriptedRefusal(tooMuchWork(label));
  }
}

/** Registers a function in the engine, for all connections. */
export function registerScripted(connection: DuckDBConnection, fn: ScriptedFunction, steps: StatementSteps): void {
  const spend: Spend = (taken) => steps.spend(fn.label, taken);
  const registered = DuckDBScalarFunction.create({
    name: fn.name,
    parameterTypes: fn.takes.map((type) => types[type]),
    returnType: types[fn.gives],
    bindFunction: (bind) => {
      const used: Used = { values: 0, bytes: 0 };
      bind.setBindData(used);
    },
    mainFunction: (info, input, output) => {
      try {
        evaluateChunk(fn, spend, info, input, output);
      } catch (error) {
        // In the form in which statements raise their own errors, without a position; see callFailure.ts.
        if (error instanceof ScriptedRefusal) info.setError(`logmill:0:0:${error.message}`);
        else failByFault(info, error);
      }
    },
  });
  connection.registerScalarFunction(registered);
  registered.destroySync();
}

function evaluateChunk(
  fn: ScriptedFunction,
  spend: Spend,
  info: DuckDBScalarFunctionInfo,
  input: DuckDBDataChunk,
  output: DuckDBVector,
): void {
  const used = info.getBindData() as Used;
  const columns = fn.takes.map((_, i) => input.getColumnVector(i));
  for (let row = 0; row < input.rowCount; row++) {
    const args: ScriptedValue[] = [];
    for (const column of columns) {
      const value = column instanceof DuckDBBlobVector ? column.getItemBytes(row) : column.getItem(row);
      if (value !== null) args.push(value as ScriptedValue);
    }
    used.values += 1;
    for (const arg of args) used.bytes += size(arg);
    if (used.values > valuesMax || used.bytes > bytesMax) throw new ScriptedRefusal(tooMuch(fn.label));
    const result = args.length < columns.length ? null : fn.evaluate(args, spend);
    output.setItem(row, engineValue(result));
    if (result !== null) used.bytes += size(result);
  }
  output.flush();
}

const engineValue = (value: ScriptedValue | null): DuckDBValue =>
  value instanceof Uint8Array ? new DuckDBBlobValue(value) : value;

const size = (value: ScriptedValue): number => (typeof value === 'bigint' ? 8 : value.length);

const tooMuch = (label: string): string =>
  `${label} is worked out for ${valuesMax} values and ${bytesMax} bytes in one query at most. Narrow the time range, filter rows out or group them first.`;

const tooMuchWork = (label: string): string =>
  `${label} would take more than ${stepsMax} steps in this query: for a regular expression the characters that it looks at times the size of the pattern, for NORMALIZE the squares of runs of combining marks. Narrow the time range, cut the texts with SUBSTR, or use a simpler pattern.`;
