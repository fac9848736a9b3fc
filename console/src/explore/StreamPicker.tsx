import { type FormEvent, useEffect, useId, useRef } from 'react';
import { type DescribedEndpoint, titleOf } from '../api/describedEndpoints.ts';
import type { useProjectNames } from '../projects/useProjects.ts';

interface StreamPickerProps {
  readonly endpoints: readonly DescribedEndpoint[];
  readonly endpoint: DescribedEndpoint;
  readonly table: string;
  readonly onStream: (endpoint: DescribedEndpoint, table: string) => void;
}

const separator = '\u0000';

/** The tables of every endpoint that can be searched. */
export function StreamPicker({ endpoints, endpoint, table, onStream }: StreamPickerProps) {
  const id = useId();
  const choose = (value: string) => {
    const [endpointId, chosen = ''] = value.split(separator);
    const next = endpoints.find((each) => each.id === endpointId);
    if (next !== undefined) onStream(next, chosen);
  };
  return (
    <>
      <label className="unseen" htmlFor={id}>
        Stream
      </label>
      <select id={id} value={`${endpoint.id}${separator}${table}`} onChange={(event) => choose(event.target.value)}>
        {endpoints.map((each) => (
          <optgroup key={each.id} label={titleOf(each)}>
            {each.tables.map((name) => (
              <option key={name} value={`${each.id}${separator}${name}`}>
                {name}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
    </>
  );
}

interface ProjectPickerProps {
  readonly projects: ReturnType<typeof useProjectNames>;
  readonly project: string;
  readonly onProject: (project: string) => void;
}

/** The project: a list if all are known, else a field that offers the known ones. */
export function ProjectPicker({ projects: { names, isComplete }, project, onProject }: ProjectPickerProps) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (field.current !== null) field.current.value = project;
  }, [project]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const text = field.current?.value.trim() ?? '';
    if (text !== project) onProject(text);
  };
  if (isComplete) {
    return (
      <>
        <label className="unseen" htmlFor={id}>
          Project
        </label>
        <select id={id} value={project} onChange={(event) => onProject(event.target.value)}>
          {[...new Set([...names, project])].map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </>
    );
  }
  return (
    <form onSubmit={submit} className="project-picker">
      <label className="unseen" htmlFor={id}>
        Project
      </label>
      <input
        ref={field}
        id={id}
        list={`${id}-names`}
        placeholder="Project"
        autoComplete="off"
        spellCheck={false}
        defaultValue={project}
        onChange={(event) => {
          // A choice from the list needs no Enter.
          if (names.includes(event.target.value)) onProject(event.target.value);
        }}
        onBlur={submit}
      />
      <datalist id={`${id}-names`}>
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </form>
  );
}
