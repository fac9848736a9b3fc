import { sessionMicros } from '../../sessions/sessions.ts';
import { signInInput } from '../routes/session/sessionRoutes.ts';
import { consoleHeaderName } from '../session/ownPage.ts';
import type { OperationDescription } from './operationDescription.ts';
import { requestSchema } from './requestSchema.ts';
import { count, flag, instant, inUrl, list, object, orNull, text } from './schemaParts.ts';

const consoleHeader = {
  name: consoleHeaderName,
  in: 'header',
  required: true,
  description: 'Pages of other sites cannot send it.',
  schema: { const: '1' },
};

const session: OperationDescription['answer'] = {
  description: 'Who is signed in.',
  schema: object({
    session: object({
      created_at: instant,
      expires_at: { ...instant, description: `At most ${sessionMicros / 3_600_000_000} hours after the beginning.` },
      token: object({
        id: text,
        description: text,
        scopes: list(text),
        restrictions: { type: 'object', description: 'Empty if the token is unrestricted.' },
        expires_at: orNull(instant),
      }),
    }),
  }),
};

/** The operations, by name. */
export const sessionOperations: Readonly<Record<string, OperationDescription>> = {
  'session.create': {
    parameters: [consoleHeader],
    body: {
      content: { 'application/json': { schema: requestSchema(signInInput) } },
      example: JSON.stringify({ code: 'the code of the link that the service printed' }),
    },
    answer: session,
    errors: [
      'auth.invalid',
      'auth.network',
      'session.code_invalid',
      'session.cross_site',
      'request.rate_limited',
      'request.duplicate_key',
    ],
  },
  'session.read': {
    parameters: [consoleHeader],
    answer: session,
    errors: ['session.missing', 'auth.network', 'request.rate_limited'],
  },
  'session.end': {
    parameters: [consoleHeader, inUrl('everywhere', '`true` ends every session of the token.', flag)],
    answer: {
      description: 'The session is over.',
      schema: object({ ended: { ...count, description: 'Number of sessions that ended.' } }),
    },
    errors: ['session.missing', 'auth.network', 'request.rate_limited', 'service.store_busy'],
  },
};
