import type { AroundEvents } from '../../core/jsonContainer.ts';
import type { JsonParseOptions } from '../../core/losslessJson.ts';
import { readingLimits } from '../eventSize.ts';
import type { MemberPath, Webhook } from './webhook.ts';

/** A node that is being made. */
interface Around {
  elements?: Around;
  readonly members: Map<string, Around>;
}

/** `readingLimits` for a delivery. */
export function deliveryReadingLimits(
  webhook: Pick<Webhook, 'mapping' | 'project'>,
  limits: Parameters<typeof readingLimits>[0],
): JsonParseOptions {
  return {
    ...readingLimits(limits),
    inEventBytesMax: limits.eventBytesMax,
    aroundEvents: aroundEventsOf(webhook),
  };
}

/** What can hold or be the events of a delivery, or hold the parts that its declaration names. */
function aroundEventsOf({ mapping, project }: Pick<Webhook, 'mapping' | 'project'>): AroundEvents {
  const { events, time, message, id } = mapping;
  const parts = [time, message, id, project.kind === 'member' ? project.path : null].filter((path) => path !== null);
  const body: Around = { members: new Map() };
  const event: Around = { members: new Map() };
  for (const path of parts) for (const around of [body, event]) nodeAt(around, path.slice(0, -1));
  nodeAt(body, events ?? []).elements = event;
  return body;
}

function nodeAt(root: Around, path: MemberPath): Around {
  let at = root;
  for (const name of path) {
    const next = at.members.get(name) ?? { members: new Map<string, Around>() };
    at.members.set(name, next);
    at = next;
  }
  return at;
}
