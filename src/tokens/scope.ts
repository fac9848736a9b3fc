import { ServiceError } from '../core/errors.ts';
import { isUuid } from '../core/ids.ts';
import { nearestName } from '../core/nearestName.ts';

/** A right of a token (contract, section 4). */
export type Scope =
  | { readonly kind: 'query' }
  /** The id is lower case. */
  | { readonly kind: 'query:endpoint'; readonly endpointId: string }
  | { readonly kind: 'query:fresh' }
  | { readonly kind: 'query:version' }
  | { readonly kind: 'query:explain' }
  | { readonly kind: 'query:stream' }
  | { readonly kind: 'ingest' }
  | { readonly kind: 'ingest:source'; readonly source: string }
  | { readonly kind: 'observe' }
  | { readonly kind: 'manage' };

type PlainScope = Exclude<Scope, { kind: 'query:endpoint' | 'ingest:source' }>;

const plainScopes: readonly PlainScope['kind'][] = [
  'query',
  'query:fresh',
  'query:version',
  'query:explain',
  'query:stream',
  'ingest',
  'observe',
  'manage',
];

/** The written form of every scope, for help texts and messages. */
export const scopeForms: readonly string[] = [
  'query',
  'query:endpoint:<id>',
  'query:fresh',
  'query:version',
  'query:explain',
  'query:stream',
  'ingest',
  'ingest:source:<name>',
  'observe',
  'manage',
];

/** The scopes of an administration token. */
export const allScopes: readonly Scope[] = plainScopes.map((kind) => ({ kind }));

const sourceName = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/;

/** Throws `token.invalid` with the nearest scope if the text is not a scope. */
export function parseScope(text: string): Scope {
  const plain = plainScopes.find((kind) => kind === text);
  if (plain !== undefined) return { kind: plain };
  if (text.startsWith('query:endpoint:')) {
    const endpointId = text.slice('query:endpoint:'.length);
    if (isUuid(endpointId)) return { kind: 'query:endpoint', endpointId: endpointId.toLowerCase() };
    throw refuse(text, `The scope "${cut(text)}" needs an endpoint ID (a UUID) after query:endpoint:`);
  }
  if (text.startsWith('ingest:source:')) {
    const source = text.slice('ingest:source:'.length);
    if (sourceName.test(source)) return { kind: 'ingest:source', source };
    throw refuse(text, `The scope "${cut(text)}" needs a source name after ingest:source:`);
  }
  throw refuse(text, `There is no scope "${cut(text)}"`);
}

/** Parses a list of scopes and drops repetitions. Throws `token.invalid`, also for an empty list. */
export function parseScopes(texts: Iterable<string>): readonly Scope[] {
  const unique = new Map<string, Scope>();
  for (const text of texts) {
    const scope = parseScope(text);
    unique.set(formatScope(scope), scope);
  }
  if (unique.size === 0) {
    throw new ServiceError('token.invalid', `A token needs at least one scope of ${scopeForms.join(', ')}.`);
  }
  return [...unique.values()];
}

export function formatScope(scope: Scope): string {
  if (scope.kind === 'query:endpoint') return `query:endpoint:${scope.endpointId}`;
  if (scope.kind === 'ingest:source') return `ingest:source:${scope.source}`;
  return scope.kind;
}

function refuse(text: string, problem: string): ServiceError {
  const stems = scopeForms.map((form) => form.replace(/<.*>$/, ''));
  const near =
    nearestName(text, stems) ?? stems.filter((stem) => stem.endsWith(':')).find((stem) => sharesStem(text, stem));
  const nearest = near === undefined ? undefined : scopeForms[stems.indexOf(near)];
  const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  return new ServiceError('token.invalid', `${problem}; allowed: ${scopeForms.join(', ')}.${hint}`, {
    errors: [{ token: cut(text), allowed: scopeForms, ...(nearest === undefined ? {} : { nearest }) }],
  });
}

/** Whether the fixed part of a scope with a name is misspelt: `query:endpiont:77ee…`. */
function sharesStem(text: string, stem: string): boolean {
  const fixed = text.split(':').slice(0, 2).join(':');
  return nearestName(`${fixed}:`, [stem]) !== undefined;
}

function cut(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 79)}…`;
}
