import {
  type FolderRule,
  type FolderRules,
  type FolderRulesChange,
  NO_RULES,
} from '../../shared/model/folder-rules.ts'
import type { WatchFolderView } from '../../shared/model/watch-folder.ts'
import type { App } from '../store/app.ts'
import { focusOnceShown } from '../store/focus.ts'
import { offerUndo } from '../store/offer-undo.ts'
import { ruleTranslation } from './translations.ts'

export type RulesView = { readonly folder: WatchFolderView; readonly rules: FolderRules }

/** Returns the rules of a folder; undefined if they can't be read. */
export const rulesIn = ({ rules }: WatchFolderView): FolderRules | undefined =>
  rules === 'unreadable' ? undefined : rules === 'none' ? NO_RULES : rules

/** Saves the rules of a watched folder. Saves null if the rules just process every file, because that is the same as no rules. */
export async function saveRules(
  app: App,
  id: string,
  rules: FolderRules,
  rest?: FolderRulesChange['rest'],
): Promise<void> {
  const isPlain = rules.rules.length === 0 && rules.rest === 'process'
  await app.bridge.watch.saveRules({ id, rules: isPlain ? null : rules, rest })
  app.watchVersion.value += 1
}

export const openRule = (app: App, { folder }: RulesView, rule: number | 'new' | 'rest'): void => {
  app.overlays.dialog.value = { kind: 'rule', folder: folder.id, rule }
}

/** Moves a rule. @param to index after the rule has moved */
export function moveRule(app: App, view: RulesView, from: number, to: number): void {
  const { rules } = view.rules
  const moved = rules[from]
  if (moved === undefined || to < 0 || to >= rules.length || to === from) return
  const next = rules.toSpliced(from, 1).toSpliced(to, 0, moved)
  void app.attempt(saveRules(app, view.folder.id, { ...view.rules, rules: next })).then(() => {
    focusOnceShown(rowOf(moved))
    app.announcer.say(ruleTranslation(app).page.moved({ from: from + 1, to: to + 1, count: rules.length }))
  })
}

export function duplicateRule(app: App, view: RulesView, index: number): void {
  const rule = view.rules.rules[index]
  if (rule === undefined) return
  const copy = { ...rule, id: crypto.randomUUID() }
  const rules = view.rules.rules.toSpliced(index + 1, 0, copy)
  void app
    .attempt(saveRules(app, view.folder.id, { ...view.rules, rules }))
    .then(() => focusOnceShown(rowOf(copy)))
}

export function deleteRule(app: App, view: RulesView, index: number): void {
  const { folder, rules: before } = view
  const rules = before.rules.toSpliced(index, 1)
  const next = rules[index] ?? rules.at(-1)
  const change = saveRules(app, folder.id, { ...before, rules }).then(() =>
    focusOnceShown(next === undefined ? '[data-rule="rest"]' : rowOf(next)),
  )
  const { page } = ruleTranslation(app)
  void offerUndo(app, change, page.deleted({ number: index + 1 }), () => saveRules(app, folder.id, before))
}

const rowOf = ({ id }: FolderRule): string => `[data-rule=${JSON.stringify(id)}]`
