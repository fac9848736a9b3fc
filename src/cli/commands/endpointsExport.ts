import { Command } from 'commander';
import { makeFolder } from '../../backup/makeFolder.ts';
import { definitionYaml } from '../../endpoints/definitionYaml.ts';
import { loadDefinitionFiles } from '../../endpoints/loadDefinitionFiles.ts';
import type { CliContext } from '../cliContext.ts';
import { type EndpointSummary, endpointId, listEndpoints, readEndpoint } from '../managedEndpoints.ts';
import { serviceAddress } from '../serviceClient.ts';
import { addServiceOptions, type ServiceOptions } from '../serviceOptions.ts';
import { writeDefinitionFiles } from '../writeDefinitionFiles.ts';

interface ExportOptions extends ServiceOptions {
  readonly to: string;
}

/** `logmill endpoints export --to FOLDER`: writes definition files that match the deployed endpoints. */
export function endpointsExportCommand(context: CliContext): Command {
  const command = new Command('export')
    .description(
      'write endpoints as definition files, one .yaml and one .sql file each; deploying these changes nothing',
    )
    .argument('[endpoint...]', 'names or IDs of endpoints (default: all)')
    .requiredOption('--to <folder>', 'target folder; a file that already defines the same endpoint is overwritten');
  return addServiceOptions(command, 'manage').action((endpoints: readonly string[], options: ExportOptions) =>
    exportTo(endpoints, options, context),
  );
}

async function exportTo(names: readonly string[], options: ExportOptions, context: CliContext): Promise<void> {
  const address = serviceAddress(options, context.environment);
  const ids = await Promise.all(names.map((name) => endpointId(address, name)));
  const all = await listEndpoints(address);
  const wanted = all.filter(({ id }) => ids.length === 0 || ids.includes(id));
  makeFolder(options.to);
  const fileOf = fileNames(options.to);
  const written: { readonly id: string; readonly name: string; readonly file: string }[] = [];
  for (const endpoint of wanted) {
    const { id, name } = endpoint;
    const base = fileOf(endpoint);
    const fields = await readEndpoint(address, id);
    const texts = { yaml: definitionYaml(fields), sql: String(fields.query) };
    const file = writeDefinitionFiles(options.to, { base, ...texts, url: address.url });
    written.push({ id, name, file });
  }
  if (options.json === true) context.out(`${JSON.stringify(written, undefined, 2)}\n`);
  else for (const { file } of written) context.out(`${file}\n`);
}

/** The base name of an endpoint's file: that of its existing file, else its name, with its id if it shares the name. */
function fileNames(folder: string): (endpoint: EndpointSummary) => string {
  const byId = new Map(
    loadDefinitionFiles(folder).map(({ file, definition }) => [definition.id, file.replace(/\.ya?ml$/, '')] as const),
  );
  return ({ id, name, primary }) => {
    const taken = [...byId.values()].includes(name);
    const base = byId.get(id) ?? (primary && !taken ? name : `${name}.${id}`);
    byId.set(id, base);
    return base;
  };
}
