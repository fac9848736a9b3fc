import type { ParameterDeclaration } from '../endpoints/parameterDeclaration.ts';
import type { ValuesProfile } from '../engines/ports/queryEngine.ts';
import type { RetentionDeclaration } from './retentionNotice.ts';

/** What a call needs to know of one version of a definition (contract, section 3). */
export interface CallableEndpoint {
  /** Lower case. */
  readonly id: string;
  readonly name: string;
  readonly version: number;
  readonly query: string;
  readonly parameters: readonly ParameterDeclaration[];
  readonly maxRows: number;
  readonly sandbox: boolean;
  readonly redactPii: boolean;
  readonly strictParameters: boolean;
  /** Null for the service's own. */
  readonly values: ValuesProfile | null;
  /** Null for the service's own, milliseconds. */
  readonly timeoutMs: number | null;
  readonly retention: RetentionDeclaration | null;
}
