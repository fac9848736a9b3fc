import { Pause } from '../../core/concurrency/turns.ts';
import { ServiceError } from '../../core/errors.ts';
import { isJsonObject, type JsonValue } from '../../core/jsonValue.ts';
import { BadRecord } from '../badRecord.ts';
import { parseValues } from '../decode.ts';
import { withoutByteOrderMark } from '../decodeUtf8.ts';
import { type GatheredNames, Gathering, recordBytes } from '../gathering.ts';
import type { Protocol } from '../protocol.ts';
import { quoteValue } from '../quoteValue.ts';
import type { SenderTerms } from '../senderTerms.ts';
import { deliveryReadingLimits } from './deliveryReadingLimits.ts';
import type { MemberPath, Webhook } from './webhook.ts';
import { bytesOfParts, type EventParts, eventsIn, partsOf, webhookEvent } from './webhookEvent.ts';

const names: GatheredNames = { record: 'event', shared: 'parts of the body' };

/** Deliveries of a webhook: one JSON body with one or more events. */
export function webhookProtocol(webhook: Webhook): Protocol {
  return (contentType) => {
    requireJson(contentType);
    const terms = termsOf(webhook);
    return {
      terms,
      async decode(body, limits, turns) {
        const bytes = withoutByteOrderMark(Buffer.from(body.buffer, body.byteOffset, body.byteLength));
        const pause = new Pause(turns);
        const options = deliveryReadingLimits(webhook, limits);
        // Beyond the limit, reading an array that is the whole body stops early.
        const [value = null, ...more] = await parseValues(bytes, limits.eventsMax, terms, options, pause);
        if (more.length > 0) throw malformed('it holds several JSON values; send one in each request');
        const { sent, shared } = divided(value, webhook);
        const gathered = new Gathering(limits, names, pause);
        // A part of the body becomes part of every event that lacks it.
        gathered.begin(sent[0] === value ? 0 : bytesOfParts(shared, limits.eventBytesMax));
        for (const each of sent) {
          gathered.addAtOnce(recordBytes, () => {
            if (isJsonObject(each)) return webhookEvent(each, shared, webhook);
            throw new BadRecord(`it is ${quoteValue(each)}, and must be a JSON object`, 'event.not_object');
          });
          if (gathered.isPauseDue()) await gathered.pause();
        }
        return { events: gathered.events, sourceName: undefined };
      },
    };
  };
}

function termsOf({ name, project, mapping, deliveryHeader }: Webhook): SenderTerms {
  const place = (path: MemberPath | null) => path?.join('.') ?? null;
  const projectPath = project.kind === 'member' ? place(project.path) : null;
  return {
    emptyBatch: null,
    sender: `The webhook ${name}`,
    key: deliveryHeader === null ? 'The signature' : `The delivery ID in the header ${deliveryHeader}`,
    time: place(mapping.time),
    id: place(mapping.id),
    giveProject:
      projectPath === null ? 'Declare a project for the webhook' : `Give it the member ${quoteValue(projectPath)}`,
  };
}

/** The events of a body, and the parts that they share. */
function divided(body: JsonValue, webhook: Webhook): { sent: readonly JsonValue[]; shared: EventParts } {
  try {
    return { sent: eventsIn(body, webhook.mapping), shared: partsOf(body, webhook) };
  } catch (error) {
    if (error instanceof BadRecord) throw malformed(error.message);
    throw error;
  }
}

/** Many senders give no type, or that of text. Forms are the one other type that senders of webhooks use. */
function requireJson(contentType: string | undefined): void {
  const [type = ''] = (contentType ?? '').toLowerCase().split(';');
  if (!type.includes('form')) return;
  throw new ServiceError(
    'request.unsupported_media_type',
    'The delivery is a form; set the content type of the webhook to application/json.',
    { errors: [{ value: type.slice(0, 128), allowed: ['application/json'] }] },
  );
}

function malformed(reason: string): ServiceError {
  return new ServiceError('request.malformed', `The body is not a delivery of this webhook: ${reason}.`);
}
