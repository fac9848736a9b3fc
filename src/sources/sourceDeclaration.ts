import { shapeOf } from './shape.ts';
import type { ProjectField, Source } from './source.ts';

/** What is said of a source that is not built in. Its events may have metadata of any shape. */
export interface SourceDeclaration {
  readonly name: string;
  readonly projectField: ProjectField;
  readonly description: string;
}

export function sourceOf({ name, projectField }: SourceDeclaration): Source {
  const hasMetadata = { column: 'has_metadata', path: [], kind: 'presence' } as const;
  return { name, projectField, shape: shapeOf({}), hotColumns: [hasMetadata] };
}

/** Why a source cannot have the name; undefined where it can. */
export function sourceNameProblem(name: string): string | undefined {
  if (!/^[a-z][a-z0-9_]{0,62}$/.test(name)) {
    return 'is 1 to 63 of a-z, 0-9 and _, and begins with a letter';
  }
  return name.startsWith('svc_') ? 'does not begin with svc_, as the streams of the service itself do' : undefined;
}

/** Why a shipper's name for a source cannot be an alias; undefined where it can. */
export function aliasProblem(alias: string): string | undefined {
  // It comes in a header or a query parameter, and in a setting between commas and equals signs.
  return /^[\x21-\x7e]{1,128}$/.test(alias) && !/[,=]/.test(alias)
    ? undefined
    : 'is 1 to 128 printable ASCII characters without blanks, commas and equals signs';
}

/** `project`, or `metadata.<member>`: where events of a source carry their project. Undefined for any other text. */
export function parseProjectField(text: string): ProjectField | undefined {
  if (text === 'project') return { kind: 'column' };
  const member = /^metadata\.([A-Za-z_][A-Za-z0-9_]{0,62})$/.exec(text)?.[1];
  return member === undefined ? undefined : { kind: 'metadata', member };
}

export function formatProjectField(field: ProjectField): string {
  return field.kind === 'column' ? 'project' : `metadata.${field.member}`;
}
