import { useState } from 'react';
import { SafeText } from '../text/SafeText.tsx';

/** Characters of a long text that are shown at once: 64 KiB. */
export const textPage = 65_536;

interface LongTextProps {
  readonly text: string;
  /** Characters shown before more is asked for. */
  readonly first?: number;
}

/** A text of several lines. A long one is cut, and shown further on request. */
export function LongText({ text, first = textPage }: LongTextProps) {
  const [shown, setShown] = useState(first);
  return (
    <>
      <SafeText text={text.slice(0, shown)} isMultiline />
      {text.length > shown && (
        <button type="button" className="quiet" onClick={() => setShown(shown + textPage)}>
          … {(text.length - shown).toLocaleString('en')} more characters
        </button>
      )}
    </>
  );
}
