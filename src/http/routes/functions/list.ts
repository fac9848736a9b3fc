import { callForms } from '../../../googlesql/functions/callForms.ts';
import { functionCatalogue } from '../../../googlesql/functions/catalogue.ts';
import { requireQuery } from '../../../tokens/permission.ts';
import { jsonAnswer, type Route } from '../../route.ts';

/** The functions that queries can name, without operators. Editors complete them. */
export const listFunctions: Route = {
  operation: 'functions.list',
  methods: ['GET'],
  path: '/api/functions',
  urlParameters: [],
  summary: 'Lists the functions of GoogleSQL that queries can use: signatures, meaning and an example.',
  credential: 'token',
  codeWhenFull: 'query.overloaded',
  bodyBytesMax: () => 0,
  authorise({ scopes }) {
    requireQuery(scopes);
  },
  async handle() {
    const functions = [...functionCatalogue.values()]
      .filter(({ name }) => !name.startsWith('$'))
      .map((fn) => ({
        name: fn.name.toUpperCase(),
        kind: fn.kind,
        signatures: callForms(fn),
        description: fn.meaning,
        example: fn.example,
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    return jsonAnswer({ functions }, { 'cache-control': 'private, max-age=600' });
  },
};
