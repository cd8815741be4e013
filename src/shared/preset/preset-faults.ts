/** Finds the problems in a preset's text. Reports the field, the line and a suggested fix. */
import type * as z from 'zod'
import { type JsonFault, type JsonNode, type Lines, linesOf, nodeAt, readJson, valueAt } from './json-text.ts'
import { type BrokenRule, CODECS_IN, Preset } from './preset.ts'
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
  /** `isRemovable`: whether removing the field fixes it. */
  | { readonly kind: 'broken'; readonly broken: BrokenRule; readonly isRemovable: boolean }
  | { readonly kind: 'invalid' }
  | { readonly kind: 'nameTaken'; readonly name: string }
  /** `detail`: the system's own error message. */
  | { readonly kind: 'unreadable'; readonly detail: string }

export type PresetFault = {
  readonly path: string
  readonly line: number
  readonly reason: FaultReason
  /** The suggested fix; null unless there is exactly one obvious fix. */
  readonly wayOut: FieldChange | null
}

export type PresetTextFault = { readonly json: JsonFault } | { readonly field: PresetFault }

export type CheckedText =
  | { readonly readable: true; readonly root: JsonNode; readonly faults: readonly PresetFault[] }
  | { readonly readable: false; readonly fault: JsonFault }

/** Maximum number of faults that are listed. Text that isn't a preset at all may have a fault in every field. */
const MOST_FAULTS = 100

export function checkPresetText(text: string): CheckedText {
  const { root, fault } = readJson(text)
  if (root === undefined) return { readable: false, fault }
  const isTooLarge = new TextEncoder().encode(text).length > MAX_PRESET_BYTES
  const found = isTooLarge
    ? [TOO_LARGE]
    : (Preset.safeParse(valueAt(root, '')).error?.issues.flatMap((issue) => reasonsOf(issue, root)) ?? [])
  const lines = linesOf(text)
  const faults = found.slice(0, MOST_FAULTS).map(({ path, reason }) => ({
    path,
    line: lineOf(lines, root, path),
    reason,
    wayOut: wayOutOf(path, reason),
  }))
  return { readable: true, root, faults }
}

export function firstFaultIn(text: string): PresetTextFault | null {
  const checked = checkPresetText(text)
  if (!checked.readable) return { json: checked.fault }
  const [first] = checked.faults
  return first === undefined ? null : { field: first }
}

/** Returns a fault that applies to the whole text, not to a particular line. */
export const wholeTextFault = (path: string, reason: FaultReason): PresetTextFault => ({
  field: { path, line: 1, reason, wayOut: null },
})

/** Returns the line of the field, or of the innermost existing object that would contain it. */
export function lineOf(lines: Lines, root: JsonNode, path: string): number {
  const keys = path === '' ? [] : path.split('.')
  for (let depth = keys.length; depth > 0; depth -= 1) {
    const node = nodeAt(root, keys.slice(0, depth).join('.'))
    if (node !== undefined) return lines.at(node.start)
  }
  return lines.at(root.start)
}

const UNTOUCHED = ['height', 'fps', 'crop', 'rotate', 'grayscale'] as const

type Found = { readonly path: string; readonly reason: FaultReason }

/** The only fault that is reported for a document that is too large. */
const TOO_LARGE: Found = { path: '', reason: { kind: 'tooLarge' } }

function reasonsOf(issue: z.core.$ZodIssue, root: JsonNode): readonly Found[] {
  const path = issue.path.join('.')
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      path: path === '' ? key : `${path}.${key}`,
      reason: { kind: 'unknown' },
    }))
  }
  if (path === 'name') return [{ path, reason: { kind: 'name' } }]
  if (issue.code === 'custom') return [{ path, reason: contradictionOf(path, issue.params, root) }]
  const known = schemaFields().get(path)
  return [{ path, reason: (known && limitsOf(known)) ?? { kind: 'invalid' } }]
}

function contradictionOf(
  field: string,
  params: { readonly broken?: BrokenRule } | undefined,
  root: JsonNode,
): FaultReason {
  if (field === '' && valueAt(root, 'image') === undefined && valueAt(root, 'video') === undefined)
    return { kind: 'neither' }
  const codec = valueAt(root, 'video.codec') ?? schemaFields().get('video.codec')?.default
  const what = UNTOUCHED.find((name) => field === `video.${name}`)
  if (what !== undefined && codec === 'copy') return { kind: 'untouched', what }
  const container = valueAt(root, 'video.container') ?? schemaFields().get('video.container')?.default
  const takes = Object.entries(CODECS_IN).find(([name]) => name === container)?.[1]
  if (field === 'video.container' && takes !== undefined && params?.broken === undefined)
    return { kind: 'codecInContainer', container: String(container), codec: String(codec), takes }
  const isRemovable = nodeAt(root, field)?.kind === 'value'
  return params?.broken === undefined
    ? { kind: 'invalid' }
    : { kind: 'broken', broken: params.broken, isRemovable }
}

function limitsOf({ choices, min, max }: SchemaField): FaultReason | null {
  if (choices.length > 0 && min === null) return { kind: 'choice', choices }
  return min === null || max === null ? null : { kind: 'range', min, max }
}

function wayOutOf(path: string, reason: FaultReason): FieldChange | null {
  switch (reason.kind) {
    case 'codecInContainer':
      // MP4 supports every video codec and plays everywhere. An animated image is its own container.
      return { path: 'video.container', value: ['webp', 'gif'].includes(reason.codec) ? reason.codec : 'mp4' }
    case 'untouched':
    case 'unknown':
      return { path, value: undefined }
    case 'broken':
      return reason.isRemovable ? { path, value: undefined } : null
    default:
      return null
  }
}
