/**
 * Restores replaced originals, and replaces restored ones again. Neither action asks first, because each reverses the other. Replacing one
 * original although something would be lost asks first.
 */
import { notReplacedAgain, notRestored, originalNotReplaced } from '../../shared/failure/not-restored.ts'
import { describeFailure } from '../../shared/i18n/failures.ts'
import { lossLabel } from '../../shared/i18n/losses.ts'
import type { Loss } from '../../shared/loss/loss.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { Restored } from '../../shared/model/replacement.ts'
import { shortPath } from '../../shared/i18n/names.ts'
import { baseName } from '../../shared/paths.ts'
import { type App, viewTranslation } from './app.ts'

/** Restores the originals that a job replaced. @param paths the originals to restore; by default all */
export async function undoReplacing(app: App, id: RecordId, paths?: readonly string[]): Promise<void> {
  const t = viewTranslation(app).replacedJob
  const changed = await app.attempt(app.bridge.vault.undo({ id, paths }))
  if (changed === undefined || showFailure(app, changed, notRestored)) return
  const both = changed.find((one) => one.kind === 'both')
  if (both !== undefined) return app.toasts.show(t.restoredAs({ name: baseName(both.place) }))
  const newer = changed.find((one) => one.kind === 'restored' && one.newer === true)
  if (newer !== undefined) return app.toasts.show(t.restoredNewer({ name: baseName(newer.path) }))
  if (changed.length === 0) return
  if (paths !== undefined) return void app.announcer.say(t.originalRestored)
  const restored = changed.map(({ path }) => path)
  const run = (): void => void replaceAgain(app, id, restored)
  app.toasts.show(t.restoredAll({ count: changed.length }), { actions: [{ label: t.again, run }] })
}

/** Restores all originals in a folder that the user chooses, whether or not the history still has their jobs. */
export async function undoFolder(app: App): Promise<void> {
  const { replacedJob: t, sentences: joined } = viewTranslation(app)
  const done = await app.attempt(app.bridge.vault.undoFolder())
  if (done === undefined || done === null) return
  const { folder, restored } = done
  if (showFailure(app, restored, notRestored)) return
  if (restored.length === 0)
    return app.toasts.show(t.nothingIn({ folder: shortPath(folder, app.facts.homeFolder) }))
  const both = restored.filter(({ kind }) => kind === 'both').length
  const newer = restored.filter((one) => one.kind === 'restored' && one.newer === true).length
  const sentences = [
    t.restoredAll({ count: restored.length }),
    ...(newer === 0 ? [] : [t.newerCount({ count: newer })]),
    ...(both === 0 ? [] : [t.bothCount({ count: both })]),
  ]
  app.toasts.show(sentences.length === 1 ? (sentences[0] ?? '') : joined(sentences))
}

export async function replaceAgain(app: App, id: RecordId, paths?: readonly string[]): Promise<void> {
  const changed = await app.attempt(app.bridge.vault.redo({ id, paths }))
  if (changed === undefined || showFailure(app, changed, notReplacedAgain)) return
  if (changed.length > 0)
    app.announcer.say(viewTranslation(app).replacedJob.replacedAgain({ count: changed.length }))
}

/** Asks the user to confirm replacing one original although its result lost something. Replaces it if they do. */
export function askToReplaceAnyway(app: App, id: RecordId, path: string, losses: readonly Loss[]): void {
  const t = viewTranslation(app)
  const texts = t.replacedJob
  const days = app.state.settings.peek().keepOriginalsDays
  const lost = t.labeled(t.details.lost, t.listed([...new Set(losses.map((loss) => lossLabel(loss, t)))]))
  app.overlays.dialog.value = {
    kind: 'confirm',
    title: texts.anywayTitle({ name: baseName(path) }),
    text: t.sentences([lost, days === null ? texts.anywayForever : texts.anywayHow({ count: days })]),
    verb: texts.anyway,
    run: () => void replaceAnyway(app, id, path),
  }
}

async function replaceAnyway(app: App, id: RecordId, path: string): Promise<void> {
  const ended = await app.attempt(app.bridge.vault.replaceAnyway({ id, path }))
  if (ended === undefined) return
  const t = viewTranslation(app)
  if (ended.kind === 'failed') app.toasts.show(describeFailure(originalNotReplaced(ended), t))
  else if (ended.kind === 'replaced') app.announcer.say(t.replacedJob.originalReplaced)
  else {
    const why = ended.why === 'resultChanged' ? t.replacedJob.resultChanged : t.keptReasons[ended.why]
    app.toasts.show(t.labeled(baseName(path), why))
  }
}

/** Shows the first failure. Returns whether there is one. */
function showFailure(app: App, changed: readonly Restored[], failureOf: typeof notRestored): boolean {
  const failed = changed.find((one) => one.kind === 'failed')
  if (failed === undefined) return false
  app.toasts.show(describeFailure(failureOf(failed), viewTranslation(app)))
  return true
}
