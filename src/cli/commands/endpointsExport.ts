import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { makeFolder } from '../../backup/makeFolder.ts';
import { definitionYaml } from '../../endpoints/definitionYaml.ts';
import { loadDefinitionFiles } from '../../endpoints/loadDefinitionFiles.ts';
import type { CliContext } from '../cliContext.ts';
import { type EndpointSummary, endpointId, listEndpoints, readEndpoint } from '../managedEndpoints.ts';
import { serviceAddress } from '../serviceClient.ts';
import { addServiceOptions, type ServiceOptions } from '../serviceOptions.ts';

interface ExportOptions extends ServiceOptions {
  readonly to: string;
}

/** `logmill endpoints export --to FOLDER`: writes definition files that deploy to what there is. */
export function endpointsExportCommand(context: CliContext): Command {
  const command = new Command('export')
    .description('write endpoints as definition files, one .yaml and one .sql each; deploying them changes nothing')
    .argument('[endpoint...]', 'names or ids of endpoints (default: all)')
    .requiredOption('--to <folder>', 'where to write; a file that holds the same endpoint already is written over');
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
    writeFileSync(join(options.to, `${base}.yaml`), definitionYaml(fields));
    writeFileSync(join(options.to, `${base}.sql`), String(fields.query));
    written.push({ id, name, file: join(options.to, `${base}.yaml`) });
  }
  if (options.json === true) context.out(`${JSON.stringify(written, undefined, 2)}\n`);
  else for (const { file } of written) context.out(`${file}\n`);
}

/** Base names of files: what holds the endpoint already, else its name, with its id where that name is taken. */
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
