import { presetName } from '../../shared/i18n/sentences.ts'
import type { LossCode } from '../../shared/loss/loss.ts'
import { withFineLoss } from '../../shared/loss/fine-losses.ts'
import { type App, viewTranslation } from './app.ts'

/** Stops listing a loss for a preset, and offers to undo that. */
export function callFine(app: App, preset: string | null, code: LossCode): void {
  const t = viewTranslation(app)
  setFine(app, preset, code, true)
  const run = (): void => setFine(app, preset, code, false)
  app.toasts.show(t.details.lossIsFine({ what: t.lossKind[code], preset: presetName(preset, t) }), {
    actions: [{ label: t.actions.undo, run }],
  })
}

export const setFine = (app: App, preset: string | null, code: LossCode, isFine: boolean): void =>
  app.choose(withFineLoss(app.state.settings.peek(), preset, code, isFine))
