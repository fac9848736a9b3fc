import { type RefCallback, useCallback, useState } from 'react';

/** Pixels of an element's content, at least `least`, so that texts and patterns in a drawing keep their size. */
export function useWidth(least: number): readonly [RefCallback<HTMLElement>, number] {
  const [width, setWidth] = useState(960);
  const watch = useCallback(
    (element: HTMLElement | null) => {
      const observer = new ResizeObserver(([entry]) => setWidth(Math.max(least, entry?.contentRect.width ?? 0)));
      if (element !== null) observer.observe(element);
      return () => observer.disconnect();
    },
    [least],
  );
  return [watch, width];
}
