import { statSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import type { Handlers } from '../../../shared/ipc/contract.ts'
import { draftConnection } from '../../../shared/model/app-state.ts'
import { driveProblemSentence } from '../../../shared/i18n/problem-sentences.ts'
import { singlePresetOf, type DraftOutput, type OutputTarget } from '../../../shared/model/draft.ts'
import { variationsOf } from '../../../shared/model/settings.ts'
import { knownPreset } from '../../../shared/preset/known-preset.ts'
import { UserFacingError } from '../user-facing-error.ts'
import { presetWithFormat } from './preset-with-format.ts'
import type { Page } from './page.ts'

export function draftHandlers(page: Page): Handlers['draft'] {
  const { drafts, intake, addMedia, t } = page
  const { store } = drafts

  /** Checks the drive folder before submitting. Otherwise the service would report a wrong folder only after processing. */
  async function checkDriveOutput(): Promise<void> {
    const { output } = store.view()
    if (output.kind !== 'drive' || draftConnection(page.state.get()).drive?.connected !== true) return
    const check = await page.drive.checkFolder(output.folderId)
    if (!check.ok) throw new UserFacingError('driveFolder', driveProblemSentence(check.problem, t()))
  }

  /** The next job with this preset starts with the same number. */
  function rememberVariations(count: number): void {
    const preset = singlePresetOf(store.view())
    if (typeof preset !== 'string') return
    page.settings.update({ variations: { ...page.settings.view().variations, [preset]: count } })
  }

  return {
    ...addMedia,
    addPaths: (paths) => intake.add(paths),
    async chooseOutput() {
      const [path] = await page.dialogs.askToOpen({
        title: t().dialog.chooseOutput,
        buttonLabel: t().dialog.choose,
        ...existingFolder(store.view().output, page.picturesFolder),
        properties: ['openDirectory', 'createDirectory', 'dontAddToRecent'],
      })
      if (path === undefined) return null
      const chosen: OutputTarget = { kind: 'folder', path }
      store.change({ output: chosen })
      return chosen
    },
    update(options) {
      page.folders.requireOutput(options.output)
      const { presets: chosen, variations } = options
      // Each preset has its own remembered number of variations. Some presets don't make any.
      const remembered = chosen === undefined ? undefined : variationsOf(page.settings.view(), chosen)
      store.change({ ...options, variations: variations ?? remembered })
      if (variations !== undefined) rememberVariations(variations)
      if (options.service === undefined) return
      page.settings.update({ newJobService: options.service })
      // Drop presets that the chosen service doesn't have.
      const service = draftConnection(page.state.get())
      if (service.presets === null) return
      const isThere = (name: string) => knownPreset(service, name) !== undefined
      const kept = store.view().presets.filter(isThere)
      store.change({ presets: kept.length > 0 ? kept : drafts.defaultDraft().presets.filter(isThere) })
    },
    removeItems: (paths) => store.removeFiles(paths),
    removeRejected: () => store.removeRejected(),
    clear() {
      intake.stop()
      drafts.stopEditing()
      store.clear()
    },
    undo: () => store.undo(),
    async useKeepingFormat() {
      const keeping = page.estimates.keepingFormat()
      if (keeping === undefined) return
      const { presets } = store.view()
      const preset = await presetWithFormat(page, presets[0] ?? null, keeping.format)
      // The user may have chosen other presets meanwhile.
      if (isDeepStrictEqual(store.view().presets, presets)) store.changeFormat({ ...keeping, preset })
    },
    usePresetFormat: () => store.changeFormat(undefined),
    async useAdjusted({ preset, text }) {
      const name = await page.presets.keepAdjusted(preset, text, t().preset.adjusted)
      if (name === undefined) throw new UserFacingError('presetGone', t().error.presetGone)
      store.change({ presets: [name] })
    },
    answerIntake: (answer) => intake.answer(answer),
    start: ({ split, confirmed }) =>
      drafts.start({ split, confirmed, grace: 0, estimateOf: page.estimates.snapshot() }, checkDriveOutput),
  }
}

function existingFolder(output: DraftOutput, otherwise: string): { readonly defaultPath: string } {
  const isThere =
    output.kind === 'folder' && statSync(output.path, { throwIfNoEntry: false })?.isDirectory() === true
  return { defaultPath: isThere ? output.path : otherwise }
}
