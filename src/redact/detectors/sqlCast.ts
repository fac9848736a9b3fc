const identifier = /[A-Za-z_]\w*/y;
const hexDigits = /^[0-9A-Fa-f]+$/;

/** PostgreSQL types. `::` before one of them is a cast, whatever precedes it. */
const sqlTypes: ReadonlySet<string> = new Set(
  `bigint bigserial bit bool boolean box bytea char character cidr circle citext date daterange dec decimal double
   float float4 float8 hstore inet int int2 int4 int8 integer interval json jsonb line lseg macaddr macaddr8 money
   name numeric oid path point polygon real regclass regproc regrole regtype serial smallint text time timestamp
   timestamptz timetz tsquery tsvector uuid varbit varchar vector xml`
    .trim()
    .split(/\s+/),
);

/** A typical first group of an address: global, unique local, link-local, multicast. */
const addressLike = /^(?:[23][0-9a-f]{3}|f[cd][0-9a-f]{2}|fe[89ab][0-9a-f]|ff[0-9a-f]{2})$/i;

/**
 * The end of a run of hexadecimal digits and colons, without a cast or scoped name at its end (`1::bigint`,
 * `Base64::decode`): a word after a `::` that has at most one group before it.
 */
export function endWithoutCast(text: string, from: number, to: number): number {
  for (let end = to; ; ) {
    const gap = text.lastIndexOf('::', end - 2);
    if (gap < from || !isCast(text, from, gap, end)) return end;
    end = gap;
    if (end - from < 2) return end;
  }
}

function isCast(text: string, from: number, gap: number, end: number): boolean {
  const left = groupBefore(text, from, gap);
  if (left === undefined) return false;
  const isAddressLike = addressLike.test(left) && !/\p{L}/u.test(text.charAt(gap - left.length - 1));
  if (gap + 2 === end && /^["'][A-Za-z]/.test(text.slice(end, end + 2))) return !isAddressLike;
  identifier.lastIndex = gap + 2;
  const word = identifier.exec(text)?.[0].toLowerCase();
  if (word === undefined) return false;
  const isType = sqlTypes.has(word);
  // Hexadecimal digits alone are a group, except for the one type that is spelled with them, `dec`.
  if (hexDigits.test(word) && (!isType || isAddressLike)) return false;
  // More groups follow: `fe80::dec:1`.
  if (gap + 2 + word.length < end) return false;
  return isType || !isAddressLike;
}

/** The only group before `::`, empty if there is none; undefined if there are several. */
function groupBefore(text: string, from: number, gap: number): string | undefined {
  let at = gap;
  while (at > from && text.charCodeAt(at - 1) !== 0x3a) at--;
  const isOnly = at === from || text.startsWith('::', at - 2);
  return isOnly ? text.slice(at, gap) : undefined;
}
