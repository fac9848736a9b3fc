import * as z from 'zod';
import { uuidOfText } from '../../core/ids.ts';
import { sentDefinition } from '../definitionPaths.ts';
import { type DefinitionAt, deploymentProblem } from '../deploymentProblem.ts';
import { askJson } from '../managedEndpoints.ts';
import { RefusedCall, type ServiceAddress } from '../serviceClient.ts';

const deployedSchema = z.looseObject({
  result: z.tuple([
    z.looseObject({
      id: z.string(),
      name: z.string(),
      outcome: z.enum(['created', 'changed', 'unchanged']),
      version: z.number(),
    }),
  ]),
});

export type ScratchEndpoint = z.infer<typeof deployedSchema>['result'][0];

/**
 * Deploys a definition under a name and an ID of its own, which are the same each time, so that the endpoint of the
 * definition stays as it is. Callers of the scratch endpoint can break.
 *
 * @param prefix first part of the name
 * @throws CliError with the place in the file
 */
export async function deployScratch(
  at: DefinitionAt,
  prefix: string,
  address: ServiceAddress,
): Promise<ScratchEndpoint> {
  const { warm_seconds: _, ...sent } = sentDefinition(at.definition);
  const { id, name } = at.definition.definition;
  const scratch = { ...sent, id: uuidOfText(`logmill dev ${prefix} ${id}`), name: `${prefix}.${name}` };
  const query = new URLSearchParams({ allow_breaking: 'true', note: 'logmill endpoints dev' });
  try {
    const { result } = await askJson(address, `/api/endpoints/deploy?${query.toString()}`, deployedSchema, {
      body: { definitions: [scratch] },
    });
    return result[0];
  } catch (error) {
    throw error instanceof RefusedCall ? deploymentProblem(error.problem, [at]) : error;
  }
}
