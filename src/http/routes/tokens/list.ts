import * as z from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import { tokenView } from '../../../manage/tokenView.ts';
import { type TokenState, tokenStates } from '../../../tokens/tokenState.ts';
import { pageOf, pageOptions, readPage } from '../../page.ts';
import { managedAnswer, managedRoute } from '../endpoints/managed.ts';
import { managerOf } from './tokenRequest.ts';

const position = z.tuple([z.number(), z.string()]);

/** Lists tokens. */
export const listTokens = managedRoute({
  operation: 'tokens.list',
  methods: ['GET'],
  path: '/api/tokens',
  urlParameters: [...pageOptions, 'state'],
  summary:
    'Lists tokens without their secrets, oldest first, in pages. `state` is `live`, `expired`, `revoked` or `all`.',
  async handle({ options, requestId, services }, token) {
    const { limit, after } = readPage(options, position);
    const query = { limit: limit + 1, after, state: stateOf(options.get('state') ?? 'live') };
    const records = await services.tokenManagement.list(query, managerOf(token, requestId));
    const page = pageOf(records, limit, ({ createdAtMicros, publicId }) => [createdAtMicros, publicId]);
    const nowMicros = services.clock.nowMicros();
    return managedAnswer({ result: page.result.map((record) => tokenView(record, nowMicros)), next: page.next });
  },
});

/** The state to list; null for all. */
function stateOf(text: string): TokenState | null {
  if (text === 'live') return 'live';
  if (text === 'all') return null;
  const state = tokenStates.find((each) => each === text);
  if (state !== undefined) return state;
  const allowed = [...tokenStates, 'all'];
  const value = text.slice(0, 64);
  throw new ServiceError('parameter.invalid', `The parameter state is "${value}"; allowed: ${allowed.join(', ')}.`, {
    errors: [{ parameter: 'state', value, allowed }],
  });
}
