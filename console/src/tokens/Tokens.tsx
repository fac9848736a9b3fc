import { parseRoute, useHash } from '../route/route.ts';
import { NewToken } from './NewToken.tsx';
import { TokenList } from './TokenList.tsx';
import { TokenPage } from './TokenPage.tsx';

export default function Tokens() {
  const { parts } = parseRoute(useHash());
  const [, chosen] = parts;
  if (chosen === undefined) return <TokenList />;
  return chosen === 'new' ? <NewToken /> : <TokenPage key={chosen} id={chosen} />;
}
