import { tokenView } from '../../../manage/tokenView.ts';
import { managedAnswer, managedRoute } from '../endpoints/managed.ts';
import { managerOf } from './tokenRequest.ts';

/** Reads one token. */
export const readToken = managedRoute({
  operation: 'tokens.read',
  methods: ['GET'],
  path: '/api/tokens/:publicId',
  urlParameters: [],
  summary: 'Returns a token by its public ID, without its secret.',
  async handle({ pathParts, requestId, services }, token) {
    const record = await services.tokenManagement.find(pathParts.publicId ?? '', managerOf(token, requestId));
    return managedAnswer(tokenView(record, services.clock.nowMicros()));
  },
});
