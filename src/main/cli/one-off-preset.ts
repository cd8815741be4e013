/** Applies a command's settings to a preset, for this command only. */
import { EXIT, type ExitCode } from '../../shared/command-end.ts'
import { faultWords, limitWords } from '../../shared/preset/fault-words.ts'
import { extensionOf } from '../../shared/media-types.ts'
import type { Draft } from '../../shared/model/draft.ts'
import type { MediaItem } from '../../shared/model/media-item.ts'
import { oneOffName, oneOffText } from '../../shared/preset/one-off.ts'
import { basicDefaults, type Preset } from '../../shared/preset/preset.ts'
import { checkPresetText, type PresetFault } from '../../shared/preset/preset-faults.ts'
import { readPreset } from '../../shared/preset/read-preset.ts'
import { schemaFields } from '../../shared/preset/schema-fields.ts'
import type { Line } from '../core/index.ts'
import { keepOneOff, presetsToOffer, removeUnusedOneOffs } from '../presets/presets.ts'
import type { Context } from './context.ts'
import { type Environment, presetFolder } from './environment.ts'
import { usageError } from './exit-code.ts'
import type { OneOffSetting } from './one-off-settings.ts'
import { t } from './output/language.ts'

/** Stands for the preset in the names of results if the command changes the basic defaults. */
const NO_PRESET = 'custom'

type Changed =
  | { readonly ok: true; readonly preset: Preset; readonly text: string }
  | { readonly ok: false; readonly code: ExitCode }

/**
 * Changes a preset, or the basic defaults if the command names no preset.
 * @param names the presets of the command
 * @returns the changed preset, or an exit code if the change isn't possible. In that case, the reason has been written to stderr
 */
export async function changedPreset(
  { service, environment }: Pick<Context, 'service' | 'environment'>,
  names: readonly string[],
  settings: readonly OneOffSetting[],
): Promise<Changed> {
  const options = t().listed([...new Set(settings.map(({ option }) => option))])
  const fail = (why: string, code?: ExitCode): Changed => ({
    ok: false,
    code: usageError(environment, why, code),
  })
  if (service.kind === 'external') return fail(t().settingFaults.otherService({ options }))
  if (names.length > 1) return fail(t().settingFaults.onePreset({ options }))
  const [name] = names
  const base = await baseOf(name, environment)
  if (base === undefined) return fail(t().answers.noPreset({ name: name ?? '' }), EXIT.failed)
  const missing = missingPart(base.preset, settings)
  if (missing !== undefined) return fail(missing({ preset: name ?? '' }))
  const changes = settings.flatMap(({ parts, fields }) =>
    parts.length === 0
      ? fields
      : parts
          .filter((part) => base.preset[part] !== undefined)
          .flatMap((part) => fields.map(({ path, value }) => ({ path: `${part}.${path}`, value }))),
  )
  const text = oneOffText({ base: name ?? NO_PRESET, text: base.text, changes })
  const checked = checkPresetText(text)
  const { preset } = readPreset(text)
  if (preset !== undefined) return { ok: true, preset, text }
  const [fault] = checked.readable ? checked.faults : []
  return fail(fault === undefined ? t().settingFaults.invalid : sentenceOf(fault, settings))
}

async function baseOf(name: string | undefined, environment: Environment) {
  if (name === undefined) return { text: JSON.stringify(basicDefaults()), preset: basicDefaults() }
  const found = (await presetsToOffer(presetFolder(environment))).find((one) => one.name === name)
  return found?.preset ? { text: found.text, preset: found.preset } : undefined
}

function missingPart(preset: Pick<Preset, 'image' | 'video'>, settings: readonly OneOffSetting[]) {
  for (const { option, parts } of settings) {
    if (parts.length > 0 && parts.every((part) => preset[part] === undefined))
      return ({ preset }: { readonly preset: string }) =>
        t().settingFaults[parts.includes('image') ? 'noPhotos' : 'noVideos']({ preset, option })
  }
  return undefined
}

/**
 * Explains why a setting has no effect: all files are of the other kind, or all photos become JPEG, which is never lossless. Returns
 * undefined if every setting may have an effect, and for a Drive folder, whose files aren't known yet.
 * @param preset the preset with the settings applied
 */
export function uselessSetting(
  source: Draft['source'],
  preset: Preset | undefined,
  settings: readonly OneOffSetting[],
): string | undefined {
  if (source.kind !== 'files') return undefined
  const kinds = new Set(source.items.map(({ kind }) => kind))
  const useless = settings.find(({ parts }) => parts.length > 0 && !parts.some((part) => kinds.has(part)))
  if (useless !== undefined) {
    const { option, parts } = useless
    return t().settingFaults[parts.includes('image') ? 'allVideos' : 'allPhotos']({ option })
  }
  const lossless = settings.find(({ parts, fields }) =>
    fields.some(({ path, value }) => parts.includes('image') && path === 'lossless' && value === true),
  )
  return lossless === undefined || !becomeJpeg(source.items, preset)
    ? undefined
    : t().settingFaults.losslessJpeg(lossless)
}

/**
 * Whether all photos certainly become JPEG. If photos keep their format, only JPEG photos do: HEIC and BMP become PNG if they have an alpha
 * channel.
 */
function becomeJpeg(items: readonly MediaItem[], preset: Preset | undefined): boolean {
  const format = preset?.image?.format
  if (format !== 'same') return format === 'jpeg'
  return items.every((item) => item.kind !== 'image' || /^jpe?g$/.test(item.format ?? extensionOf(item.name)))
}

/** Describes a fault in terms of the command's options. */
function sentenceOf(fault: PresetFault, settings: readonly OneOffSetting[]): string {
  const { path, reason } = fault
  const setting = settings.find(({ parts, fields }) =>
    fields.some((field) =>
      (parts.length === 0 ? [field.path] : parts.map((part) => `${part}.${field.path}`)).some(
        (one) => one === path || path.startsWith(`${one}.`),
      ),
    ),
  )
  const option = setting?.option ?? path
  const known = schemaFields().get(path)
  const choices = t().listed((known?.choices ?? []).map(String))
  if (reason.kind === 'choice') return t().fault.choice({ label: option, choices })
  if (reason.kind === 'range') {
    const [min, max] = [reason.min, reason.max].map((limit) => limitWords(path, limit, t()))
    const isWhole =
      typeof min === 'number' && known?.types.has('integer') === true && !known.types.has('number')
    const range = t().settingFaults[isWhole ? 'whole' : 'range']({ min: String(min), max: String(max) })
    return t().settingFaults[choices === '' ? 'mustBe' : 'choiceOr']({ option, range, choices })
  }
  return t().serviceReport.about({ about: option, message: faultWords(fault, t()) })
}

/**
 * Stores the changed preset where the built-in service finds it.
 * @returns its name
 */
export function keepChanged(
  environment: Environment,
  names: readonly string[],
  settings: readonly OneOffSetting[],
  text: string,
): Promise<string> {
  const name = oneOffName(
    names[0] ?? t().settingHelp.custom,
    settings.map(({ words }) => words),
  )
  return keepOneOff(presetFolder(environment), text, name)
}

/** Removes changed presets that neither the outbox nor the history mentions. */
export async function removeUnused(environment: Environment, { outbox, history }: Line): Promise<void> {
  const waiting = new Set<string | null>()
  for (const page of outbox.pages()) for (const { plan } of page) waiting.add(plan.preset)
  const isUsed = (preset: string) =>
    waiting.has(preset) || history.page({ preset }, { offset: 0, limit: 1, unfinished: true }).total > 0
  await removeUnusedOneOffs(presetFolder(environment), isUsed)
}
