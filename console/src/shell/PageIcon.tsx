/** Lines of 16 by 16 units, by the name of the page. */
const lines: Readonly<Record<string, string>> = {
  explore: 'M7 2.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 1 0 0-9M10.3 10.3l3.7 3.7',
  query: 'M2.5 4l4 4l-4 4M8.5 12.5h5',
  endpoints: 'M9 1.5l-5.5 7.5h4l-.5 5.5l5.5-7.5h-4z',
  sources: 'M2.5 4a5.5 2.3 0 1 0 11 0a5.5 2.3 0 1 0-11 0v8a5.5 2.3 0 0 0 11 0v-8M2.5 8a5.5 2.3 0 0 0 11 0',
  projects: 'M1.5 12.5v-9h4.5l1.5 2h7v7z',
  tokens: 'M5 5.2a2.8 2.8 0 1 0 0 5.6a2.8 2.8 0 1 0 0-5.6M7.8 8h6.7v2.8M11.5 8v2.3',
  operations: 'M1.5 8.5h2.8l2-5.5l3.2 10l2-4.5h3',
  more: 'M3 5h10M3 8h10M3 11h10',
};

/** A small picture beside the title of a page. */
export function PageIcon({ name }: { readonly name: string }) {
  return (
    <svg className="page-icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={lines[name]} />
    </svg>
  );
}

/** The mark of the product, as in icon.svg. */
export function Mark() {
  return (
    <svg className="mark" viewBox="0 0 16 16" aria-hidden="true">
      <rect width="16" height="16" rx="3.5" />
      <path d="M4 3.5v9h8.2M6.6 10V7.4M8.9 10V5.2M11.2 10V8.2" />
    </svg>
  );
}
