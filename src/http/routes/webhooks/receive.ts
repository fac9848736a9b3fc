import { ServiceError } from '../../../core/errors.ts';
import { requireSignature, verifySignature } from '../../../ingest/webhook/verifySignature.ts';
import type { Webhook } from '../../../ingest/webhook/webhook.ts';
import { webhookProtocol } from '../../../ingest/webhook/webhookProtocol.ts';
import type { AuthenticatedToken } from '../../../tokens/authenticator.ts';
import { restrictedTo } from '../../../tokens/restrictions.ts';
import { jsonAnswer, oneValue, type Route, type RouteCall } from '../../route.ts';
import { ingestCall } from '../events/ingestCall.ts';

/** Ingests deliveries of declared webhooks (docs/guides/sending-events.md, "Webhooks"). */
export const receiveWebhook: Route = {
  operation: 'webhooks.receive',
  methods: ['POST'],
  path: '/webhooks/:name',
  urlParameters: 'open',
  takesBody: true,
  summary: 'Stores a delivery of a declared webhook, which is signed with its secret. Answers once it is durable.',
  credential: 'signature',
  codeWhenFull: 'ingest.overloaded',
  bodyBytesMax: (settings) => settings.ingestBodyBytesMax,
  signer(call) {
    const webhook = webhookOf(call);
    requireSignature(webhook, (name) => oneValue(call.headers[name]));
    return signerOf(webhook);
  },
  async verify(call) {
    const { headers, body, services, turns } = call;
    const delivery = { header: (name: string) => oneValue(headers[name]), body };
    return await verifySignature(webhookOf(call), delivery, services.clock.nowMicros(), turns);
  },
  async handle(call, token, signed) {
    const webhook = webhookOf(call);
    const { deliveryHeader } = webhook;
    const delivery = deliveryHeader === null ? undefined : oneValue(call.headers[deliveryHeader])?.trim();
    const answer = await call.services.ingest.accept({
      ...ingestCall({ ...call, rawQuery: '' }, token),
      protocol: webhookProtocol(webhook),
      sourceCandidates: [{ place: `the webhook ${webhook.name}`, name: webhook.source }],
      idempotencyKey: delivery || signed,
    });
    return jsonAnswer(answer, { 'cache-control': 'no-store' });
  },
};

function webhookOf({ pathParts, services }: Pick<RouteCall, 'pathParts' | 'services'>): Webhook {
  const webhook = services.webhooks.get(pathParts.name ?? '');
  if (webhook !== undefined) return webhook;
  throw new ServiceError('webhook.unknown', 'There is no webhook with this name; webhooks_file declares them.');
}

/** A token with the rights of the webhook, and nothing else. */
function signerOf({ name, source, project }: Webhook): AuthenticatedToken {
  const projects = project.kind === 'fixed' ? [project.project] : project.allowed;
  return {
    publicId: `webhook:${name}`,
    description: `the webhook ${name}`,
    scopes: [{ kind: 'ingest:source', source }],
    slot: null,
    restrictions: projects === null ? null : restrictedTo(projects),
    expiresAtMicros: null,
  };
}
