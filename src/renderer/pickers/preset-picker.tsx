import type { ConnectionView } from '../../shared/model/connection.ts'
import { presetName } from '../../shared/i18n/sentences.ts'
import { MAX_PRESETS } from '../../shared/model/draft.ts'
import { taskOf } from '../../shared/preset/task-names.ts'
import { useView } from '../store/app.ts'
import type { Contents } from '../store/draft-contents.ts'
import { Combobox } from '../ui/combobox.tsx'
import { FittingNames } from '../ui/fitting-names.tsx'
import type { Option } from '../ui/form-controls.tsx'
import { BASIC, presetGroups, toggled } from './preset-options.ts'
import { useShortSummaries } from './preset-notes.ts'
import { presetIcon } from './task-options.ts'

/** Used while no files are known: offers every preset. */
const ANYTHING: Contents = { photos: 0, videos: 0 }

export type FirstOption = {
  readonly option: Option
  readonly isChosen: boolean
  readonly onChoose: () => void
}

/** Chooses one preset, or up to five. */
export function PresetPicker(props: {
  readonly id: string
  /** In the order chosen; empty for basic defaults. */
  readonly presets: readonly string[]
  readonly contents?: Contents
  readonly onChoose: (presets: readonly string[]) => void
  readonly single?: boolean
  readonly describedBy?: string | undefined
  /** An option that comes first and isn't a preset. */
  readonly first?: FirstOption
  /** The label of a link that opens the list; by default, a field shows the chosen presets. */
  readonly link?: string | undefined
  /** The service that has the presets; by default the main service. */
  readonly service?: ConnectionView
}) {
  const { id, presets, contents = ANYTHING, onChoose, single = false, describedBy, first, link } = props
  const { app, t } = useView()
  const service = props.service ?? app.state.connection.value
  const offered = service.presets
  const { starredPresets, underMegabytes } = app.state.settings.value
  const noteOf = useShortSummaries(service)
  const names =
    presets.length === 0
      ? [{ icon: 'sliders' as const, name: t.phrases.basicDefaults }]
      : presets.map((name) => ({ icon: presetIcon(offered, name), name: presetName(name, t) }))
  const isFirst = first?.isChosen === true
  return (
    <Combobox
      listed={t.listed}
      id={id}
      label={t.newJob.preset}
      link={link !== undefined}
      groups={[
        ...(first === undefined ? [] : [{ options: [first.option] }]),
        ...presetGroups(
          {
            presets: offered,
            starred: starredPresets,
            chosen: isFirst ? [] : presets,
            contents,
            noteOf,
            ...(service.kind === 'builtIn' ? { underMegabytes } : {}),
          },
          t,
        ),
      ]}
      chosen={isFirst ? [first.option.value] : presets.length === 0 ? [BASIC] : presets}
      aria-label={link}
      aria-describedby={describedBy}
      onChoose={(value) => {
        if (value === first?.option.value) first.onChoose()
        else onChoose(value === BASIC ? [] : [value])
      }}
      several={
        single
          ? undefined
          : {
              onToggle: (name) => onChoose(toggled(presets, name)),
              foot: {
                spaceKey: t.newJob.spaceKey,
                space: t.newJob.addOrRemove,
                enter: t.newJob.useOnlyThis,
                count: t.newJob.countOfMost({
                  count: presets.filter((name) => taskOf(name) === undefined).length,
                  most: MAX_PRESETS,
                }),
              },
            }
      }
    >
      {link ??
        (isFirst ? (
          <span class="truncate">{first.option.label}</span>
        ) : (
          <FittingNames names={names} more={(count) => t.name.more({ count })} />
        ))}
    </Combobox>
  )
}
