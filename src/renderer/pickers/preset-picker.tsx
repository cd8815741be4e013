/** Which presets can be chosen for a set of files, and why the others can't. */
import type { Presets } from '../../shared/api/resources.ts'
import type { WindowTranslation } from '../../shared/i18n/i18n.ts'
import { useApp, useTranslation } from '../store/app.ts'
import type { Contents } from '../store/start-draft.ts'
import { Select, type Option, type OptionGroup } from '../ui/form-controls.tsx'

/** The value of "Basic defaults": no preset has an empty name. */
const BASIC = ''

/** Where no files are known yet: every preset fits. */
const ANYTHING: Contents = { photos: 0, videos: 0 }

type PresetPickerProps = {
  readonly id: string
  /** null: basic defaults. */
  readonly preset: string | null
  /** What the preset has to fit. */
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

/** Presets that exist under the same name for photos and for videos. */
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
