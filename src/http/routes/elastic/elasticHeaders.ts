/**
 * The headers of every answer to clients of Elasticsearch. Some clients stop without the product. Send bodies as bytes:
 * the framework adds a charset to the type of a text.
 */
export const elasticHeaders = {
  'content-type': 'application/json',
  'cache-control': 'no-store',
  'x-elastic-product': 'Elasticsearch',
} as const;
