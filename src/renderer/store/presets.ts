/** The presets of the built-in service and the texts for them, used by the list, the studio and the composer. */
import { signal, type ReadonlySignal } from '@preact/signals'
import type { Bridge } from '../../shared/ipc/contract.ts'
import { createStudioTranslation, type WindowTranslation } from '../../shared/i18n/i18n.ts'
import type { PresetImport, PresetOverview } from '../../shared/model/built-in-service.ts'
import type { LoadTexts } from './load-texts.ts'
import { textsOnDemand } from './texts-on-demand.ts'

export function createPresets(
  bridge: Pick<Bridge, 'presets'>,
  t: ReadonlySignal<WindowTranslation>,
  loadTexts: LoadTexts,
  failed: (reason: unknown) => void,
) {
  /** null until loaded. */
  const overview = signal<PresetOverview | null>(null)
  return {
    overview,
    /** The report of the last import, until it is dismissed. */
    report: signal<PresetImport | null>(null),
    read: (): Promise<void> =>
      bridge.presets.list().then((read) => {
        overview.value = read
      }, failed),
    /** Returns the texts of the studio, or null while they are loading. */
    words: textsOnDemand(loadTexts, 'studio', () => t.value, createStudioTranslation).words,
  }
}
