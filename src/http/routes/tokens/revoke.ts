import { tokenView } from '../../../manage/tokenView.ts';
import { managedAnswer, managedRoute } from '../endpoints/managed.ts';
import { managerOf } from './tokenRequest.ts';

/** Revokes a token, at once on this server and within a second on others (contract, section 4). */
export const revokeToken = managedRoute({
  operation: 'tokens.revoke',
  methods: ['DELETE'],
  path: '/api/tokens/:publicId',
  urlParameters: [],
  summary: 'Revokes a token immediately and permanently. Returns what Logmill keeps about it.',
  async handle({ pathParts, requestId, services }, token) {
    const by = managerOf(token, requestId);
    const { record } = await services.tokenManagement.revoke(pathParts.publicId ?? '', by);
    return managedAnswer(tokenView(record, services.clock.nowMicros()));
  },
});
