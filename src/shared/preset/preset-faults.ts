/** What is wrong in the text of a preset: at which field, in which line, and what would set it right. */
import type * as z from 'zod'
import { type JsonFault, type JsonNode, lineAt, nodeAt, readJson, valueAt } from './json-text.ts'
import { CODECS_IN, Preset } from './preset.ts'
import type { FieldChange } from './preset-goal.ts'
import { MAX_PRESET_BYTES } from './read-preset.ts'
import { schemaFields, type SchemaField } from './schema-fields.ts'

export type FaultReason =
  | { readonly kind: 'range'; readonly min: number; readonly max: number }
  | { readonly kind: 'choice'; readonly choices: readonly (string | number)[] }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'name' }
  | { readonly kind: 'neither' }
  | { readonly kind: 'tooLarge' }
  | {
      readonly kind: 'codecInContainer'
      readonly container: string
      readonly codec: string
      readonly takes: readonly string[]
    }
  | { readonly kind: 'untouched'; readonly what: 'height' | 'fps' | 'crop' | 'rotate' | 'grayscale' }
  /** Two wishes that exclude each other, in the words of the schema. */
  | { readonly kind: 'contradiction'; readonly message: string }
  /** In the words of the schema. */
  | { readonly kind: 'other'; readonly message: string }

export type PresetFault = {
  readonly path: string
  readonly line: number
  readonly reason: FaultReason
  /** null: there is no one way out. */
  readonly wayOut: FieldChange | null
}

export type CheckedText =
  | { readonly readable: true; readonly root: JsonNode; readonly faults: readonly PresetFault[] }
  | { readonly readable: false; readonly fault: JsonFault }

export function checkPresetText(text: string): CheckedText {
  const { root, fault } = readJson(text)
  if (root === undefined) return { readable: false, fault }
  const parsed = Preset.safeParse(valueAt(root, ''))
  const issues = parsed.success ? [] : parsed.error.issues
  const isTooLarge = new TextEncoder().encode(text).length > MAX_PRESET_BYTES
  const found = [
    ...(isTooLarge ? [{ path: '', reason: { kind: 'tooLarge' } } as const] : []),
    ...issues.flatMap((issue) => reasonsOf(issue, root)),
  ]
  const faults = found.map(({ path, reason }) => ({
    path,
    line: lineOf(text, root, path),
    reason,
    wayOut: wayOutOf(path, reason),
  }))
  return { readable: true, root, faults }
}

/** Of the field, or of the innermost part around it that is there. */
export function lineOf(text: string, root: JsonNode, path: string): number {
  const keys = path === '' ? [] : path.split('.')
  for (let depth = keys.length; depth > 0; depth -= 1) {
    const node = nodeAt(root, keys.slice(0, depth).join('.'))
    if (node !== undefined) return lineAt(text, node.start)
  }
  return lineAt(text, root.start)
}

const UNTOUCHED = ['height', 'fps', 'crop', 'rotate', 'grayscale'] as const

type Found = { readonly path: string; readonly reason: FaultReason }

function reasonsOf(issue: z.core.$ZodIssue, root: JsonNode): readonly Found[] {
  const path = issue.path.join('.')
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      path: path === '' ? key : `${path}.${key}`,
      reason: { kind: 'unknown' },
    }))
  }
  if (path === 'name') return [{ path, reason: { kind: 'name' } }]
  if (issue.code === 'custom') return [{ path, reason: contradictionOf(path, issue.message, root) }]
  const known = schemaFields().get(path)
  return [{ path, reason: (known && limitsOf(known)) ?? { kind: 'other', message: issue.message } }]
}

function contradictionOf(field: string, message: string, root: JsonNode): FaultReason {
  if (field === '' && valueAt(root, 'image') === undefined && valueAt(root, 'video') === undefined)
    return { kind: 'neither' }
  const codec = valueAt(root, 'video.codec') ?? schemaFields().get('video.codec')?.default
  const what = UNTOUCHED.find((name) => field === `video.${name}`)
  if (what !== undefined && codec === 'copy') return { kind: 'untouched', what }
  const container = valueAt(root, 'video.container') ?? schemaFields().get('video.container')?.default
  const takes = Object.entries(CODECS_IN).find(([name]) => name === container)?.[1]
  return field === 'video.container' && takes !== undefined
    ? { kind: 'codecInContainer', container: String(container), codec: String(codec), takes }
    : nodeAt(root, field)?.kind === 'value'
      ? { kind: 'contradiction', message }
      : { kind: 'other', message }
}

function limitsOf({ choices, min, max }: SchemaField): FaultReason | null {
  if (choices.length > 0 && min === null) return { kind: 'choice', choices }
  return min === null || max === null ? null : { kind: 'range', min, max }
}

function wayOutOf(path: string, reason: FaultReason): FieldChange | null {
  switch (reason.kind) {
    case 'codecInContainer':
      // What can hold every codec of films, and is played everywhere.
      return { path: 'video.container', value: reason.codec === 'webp' ? 'webp' : 'mp4' }
    case 'untouched':
    case 'unknown':
    case 'contradiction':
      return { path, value: undefined }
    default:
      return null
  }
}
