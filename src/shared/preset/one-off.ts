/**
 * Creates presets for single jobs. These presets aren't in any list. The built-in service finds them by name in a subfolder of its
 * preset folder.
 */
import { plainName } from '../paths.ts'
import { readJson, setInJson, valueAt } from './json-text.ts'
import { CODECS_IN } from './preset.ts'
import type { FieldChange } from './preset-goal.ts'
import type { PresetPart } from './read-field.ts'
import { USUAL_NAME } from './result-name.ts'
import { slugOf } from './slug.ts'

export const ONE_OFF_FOLDER = '.one-off'

/**
 * The fields for quality and size. Changing any of them except `mayShrink` removes the preset's values of all the others. A maximum size
 * keeps `mayShrink`.
 */
const GOAL_FIELDS: Readonly<Record<PresetPart, readonly string[]>> = {
  image: ['quality', 'look', 'maxBytes', 'mayShrink'],
  video: ['look', 'maxBytes', 'mayShrink', 'crf', 'bitrate'],
}

export type OneOff = {
  /** The name of the preset that is changed, or the text that stands for it in the names of results. */
  readonly base: string
  readonly text: string
  readonly changes: readonly FieldChange[]
}

/** Returns the changed document. It isn't checked, and still has the name of its base. */
export function oneOffText({ base, text, changes }: OneOff): string {
  let changed = setInJson(text, 'description', undefined)
  for (const part of ['image', 'video'] as const) {
    const goals = GOAL_FIELDS[part].map((field) => `${part}.${field}`)
    const chosen = changes.map(({ path }) => path).filter((path) => goals.includes(path))
    const shrinks = `${part}.mayShrink`
    if (chosen.every((path) => path === shrinks)) continue
    const kept = chosen.includes(`${part}.maxBytes`) ? shrinks : undefined
    for (const path of goals.filter((goal) => goal !== kept)) changed = setInJson(changed, path, undefined)
  }
  for (const { path, value } of changes) changed = setInJson(changed, path, value)
  // Name results after the original preset, which the user knows.
  const template = readAt(changed, 'results.name') ?? USUAL_NAME
  if (typeof template === 'string')
    changed = setInJson(changed, 'results.name', template.replaceAll('{preset}', slugOf(base)))
  return withContainer(changed, changes)
}

const readAt = (text: string, path: string): unknown => {
  const { root } = readJson(text)
  return root && valueAt(root, path)
}

/** Changes the preset's container if it doesn't support a new codec, unless the changes set the container, too. */
function withContainer(text: string, changes: readonly FieldChange[]): string {
  const codec = changes.find(({ path }) => path === 'video.codec')?.value
  if (codec === undefined || changes.some(({ path }) => path === 'video.container')) return text
  const container = readAt(text, 'video.container') ?? 'mp4'
  const fitting = Object.entries(CODECS_IN).filter(([, codecs]) => codecs.some((one) => one === codec))
  if (container === 'same' || fitting.some(([name]) => name === container)) return text
  return setInJson(text, 'video.container', fitting[0]?.[0])
}

/** The schema's limit for names. */
const LONGEST = 80

/** "Web 2048: format webp, quality 80" */
export function oneOffName(base: string, settings: readonly string[]): string {
  const name = plainName(`${base}: ${settings.join(', ')}`)
  const short = name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}…` : name
  return short.toWellFormed().trim()
}
