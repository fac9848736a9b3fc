import * as z from 'zod';
import { builtinSources } from '../../sources/builtin.ts';
import type { Source } from '../../sources/source.ts';
import { parseProjectField, sourceOf } from '../../sources/sourceDeclaration.ts';
import { askJson } from '../managedEndpoints.ts';
import type { ServiceAddress } from '../serviceClient.ts';

/** The sources that imported queries may read. */
export interface KnownSources {
  readonly sources: ReadonlyMap<string, Source>;
  /** Source names by alias. */
  readonly sourceOfAlias: ReadonlyMap<string, string>;
}

const builtin: ReadonlyMap<string, Source> = new Map(builtinSources.map((source) => [source.name, source] as const));

/** The sources that are known without a service. */
export const builtinOnly: KnownSources = { sources: builtin, sourceOfAlias: new Map() };

const answerSchema = z.looseObject({
  sources: z.array(
    z.looseObject({
      name: z.string(),
      description: z.string(),
      project_field: z.string(),
      aliases: z.array(z.string()),
    }),
  ),
});

/** The sources of a running service. */
export async function sourcesOf(address: ServiceAddress): Promise<KnownSources> {
  const { sources } = await askJson(address, '/api/sources', answerSchema);
  const known = sources.flatMap(({ name, description, project_field }): Source[] => {
    const projectField = parseProjectField(project_field);
    const there = builtin.get(name);
    if (there !== undefined) return [there];
    return projectField === undefined ? [] : [sourceOf({ name, projectField, description })];
  });
  return {
    sources: new Map(known.map((source) => [source.name, source])),
    sourceOfAlias: new Map(sources.flatMap(({ name, aliases }) => aliases.map((alias) => [alias, name] as const))),
  };
}
