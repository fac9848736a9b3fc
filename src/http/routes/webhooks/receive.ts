import type { DeclaredWebhooks, NamedWebhook } from '../../../ingest/webhook/declaredWebhooks.ts';
import { refused, verifySignature } from '../../../ingest/webhook/verifySignature.ts';
import type { Webhook } from '../../../ingest/webhook/webhook.ts';
import { webhookProtocol } from '../../../ingest/webhook/webhookProtocol.ts';
import type { AuthenticatedToken } from '../../../tokens/authenticator.ts';
import { restrictedTo } from '../../../tokens/restrictions.ts';
import { jsonAnswer, oneValue, type Route } from '../../route.ts';
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
  requireSigners({ webhooks }) {
    // Nothing else is refused before the body has arrived: it would tell which webhooks exist, or how they are signed.
    webhookFor('', webhooks);
  },
  async verify({ pathParts, headers, body, services, turns }) {
    const { webhooks, clock } = services;
    const named = webhookFor(pathParts.name, webhooks);
    const delivery = { header: (name: string) => oneValue(headers[name]), body };
    const signed = await verifySignature(named, delivery, {
      nowMicros: clock.nowMicros(),
      turns,
      reports: webhooks.reports,
    });
    return { signer: signerOf(named.webhook), signed };
  },
  async handle(call, token, signed) {
    const { webhook } = webhookFor(call.pathParts.name, call.services.webhooks);
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

function webhookFor(name = '', webhooks: DeclaredWebhooks): NamedWebhook {
  const named = webhooks.find(name);
  if (named === undefined) throw refused('no webhooks are declared', webhooks.reports);
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
