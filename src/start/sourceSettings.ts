import * as z from 'zod';
import {
  aliasProblem,
  parseProjectField,
  type SourceDeclaration,
  sourceNameProblem,
} from '../sources/sourceDeclaration.ts';

const allowedSources =
  'is a list, separated by commas, of names such as nginx_logs, or of names with the member of metadata that holds the project, such as app_logs:metadata.tenant';
const allowedAliases = 'is a list, separated by commas, of pairs such as edge.requests=edge_logs';

/** Additional sources, next to the built-in ones. */
export const sourcesSetting = z
  .string({ error: allowedSources })
  .refine((text) => declarationsOf(text).every((declaration) => declaration !== undefined), allowedSources)
  .optional();

/** Other names for sources. */
export const sourceAliases = z
  .string({ error: allowedAliases })
  .refine((text) => {
    const pairs = aliasesOf(text);
    return (
      pairs.every(([alias, source]) => aliasProblem(alias) === undefined && source !== '') &&
      new Set(pairs.map(([alias]) => alias)).size === pairs.length
    );
  }, allowedAliases)
  .optional();

/** Sources of a validated setting. */
export function configuredSources(text: string | undefined): readonly SourceDeclaration[] {
  return declarationsOf(text ?? '').filter((declaration) => declaration !== undefined);
}

/** Aliases and their sources, of a validated setting. */
export function configuredAliases(text: string | undefined): readonly (readonly [alias: string, source: string])[] {
  return aliasesOf(text ?? '');
}

function declarationsOf(text: string): readonly (SourceDeclaration | undefined)[] {
  return listed(text).map((item) => {
    const [name = '', field = 'project', ...more] = item.split(':').map((part) => part.trim());
    const projectField = parseProjectField(field);
    if (more.length > 0 || projectField === undefined || sourceNameProblem(name) !== undefined) return undefined;
    return { name, projectField, description: '' };
  });
}

function aliasesOf(text: string): readonly (readonly [alias: string, source: string])[] {
  return listed(text).map((item) => {
    const [alias = '', source = '', ...more] = item.split('=').map((part) => part.trim());
    return more.length > 0 ? ['', ''] : [alias, source];
  });
}

function listed(text: string): readonly string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
