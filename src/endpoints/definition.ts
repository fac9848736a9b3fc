import type { ValuesProfile } from '../ports/queryEngine.ts';
import type { ParameterDeclaration } from './parameterDeclaration.ts';

/** The definition of an endpoint (contract, section 3). A version never changes. */
export interface EndpointDefinition {
  /** A UUID in lower case. */
  readonly id: string;
  /** Dotted lower-case name of at most 128 characters; may be shared with other definitions. */
  readonly name: string;
  readonly description: string;
  /** GoogleSQL with named parameters written @name. */
  readonly query: string;
  /** In the order of their declaration. */
  readonly parameters: readonly ParameterDeclaration[];
  /** 1 to 10,000. */
  readonly maxRows: number;
  /** 0 (off) to 86,400. */
  readonly cacheSeconds: number;
  /** At least 5 and less than `cacheSeconds`; null for no warming. */
  readonly warmSeconds: number | null;
  readonly staleIfErrorSeconds: number;
  /** Whether caller queries over its WITH tables are accepted. */
  readonly sandbox: boolean;
  readonly redactPii: boolean;
  /** Null for the setting of the service. */
  readonly values: ValuesProfile | null;
  /** Null for the setting of the service. */
  readonly timeoutMs: number | null;
  /** Whether an unknown parameter is a 400. */
  readonly strictParameters: boolean;
  /** Null if calls may not stream their results. */
  readonly stream: StreamLimits | null;
  /** Null if the stored query does not limit its rows to the last days. */
  readonly retention: RetentionDeclaration | null;
}

/** The most that one stream may have. */
export interface StreamLimits {
  readonly maxRows: number;
  readonly maxBytes: number;
}

/**
 * Declares that the stored query shows only the last days, so that callers who ask for more get the notice
 * `retention.clamped`. It limits nothing itself; the query has the condition.
 */
export interface RetentionDeclaration {
  /** The enum parameter that chooses the window. */
  readonly parameter: string;
  /** The timestamp parameter with the caller's lower bound. */
  readonly start: string;
  /** Days by value of `parameter`. */
  readonly days: Readonly<Record<string, number>>;
  /** Days for any other value, or without one. */
  readonly otherwise: number;
}

/** Checks that the query compiles and uses exactly the declared parameters. Throws `definition.invalid`. */
export type CheckDefinition = (definition: EndpointDefinition) => void;
