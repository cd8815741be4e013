/**
 * Rules of a watched folder: an ordered list. The first rule that matches a file decides what happens to it. These schemas are also used to
 * parse the settings file and calls from the window.
 */
import * as z from 'zod'
import { MAX_PRESETS } from './draft.ts'
import { RuleCondition } from './rule-conditions.ts'
import { WatchedOutput } from './stored-output.ts'

export const MAX_RULES = 100
export const MAX_CONDITIONS = 20

export const RuleAction = z.discriminatedUnion('do', [
  z.strictObject({
    do: z.literal('process'),
    /** In the order chosen. Empty means the service's basic defaults. */
    presets: z.array(z.string().max(1_000)).max(MAX_PRESETS),
    output: WatchedOutput,
  }),
  /** The file is left where it is, and isn't considered again unless it changes. */
  z.strictObject({ do: z.literal('ignore') }),
])
export type RuleAction = z.infer<typeof RuleAction>

export const FolderRule = z.strictObject({
  id: z.string().min(1).max(100),
  /** All conditions must match. Without conditions, the rule matches every file. */
  when: z.array(RuleCondition).max(MAX_CONDITIONS),
  action: RuleAction,
})
export type FolderRule = z.infer<typeof FolderRule>

export const FolderRules = z.strictObject({
  rules: z.array(FolderRule).max(MAX_RULES),
  /** What happens to files that match no rule. `process` uses the presets and the output of the folder itself. */
  rest: z.enum(['process', 'ignore']),
})
export type FolderRules = z.infer<typeof FolderRules>

/** null if this version can't read the rules. The folder's files then wait, because processing them anyway might replace originals. */
export const StoredFolderRules = FolderRules.nullable().catch(null)

/** Stands for the rules of a folder without rules: every file is processed with the folder's own presets and output. */
export const NO_RULES: FolderRules = { rules: [], rest: 'process' }

export const FolderRulesChange = z.strictObject({
  id: z.string().max(100),
  /** null removes the rules, so that the folder's preset processes everything. */
  rules: FolderRules.nullable(),
  /** The presets and the output of the folder itself; missing if they don't change. */
  rest: RuleAction.options[0].omit({ do: true }).optional(),
})
export type FolderRulesChange = z.infer<typeof FolderRulesChange>

export const outputsIn = (rules: FolderRules | null): readonly WatchedOutput[] =>
  (rules?.rules ?? []).flatMap(({ action }) => (action.do === 'process' ? [action.output] : []))

/** Returns the rules with the new name of a renamed preset. */
export const withRenamedPreset = (rules: FolderRules, from: string, to: string): FolderRules => ({
  ...rules,
  rules: rules.rules.map(({ action, ...rule }) => ({
    ...rule,
    action:
      action.do === 'ignore'
        ? action
        : { ...action, presets: action.presets.map((name) => (name === from ? to : name)) },
  })),
})
