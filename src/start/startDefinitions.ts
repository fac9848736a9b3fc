import { readdirSync } from 'node:fs';
import { type ErrorItem, ServiceError } from '../core/errors.ts';
import type { Observe } from '../core/observation.ts';
import { type EndpointStore, serviceAuthors } from '../endpoints/endpointStore.ts';
import { type FileDefinition, loadDefinitionFiles } from '../endpoints/loadDefinitionFiles.ts';
import { shipDefinitions } from '../endpoints/shipDefinitions.ts';
import type { EngineLimits } from '../googlesql/engineLimits.ts';
import { describeEndpoint } from '../invoke/describe.ts';
import type { EndpointManagement } from '../manage/endpointManagement.ts';
import { freeOwnIds } from '../manage/freeOwnIds.ts';
import type { OwnEndpointNames } from '../manage/ownEndpoints.ts';
import type { Source } from '../sources/source.ts';
import { packageVersion } from './packageInfo.ts';
import { StartError } from './startError.ts';

export interface StartDefinitionsInputs {
  readonly store: EndpointStore;
  readonly manage: EndpointManagement;
  readonly sources: ReadonlyMap<string, Source>;
  /** Limits of the engine that runs the queries. */
  readonly limits: EngineLimits;
  readonly own: OwnEndpointNames;
  /** The definitions that are shipped with the product. */
  readonly shipped: readonly FileDefinition[];
  /** Folder of definition files to deploy as well; undefined for none. */
  readonly endpointsDir: string | undefined;
  readonly nowMicros: number;
  newId(): string;
  readonly observe: Observe;
  /** Whether nodes of a later release may use the store, whose shipped definitions must then stay. */
  readonly keepsLater: boolean;
}

/**
 * Deploys the shipped definitions and those of the operator's folder, and reports what was made, what was left alone
 * and what breaks callers. Throws a StartError, and deploys nothing from the folder, if it cannot be read or deployed.
 */
export async function startDefinitions(inputs: StartDefinitionsInputs): Promise<void> {
  const { store, sources, limits, own, endpointsDir, nowMicros, observe } = inputs;
  for (const { from, to } of await freeOwnIds(store, own, inputs)) {
    observe({
      kind: 'warning',
      message: `the endpoint ${to.name} had the ID ${from.id}, which belongs to ${own.get(from.id)}, an endpoint of the service itself; its ID is now ${to.id}: change callers and token scopes that use the old ID`,
    });
  }
  const { created, updated, leftAlone } = await shipDefinitions(
    store,
    inputs.shipped,
    (definition) => void describeEndpoint(definition, sources, limits),
    { nowMicros, release: packageVersion(), keepsLater: inputs.keepsLater },
  );
  const named = ({ name, version }: { readonly name: string; readonly version: number }) =>
    `${name} (version ${version})`;
  if (created.length + updated.length > 0) {
    observe({ kind: 'endpoints.deployed', from: 'product', endpoints: [...created, ...updated].map(named) });
  }
  for (const endpoint of leftAlone) {
    observe({
      kind: 'warning',
      message: `the endpoint ${endpoint.name} (${endpoint.id}) has a newer definition in this release, but keeps the changes that you made`,
    });
  }
  if (endpointsDir !== undefined) await deployFolder(endpointsDir, inputs);
}

async function deployFolder(folder: string, { store, manage, observe }: StartDefinitionsInputs): Promise<void> {
  const wanted = await withoutDeleted(readFolder(folder), store, observe);
  try {
    const deployed = await manage.deployDefinitions(wanted, {
      author: serviceAuthors.files,
      requestId: null,
      note: 'Deployed at start',
      // The owner of the folder has decided already, and a service that does not start would break every caller.
      allowBreaking: true,
      isDryRun: false,
      ifMatch: null,
      callersOnly: null,
    });
    const made = deployed.filter(({ outcome }) => outcome !== 'unchanged');
    if (made.length === 0) return;
    const endpoints = made.map(({ endpoint }) => `${endpoint.name} (version ${endpoint.version})`);
    observe({ kind: 'endpoints.deployed', from: 'folder', endpoints });
    for (const { endpoint, diff, notices } of made) {
      const takenOver = notices.filter(({ code }) => code === 'endpoint.name_taken_over');
      for (const { message } of [...(diff?.breaking ?? []), ...takenOver]) {
        observe({ kind: 'warning', message: `the endpoint ${endpoint.name} was changed by its file: ${message}` });
      }
    }
  } catch (error) {
    throw refused(folder, wanted, error);
  }
}

/** Leaves out deleted endpoints: their files neither restore them nor keep the service from starting. */
async function withoutDeleted(
  files: readonly FileDefinition[],
  store: EndpointStore,
  observe: Observe,
): Promise<readonly FileDefinition[]> {
  const wanted: FileDefinition[] = [];
  for (const file of files) {
    const { id, name } = file.definition;
    if ((await store.deleted.find(id)) === undefined) wanted.push(file);
    else {
      observe({
        kind: 'warning',
        message: `the endpoint ${name} (${id}) was deleted, so its definition file is ignored; restore it with "logmill endpoints restore ${id}", or remove the file`,
      });
    }
  }
  return wanted;
}

function readFolder(folder: string): readonly FileDefinition[] {
  try {
    // Distinguishes a missing folder from an unreadable file in it.
    readdirSync(folder);
    return loadDefinitionFiles(folder);
  } catch (error) {
    throw refused(folder, [], error);
  }
}

/** The file that an error is about; undefined if it is about none. */
function fileOf({ index }: ErrorItem, files: readonly FileDefinition[]): FileDefinition | undefined {
  return files[index ?? (files.length === 1 ? 0 : -1)];
}

/** `one.sql:2:6`, for an error in a query. */
function placesOf(item: ErrorItem, files: readonly FileDefinition[]): readonly string[] {
  const { line, column } = item;
  if (line === undefined || column === undefined) return [];
  const place = fileOf(item, files)?.placeOf({ line, column });
  return place === undefined ? [] : [`${place.file}:${place.line}:${place.column}`];
}

function refused(folder: string, files: readonly FileDefinition[], error: unknown): unknown {
  if (error instanceof ServiceError) {
    const wrong = [...new Set(error.errors.flatMap((item) => fileOf(item, files)?.file ?? []))];
    const places = error.errors.flatMap((item) => placesOf(item, files));
    const at = places.length === 0 ? '' : ` In the files: ${places.join(', ')}.`;
    const named = wrong.length === 0 ? '' : ` (${wrong.join(', ')})`;
    return new StartError(`The definitions in ${folder}${named} cannot be deployed. ${error.message}${at}`, {
      cause: error,
    });
  }
  if (error instanceof Error && 'code' in error && 'syscall' in error) {
    return new StartError(`The folder of definitions ${folder} (endpoints_dir) cannot be read: ${error.message}`, {
      cause: error,
    });
  }
  return error;
}
