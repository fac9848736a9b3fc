import { nearestName } from '../core/nearestName.ts';
import { builtinSources } from '../sources/builtin.ts';
import { sourceOf } from '../sources/sourceDeclaration.ts';
import { SourceRegistry } from '../sources/sourceRegistry.ts';
import type { SourceStore } from '../sources/sourceStore.ts';
import type { Settings } from './settings.ts';
import { configuredAliases, configuredSources } from './sourceSettings.ts';
import { SettingsError } from './startError.ts';

/**
 * Returns the sources that a service starts with: built in, configured, and added while it ran. If two have the same
 * name, the first in this order wins.
 *
 * @throws SettingsError if the configuration names a source twice, or an alias names no source
 */
export async function declareSources(
  settings: Pick<Settings, 'sources' | 'sourceAliases' | 'events'>,
  store: SourceStore,
): Promise<SourceRegistry> {
  const registry = new SourceRegistry();
  for (const source of builtinSources) registry.add({ source, description: '', origin: 'builtin' });
  for (const declaration of configuredSources(settings.sources)) {
    if (registry.byName.has(declaration.name)) {
      throw new SettingsError(`sources names ${declaration.name}, but a source with this name already exists.`);
    }
    const { description } = declaration;
    registry.add({ source: sourceOf(declaration), description, origin: 'configuration' });
  }
  const stored = await store.load();
  for (const declaration of stored.declarations) {
    // Only ClickHouse has the table; as a source of the data folder, it would accept events.
    if (declaration.existing !== undefined && settings.events !== 'clickhouse') continue;
    registry.add({ source: sourceOf(declaration), description: declaration.description, origin: 'added' });
  }
  for (const [alias, source] of configuredAliases(settings.sourceAliases)) {
    if (registry.byName.has(alias))
      throw new SettingsError(`source_aliases has the alias ${alias}, but a source has this name.`);
    if (!registry.byName.has(source)) {
      const nearest = nearestName(source, registry.names());
      const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
      throw new SettingsError(`source_aliases has ${alias}=${source}, but there is no source ${source}.${hint}`);
    }
    registry.addAlias(alias, source, 'configuration');
  }
  for (const [alias, source] of stored.aliases) registry.addAlias(alias, source, 'added');
  return registry;
}
