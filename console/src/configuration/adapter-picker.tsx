// Choosing an adapter: grouped by what they work on, each with its one line.
import type { Adapter } from '../api/shapes.ts'
import { SelectField } from '../parts/field.tsx'

const groupOf = ({ kind, adapter_name }: Adapter): string =>
  kind === 'destination'
    ? 'Deliver to'
    : adapter_name.startsWith('photo')
      ? 'Photos'
      : adapter_name.startsWith('video')
        ? 'Videos'
        : adapter_name.startsWith('audio')
          ? 'Sound'
          : 'Others'

export function AdapterPicker({
  adapters,
  chosen,
  onChoose,
}: {
  adapters: Adapter[]
  chosen: string
  onChoose(name: string): void
}) {
  const groups = Map.groupBy(adapters, groupOf)
  const adapter = adapters.find(({ adapter_name }) => adapter_name === chosen)
  return (
    <SelectField
      label="Adapter"
      required
      value={chosen}
      onChange={event => onChoose(event.target.value)}
      help={adapter ? adapter.summary : 'What the configuration does.'}
    >
      <option value="">Choose one</option>
      {[...groups].map(([group, members]) => (
        <optgroup key={group} label={group}>
          {members.map(({ adapter_name }) => (
            <option key={adapter_name}>{adapter_name}</option>
          ))}
        </optgroup>
      ))}
    </SelectField>
  )
}
