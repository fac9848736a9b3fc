import type { ValuesProfile } from '../ports/queryEngine.ts';
import type { ParameterDeclaration } from './parameterDeclaration.ts';

/** What an endpoint is (contract, section 3). One version of it is immutable. */
export interface EndpointDefinition {
  /** A UUID in lower case. */
  readonly id: string;
  /** Dotted lower-case name of at most 128 characters; may be shared with other definitions. */
  readonly name: string;
  readonly description: string;
  /** GoogleSQL with named parameters written @name. */
  readonly query: string;
  /** In the order of the declaration. */
  readonly parameters: readonly ParameterDeclaration[];
  /** 1 to 10,000. */
  readonly maxRows: number;
  /** 0 (off) to 86,400. */
  readonly cacheSeconds: number;
  /** At least 5 and less than `cacheSeconds`, or null for none. */
  readonly warmSeconds: number | null;
  readonly staleIfErrorSeconds: number;
  /** Whether callers may send queries of their own over its WITH tables. */
  readonly sandbox: boolean;
  readonly redactPii: boolean;
  /** Null for what the service is set to. */
  readonly values: ValuesProfile | null;
  /** Null for what the service is set to. */
  readonly timeoutMs: number | null;
  /** Whether an unknown parameter is a 400. */
  readonly strictParameters: boolean;
  /** Null where the stored query shows all that there is. */
  readonly retention: RetentionDeclaration | null;
}

/**
 * Says that the stored query shows only the last days, so that a caller who asks for more is told
 * (notice `retention.clamped`). It limits nothing by itself: the query's own condition does.
 */
export interface RetentionDeclaration {
  /** The enum parameter that chooses the window. */
  readonly parameter: string;
  /** The timestamp parameter that is the caller's lower bound. */
  readonly start: string;
  /** Days by value of `parameter`. */
  readonly days: Readonly<Record<string, number>>;
  /** Days for any other value, and for none. */
  readonly otherwise: number;
}

/** Checks what needs the compiler: that the query compiles, and uses exactly the declared parameters. Throws `definition.invalid`. */
export type CheckDefinition = (definition: EndpointDefinition) => void;
