import { hotColumnsOf, membersOf } from './existingMembers.ts';
import type { ExistingTable } from './existingTable.ts';
import { type Shape, shapeOf } from './shape.ts';
import type { ProjectField, Source } from './source.ts';

/** A source that is not built in. Its events may have metadata of any shape. */
export interface SourceDeclaration {
  readonly name: string;
  readonly projectField: ProjectField;
  readonly description: string;
  /** The table that the source reads if others fill it. */
  readonly existing?: ExistingTable | undefined;
}

export function sourceOf({ name, projectField, existing }: SourceDeclaration): Source {
  if (existing !== undefined) {
    return { name, projectField, shape: shapeOfTable(existing), hotColumns: hotColumnsOf(existing), existing };
  }
  const hasMetadata = { column: 'has_metadata', path: [], kind: 'presence' } as const;
  return { name, projectField, shape: shapeOf({}), hotColumns: [hasMetadata] };
}

function shapeOfTable(table: ExistingTable): Source['shape'] {
  const typed = membersOf(table).flatMap(({ name, kind }): [string, Shape][] =>
    kind === null ? [] : [[name, { kind: kind === 'string' ? 'string' : 'number' }]],
  );
  return { kind: 'object', members: Object.fromEntries(typed) };
}

/** The reason why a source cannot have the name; undefined if it can. */
export function sourceNameProblem(name: string): string | undefined {
  if (!/^[a-z][a-z0-9_]{0,62}$/.test(name)) {
    return 'must have 1 to 63 characters a-z, 0-9 and _, and begin with a letter';
  }
  return name.startsWith('svc_')
    ? "must not begin with svc_, which is reserved for the service's own sources"
    : undefined;
}

/** The reason why a source cannot have the alias; undefined if it can. */
export function aliasProblem(alias: string): string | undefined {
  // An alias occurs in headers and query parameters, and in a setting between commas and equals signs.
  return /^[\x21-\x7e]{1,128}$/.test(alias) && !/[,=]/.test(alias)
    ? undefined
    : 'must have 1 to 128 printable ASCII characters without spaces, commas and equals signs';
}

/** Parses `project` or `metadata.<member>`; undefined for other texts. */
export function parseProjectField(text: string): ProjectField | undefined {
  if (text === 'project') return { kind: 'column' };
  const member = /^metadata\.([A-Za-z_][A-Za-z0-9_]{0,62})$/.exec(text)?.[1];
  return member === undefined ? undefined : { kind: 'metadata', member };
}

export function formatProjectField(field: ProjectField): string {
  return field.kind === 'column' ? 'project' : `metadata.${field.member}`;
}
