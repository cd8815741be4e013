import { relative, sep } from 'node:path'
import { mapLimited } from '../../node/limited.ts'
import type { FileFacts } from '../../shared/model/file-facts.ts'
import type { FolderRules, RuleAction } from '../../shared/model/folder-rules.ts'
import { actionsOf, type RuledFolder } from '../../shared/model/watch-folder.ts'
import { knownPreset, type PresetOffer } from '../../shared/preset/known-preset.ts'
import { createRuleMatcher, matchFile } from '../rules/index.ts'
import type { FoundFile } from './fingerprint.ts'
import type { DeferredFile, Deferral } from './deferred-files.ts'

export type ProcessAction = Extract<RuleAction, { readonly do: 'process' }>

/** A group of files, divided by what happens to them. */
export type RuledFiles = {
  /** One entry per action that has files to process, in the order of the rules. */
  readonly process: readonly { readonly action: ProcessAction; readonly files: readonly FoundFile[] }[]
  readonly ignored: readonly FoundFile[]
  readonly deferred: readonly DeferredFile[]
}

type Decision =
  | { readonly kind: 'process'; readonly action: ProcessAction }
  | { readonly kind: 'ignore' }
  | { readonly kind: 'defer'; readonly deferral: Deferral }

export async function applyRules(
  files: readonly FoundFile[],
  options: {
    readonly folder: RuledFolder
    /** null if they can't be read. */
    readonly rules: FolderRules | null
    /** The watched folder, without symlinks. */
    readonly root: string
    /** In milliseconds since 1970. */
    readonly now: number
    /** What the folder's service offers. */
    readonly service: PresetOffer
    /** The missing preset that a file waited for when the rules were last applied; null if there is none. */
    readonly waitedFor: (file: FoundFile) => string | null
  },
): Promise<RuledFiles> {
  const { folder, rules, root, now, service, waitedFor } = options
  if (rules === null)
    return {
      process: [],
      ignored: [],
      deferred: files.map((file) => ({ ...file, deferral: { kind: 'rules' } })),
    }
  const match = createRuleMatcher(rules.rules)
  const actions = actionsOf(folder, rules)
  const all = await mapLimited(files, async (file) => {
    const { rule, until } = await matchFile(file.path, factsOf(file, root), match, now)
    return { file, decision: decide(file, actions[rule], until) }
  })
  const decided = all.filter((one) => one !== undefined)
  return {
    process: actions.flatMap((action) => {
      if (action.do !== 'process') return []
      const group = decided.filter(
        ({ decision }) => decision.kind === 'process' && decision.action === action,
      )
      return group.length === 0 ? [] : [{ action, files: group.map(({ file }) => file) }]
    }),
    ignored: decided.flatMap(({ file, decision }) => (decision.kind === 'ignore' ? [file] : [])),
    deferred: decided.flatMap(({ file, decision }) =>
      decision.kind === 'defer' ? [{ ...file, deferral: decision.deferral }] : [],
    ),
  }

  function decide(file: FoundFile, action: RuleAction | undefined, until: number | null): Decision {
    if (action?.do !== 'process')
      return until === null ? { kind: 'ignore' } : { kind: 'defer', deferral: { kind: 'age', until } }
    const waited = waitedFor(file)
    // Until the presets are known, a file that waits for a preset keeps waiting.
    const missing = action.presets.find((name) =>
      service.presets === null ? name === waited : knownPreset(service, name) === undefined,
    )
    if (missing === undefined) return { kind: 'process', action }
    return { kind: 'defer', deferral: { kind: 'preset', preset: missing } }
  }
}

/** Returns what is known about a file without opening it. */
export const factsOf = ({ path, fingerprint }: FoundFile, root: string): FileFacts => ({
  path: relative(root, path).split(sep).join('/'),
  size: fingerprint.size,
  modified: fingerprint.mtime,
})
