import { useRef } from 'react';
import { goTo, hrefOf } from '../route/route.ts';
import type { Page } from './pages.ts';
import { useRememberedFlag } from './remembered.ts';
import { useKeys } from './useKeys.ts';
import { useMenus } from './useMenus.ts';

const sheet: readonly (readonly [string, string])[] = [
  ['/', 'to the search'],
  ['Enter', 'run (in an editor: Ctrl or ⌘ with Enter)'],
  ['Shift Alt F', 'lay out the query'],
  ['Tab', 'take the completion'],
  ['j k', 'next and previous row'],
  ['o', 'open the row'],
  ['e', 'rows around it'],
  ['c', 'copy the open row'],
  ['Ctrl F', 'find in the loaded rows; again: find of the browser'],
  ['+ -', 'keep or leave out the value under the focus'],
  ['[ ]', 'older, newer'],
  ['p', 'live tail: pause and go on'],
  ['w', 'long messages on several lines, or on one'],
  ['t', 'to the time range'],
  ['y', 'copy a link with absolute times'],
  ['Y', 'copy a link to this view'],
  ['?', 'this list'],
  ['Esc', 'close'],
];

/** The list of keys, and the keys that work on every page. */
export function Shortcuts({ pages }: { readonly pages: readonly Page[] }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isOn, setOn] = useRememberedFlag('keys', true);
  useMenus();
  useKeys({
    '?': () => dialog.current?.showModal(),
    ...Object.fromEntries(pages.map(({ name, key }) => [`g ${key}`, () => goTo(hrefOf([name]))])),
  });
  return (
    <dialog ref={dialog} className="sheet" aria-labelledby="keys-title">
      <form method="dialog">
        <h2 id="keys-title">Keys</h2>
        <dl className="keys">
          {[...sheet, ...pages.map(({ key, title }) => [`g ${key}`, `go to ${title}`] as const)].map(([key, what]) => (
            <div key={key}>
              <dt>
                {key.split(' ').map((each) => (
                  <kbd key={each}>{each}</kbd>
                ))}
              </dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
        <label className="check">
          <input type="checkbox" checked={isOn} onChange={(event) => setOn(event.target.checked)} />
          Single keys work outside of fields
        </label>
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}
