import { scopeNotices } from '../../../manage/scopeNotices.ts';
import { tokenView } from '../../../manage/tokenView.ts';
import { managedAnswer, managedRoute } from '../endpoints/managed.ts';
import { managerOf, tokenRequest } from './tokenRequest.ts';

/** Creates a token. Its secret is shown only in this answer. */
export const createToken = managedRoute({
  operation: 'tokens.create',
  methods: ['POST'],
  path: '/api/tokens',
  urlParameters: [],
  takesBody: true,
  summary:
    'Creates a token with at most the rights of the calling token. `token` in the answer is its secret, shown only in this answer.',
  async handle(call, token) {
    const { services, requestId } = call;
    const created = await services.tokenManagement.create(await tokenRequest(call), managerOf(token, requestId));
    const view = tokenView(created.record, services.clock.nowMicros());
    const notices = await scopeNotices(created.record.scopes, {
      hasEndpoint: async (id) => await services.manage.has(id),
      sources: () => services.sourceManagement.list().map(({ name }) => name),
    });
    const location = `/api/tokens/${view.id}`;
    return { ...managedAnswer({ token: created.text, ...view, notices }, { location }), status: 201 };
  },
});
