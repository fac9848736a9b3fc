/** Whether a member is a list of names and values in turn, such as `rawHeaders` of Node.js. */
export function isHeaderList(member: string): boolean {
  return headerList.test(member);
}

const headerList = /^raw[_-]?headers$/i;

/** Whether a text can name the element after it in a list. */
export function mayNameNext(text: string): boolean {
  return nameOfPair.test(text);
}

const nameOfPair = /^:?[A-Za-z][\w .-]{1,63}$/;

/**
 * Whether the text after the name of a secret in a list is a secret, and not a name too: lists such as those of allowed
 * headers (`["authorization", "content-type"]`) hold no values. In a list longer than a pair, a word is taken for a name.
 */
export function isSecretHeader(
  text: string,
  { isPair }: { readonly isPair: boolean },
  isSecretName: (name: string) => boolean,
): boolean {
  if (text === '' || ordinaryNames.has(text.toLowerCase()) || (mayNameNext(text) && isSecretName(text))) return false;
  return isPair || !words.test(text);
}

const words = /^[A-Za-z]*(?:[_-][A-Za-z]+)*$/;

/** Names that stand beside those of secrets in lists of headers, fields and grants. */
const ordinaryNames: ReadonlySet<string> = new Set(
  `accept accept-charset accept-encoding accept-language accept-profile access-control-request-headers
   access-control-request-method age allow cache-control client_credentials connection content-disposition
   content-encoding content-length content-location content-profile content-range content-type date dnt email etag expect
   expires host if-match if-modified-since if-none-match if-range if-unmodified-since keep-alive last-modified location
   name origin pragma prefer range referer referrer retry-after server te trailer transfer-encoding upgrade user user-agent
   username vary via warning x-api-version x-client-info x-client-version x-correlation-id x-forwarded-for
   x-forwarded-host x-forwarded-proto x-http-method-override x-real-ip x-request-id x-requested-with x-supabase-api-version`.split(
    /\s+/,
  ),
);
