/** Lists the presets that can be chosen for a set of files, and explains why others can't. */
import type { Presets } from '../../shared/api/resources.ts'
import type { WindowTranslation } from '../../shared/i18n/i18n.ts'
import { useApp, useTranslation } from '../store/app.ts'
import type { Contents } from '../store/start-draft.ts'
import { Select, type Option, type OptionGroup } from '../ui/form-controls.tsx'

/** The value of "Basic defaults". No preset has an empty name. */
const BASIC = ''

/** Used while no files are known: offers every preset. */
const ANYTHING: Contents = { photos: 0, videos: 0 }

type PresetPickerProps = {
  readonly id: string
  /** null for basic defaults. */
  readonly preset: string | null
  /** The files that the preset must support. */
  readonly contents?: Contents
  readonly onChoose: (preset: string | null) => void
}

export function PresetPicker({ id, preset, contents = ANYTHING, onChoose }: PresetPickerProps) {
  const app = useApp()
  const t = useTranslation()
  return (
    <Select
      id={id}
      value={preset ?? BASIC}
      groups={presetGroups(app.state.connection.value.presets, contents, preset, t)}
      onChoose={(value) => onChoose(value === BASIC ? null : value)}
    />
  )
}

/** Returns the names of presets that exist for both photos and videos. */
export const presetsForBoth = (presets: Presets): readonly string[] =>
  presets.image.filter((name) => presets.video.includes(name))

const option = (value: string, icon: Option['icon'], why: string | null): Option => ({
  value,
  label: value,
  ...(icon === undefined ? {} : { icon }),
  ...(why === null ? {} : { why, disabled: true }),
})

export function presetGroups(
  presets: Presets | null,
  contents: Contents,
  chosen: string | null,
  t: WindowTranslation,
): readonly OptionGroup[] {
  const both = presets === null ? [] : presetsForBoth(presets)
  const mixed = contents.photos > 0 && contents.videos > 0
  const photoReason = contents.videos === 0 ? null : mixed ? t.newJob.notForVideos : t.newJob.needsPhotos
  const videoReason = contents.photos === 0 ? null : mixed ? t.newJob.notForPhotos : t.newJob.needsVideos
  const groups: OptionGroup[] = [
    { label: t.newJob.photosAndVideos, options: both.map((name) => option(name, 'both', null)) },
    {
      label: t.newJob.photos,
      options: (presets?.image ?? [])
        .filter((name) => !both.includes(name))
        .map((name) => option(name, 'photo', photoReason)),
    },
    {
      label: t.newJob.videos,
      options: (presets?.video ?? [])
        .filter((name) => !both.includes(name))
        .map((name) => option(name, 'video', videoReason)),
    },
  ].filter(({ options }) => options.length > 0)
  const known = chosen === null || groups.some(({ options }) => options.some(({ value }) => value === chosen))
  const unknown: Option[] =
    known || chosen === null
      ? []
      : [{ value: chosen, label: chosen, icon: 'ask', why: t.newJob.unknownPreset }]
  return [
    ...groups,
    {
      options: [
        ...unknown,
        { value: BASIC, label: t.phrases.basicDefaults, icon: 'sliders', why: t.newJob.noPreset },
      ],
    },
  ]
}
