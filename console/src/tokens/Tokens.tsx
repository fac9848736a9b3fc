import { parseRoute, useHash } from '../route/route.ts';
import { NewToken } from './NewToken.tsx';
import { TokenList } from './TokenList.tsx';

export default function Tokens() {
  const { parts } = parseRoute(useHash());
  return parts[1] === 'new' ? <NewToken /> : <TokenList />;
}
