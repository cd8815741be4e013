/** The presets of the built-in service and the texts for them, used by the list, the studio and the composer. */
import { signal, type ReadonlySignal, type Signal } from '@preact/signals'
import type { Bridge } from '../../shared/ipc/contract.ts'
import {
  createStudioTranslation,
  type StudioTranslation,
  type WindowTranslation,
} from '../../shared/i18n/i18n.ts'
import type { PresetImport, PresetOverview } from '../../shared/model/built-in-service.ts'
import type { LoadTexts } from './load-texts.ts'
import { textsOnDemand } from './texts-on-demand.ts'

export type Presets = {
  /** null until loaded. */
  readonly overview: Signal<PresetOverview | null>
  /** The report of the last import, until it is dismissed. */
  readonly report: Signal<PresetImport | null>
  read(): Promise<void>
  /** Returns the texts of the studio, or null while they are loading. */
  words(): StudioTranslation | null
}

export function createPresets(
  bridge: Pick<Bridge, 'presets'>,
  t: ReadonlySignal<WindowTranslation>,
  loadTexts: LoadTexts,
  failed: (reason: unknown) => void,
): Presets {
  const overview = signal<PresetOverview | null>(null)
  return {
    overview,
    report: signal(null),
    read: () =>
      bridge.presets.list().then((read) => {
        overview.value = read
      }, failed),
    words: textsOnDemand(loadTexts, 'studio', () => t.value, createStudioTranslation).words,
  }
}
