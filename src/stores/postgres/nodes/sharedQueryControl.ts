import * as z from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import type { QueryControl, RunningQuery, RunningQueryList } from '../../../ports/queryControl.ts';
import type { AsksNodes } from './nodeMessages.ts';

const listMessage = z.object({ ofToken: z.string().nullable() });
const killMessage = z.object({ id: z.string(), ofToken: z.string().nullable(), killedBy: z.string() });
const listAnswer: z.ZodType<readonly RunningQuery[]> = z.array(
  z.object({
    id: z.string(),
    endpoint: z.object({ id: z.string(), name: z.string() }),
    tokenId: z.string(),
    requestIds: z.array(z.string()).exactOptional(),
    stage: z.enum(['waiting', 'running', 'stopping']),
    startedMicros: z.number(),
    elapsedMs: z.number(),
  }),
);

/** Lists and kills the queries of all nodes, by asking each of them. */
export class SharedQueryControl implements QueryControl {
  readonly #nodeId: string;
  readonly #local: QueryControl;
  readonly #messages: AsksNodes;

  /** `local` has the queries of this node. */
  constructor(nodeId: string, local: QueryControl, messages: AsksNodes) {
    this.#nodeId = nodeId;
    this.#local = local;
    this.#messages = messages;
    messages.on('queries.list', async (_, body) => (await local.list(listMessage.parse(body).ofToken)).queries);
    messages.on('queries.kill', async (_, body) => {
      const { id, ofToken, killedBy } = killMessage.parse(body);
      return await this.#killHere(id, ofToken, killedBy);
    });
  }

  async list(ofToken: string | null): Promise<RunningQueryList> {
    const [own, { answers, silent }] = await Promise.all([
      this.#local.list(ofToken),
      this.#messages.ask('queries.list', { ofToken }),
    ]);
    const byNode: (readonly [string, readonly RunningQuery[]])[] = [[this.#nodeId, own.queries]];
    const silentNodes = [...silent];
    for (const [node, answer] of answers) {
      const parsed = listAnswer.safeParse(answer);
      if (parsed.success) byNode.push([node, parsed.data]);
      else silentNodes.push(node);
    }
    // The same order on every node: of those that began at one time, each node has its own in order.
    const queries = byNode
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([, ofNode]) => ofNode)
      .sort((a, b) => a.startedMicros - b.startedMicros);
    return { queries, silentNodes };
  }

  async kill(id: string, ofToken: string | null, killedBy: string): Promise<void> {
    try {
      await this.#local.kill(id, ofToken, killedBy);
      return;
    } catch (error) {
      if (!isUnknown(error)) throw error;
      const { answers, silent } = await this.#messages.ask('queries.kill', { id, ofToken, killedBy });
      if ([...answers.values()].includes(true)) return;
      if (silent.length === 0) throw error;
      throw new ServiceError(
        'query.unknown',
        `${error.message} ${silent.length === 1 ? '1 node' : `${silent.length} nodes`} did not answer (${silent.join(', ')}); if the query runs there, it was not killed.`,
        { errors: error.errors },
      );
    }
  }

  async #killHere(id: string, ofToken: string | null, killedBy: string): Promise<boolean> {
    try {
      await this.#local.kill(id, ofToken, killedBy);
      return true;
    } catch (error) {
      if (isUnknown(error)) return false;
      throw error;
    }
  }
}

function isUnknown(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.code === 'query.unknown';
}
