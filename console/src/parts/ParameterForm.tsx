import { useId } from 'react';
import { type DescribedParameter, valuesOf } from '../api/describedEndpoints.ts';
import { isList, textOf } from '../api/losslessJson.ts';
import { useProjectNames } from '../projects/useProjects.ts';

interface ParameterFormProps {
  readonly parameters: readonly DescribedParameter[];
  readonly values: Readonly<Record<string, string>>;
  readonly onValue: (name: string, value: string) => void;
}

/** A field for each declared parameter, of the kind that its type asks for. */
export function ParameterForm({ parameters, values, onValue }: ParameterFormProps) {
  return (
    <div className="parameters">
      {parameters.map((parameter) => (
        <ParameterField
          key={parameter.name}
          parameter={parameter}
          value={values[parameter.name] ?? ''}
          onValue={onValue}
        />
      ))}
    </div>
  );
}

interface ParameterFieldProps {
  readonly parameter: DescribedParameter;
  readonly value: string;
  readonly onValue: (name: string, value: string) => void;
}

function ParameterField({ parameter, value, onValue }: ParameterFieldProps) {
  const id = useId();
  const { names } = useProjectNames(parameter);
  const { name, description, isRequired, schema } = parameter;
  const options = valuesOf(parameter) ?? (schema.type === 'boolean' ? ['true', 'false'] : null);
  const example = isList(schema.examples) ? textOf(schema.examples[0]) : '';
  const preset = schema.default === undefined ? '' : textOf(schema.default);
  const isFixed = schema.const !== undefined;
  return (
    <div className="parameter">
      <label htmlFor={id}>
        {name}
        {isRequired && <span aria-hidden="true"> *</span>}
      </label>
      {options === null ? (
        <input
          id={id}
          type="text"
          inputMode={schema.type === 'integer' || schema.type === 'number' ? 'decimal' : 'text'}
          required={isRequired}
          value={value}
          placeholder={preset === '' ? example : preset}
          list={name === 'project' ? `${id}-names` : undefined}
          aria-describedby={`${id}-help`}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => onValue(name, event.target.value)}
        />
      ) : (
        <select
          id={id}
          value={isFixed ? options[0] : value}
          aria-describedby={`${id}-help`}
          onChange={(event) => onValue(name, event.target.value)}
        >
          {!isFixed && <option value="">{preset === '' ? '' : `${preset} (default)`}</option>}
          {options.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </select>
      )}
      {name === 'project' && (
        <datalist id={`${id}-names`}>
          {names.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
      <p id={`${id}-help`} className="muted small">
        {description}
      </p>
    </div>
  );
}

/** Values of the parameters in a place: `v.NAME`. */
export function valuesIn(search: URLSearchParams): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...search].filter(([name]) => name.startsWith('v.')).map(([name, value]) => [name.slice(2), value]),
  );
}
