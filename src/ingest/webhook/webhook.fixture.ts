import type { Webhook } from './webhook.ts';

/** A webhook of one fixed project, whose body is signed with these secrets. */
export const webhookOf = (
  given: Partial<Webhook>,
  secrets: readonly Buffer[] = [],
  header = 'x-signature',
): Webhook => ({
  name: 'hook',
  source: 'edge_logs',
  projectField: { kind: 'column' },
  project: { kind: 'fixed', project: 'p' },
  mapping: { events: null, time: null, message: null, id: null },
  signature: {
    header,
    algorithm: 'sha256',
    encoding: 'hex',
    prefix: '',
    secrets,
    signed: [{ kind: 'body' }],
    timestamp: null,
  },
  deliveryHeader: null,
  ...given,
});
