import { useEffect } from 'react';

/** Closes open menus when something else is pressed, and by Escape, which returns the focus to their names. */
export function useMenus(): void {
  useEffect(() => {
    const closeOthers = (event: PointerEvent) => {
      for (const menu of openMenus()) if (!event.composedPath().includes(menu)) menu.open = false;
    };
    const closeByKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      const [menu] = openMenus();
      if (menu === undefined) return;
      event.preventDefault();
      menu.open = false;
      menu.querySelector('summary')?.focus();
    };
    window.addEventListener('pointerdown', closeOthers);
    window.addEventListener('keydown', closeByKey, { capture: true });
    return () => {
      window.removeEventListener('pointerdown', closeOthers);
      window.removeEventListener('keydown', closeByKey, { capture: true });
    };
  }, []);
}

const openMenus = (): readonly HTMLDetailsElement[] => [
  ...document.querySelectorAll<HTMLDetailsElement>('.menu[open]'),
];
