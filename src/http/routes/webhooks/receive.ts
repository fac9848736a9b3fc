import { ServiceError } from '../../../core/errors.ts';
import type { DeclaredWebhooks, NamedWebhook } from '../../../ingest/webhook/declaredWebhooks.ts';
import { refused, verifySignature } from '../../../ingest/webhook/verifySignature.ts';
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
  requireSignature({ headers, services }) {
    if (services.webhooks.isSigned((name) => oneValue(headers[name]))) return;
    // The same whether a webhook with this name exists, and whatever header it needs.
    throw new ServiceError('auth.missing', 'The request does not have the signature of a declared webhook.');
  },
  async verify({ pathParts, headers, body, services, turns }) {
    const named = namedIn(pathParts, services.webhooks);
    const delivery = { header: (name: string) => oneValue(headers[name]), body };
    const signed = await verifySignature(named, delivery, services.clock.nowMicros(), turns);
    return { signer: signerOf(named.webhook), signed };
  },
  async handle(call, token, signed) {
    const { webhook } = namedIn(call.pathParts, call.services.webhooks);
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

function namedIn({ name = '' }: RouteCall['pathParts'], webhooks: DeclaredWebhooks): NamedWebhook {
  const named = webhooks.find(name);
  if (named === undefined) throw refused('no webhooks are declared');
  return named;
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
