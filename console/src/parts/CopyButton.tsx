import { useEffect, useState } from 'react';
import { copyText } from './copyText.ts';

interface CopyButtonProps {
  readonly text: string | (() => string);
  readonly children?: string;
  readonly label?: string;
}

/** A button that copies, and says for a moment that it did. */
export function CopyButton({ text, children = 'Copy', label }: CopyButtonProps) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  useEffect(() => {
    if (state === 'idle') return;
    const timer = setTimeout(() => setState('idle'), 1500);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async () => setState((await copyText(typeof text === 'string' ? text : text())) ? 'copied' : 'failed');
  return (
    <button type="button" className="quiet" aria-label={label} onClick={() => void copy()}>
      {state === 'idle' ? children : state === 'copied' ? 'Copied' : 'Not copied'}
      <span role="status" className="unseen">
        {state === 'copied' ? 'Copied' : ''}
      </span>
    </button>
  );
}
