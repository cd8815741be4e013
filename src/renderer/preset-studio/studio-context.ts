import type { Signal } from '@preact/signals'
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { StudioTranslation } from '../../shared/i18n/i18n.ts'
import { faultWords, wayOutWords } from '../../shared/preset/fault-words.ts'
import type { PresetPart } from '../../shared/preset/read-field.ts'
import type { LeastSize } from '../../shared/model/preview.ts'
import type { FieldChange } from '../../shared/preset/preset-goal.ts'
import type { OpenPreset } from './open-preset.ts'
import type { StudioFault } from './studio-document.ts'

export type Studio = OpenPreset & {
  readonly t: StudioTranslation
  /** The part whose controls and preview are shown. */
  readonly part: Signal<PresetPart>
  readonly view: Signal<'form' | 'json'>
  /** The smallest possible size of the file in the preview, if it exceeds the size limit. */
  readonly least: Signal<LeastSize | null>
  readonly videoIsHdr: Signal<boolean>
  /** Whether the name is being edited. */
  readonly naming: Signal<boolean>
}

export const StudioContext = createContext<Studio | null>(null)

export function useStudio(): Studio {
  const studio = useContext(StudioContext)
  if (studio === null) throw new Error('Rendered outside the studio')
  return studio
}

export const fieldId = (path: string): string => `preset-${path.replaceAll('.', '-')}`
export const faultId = (path: string): string => `${fieldId(path)}-fault`

export type SaidFault = {
  readonly words: string
  readonly wayOut: { readonly words: string; readonly change: FieldChange } | null
}

export function sayFault(fault: StudioFault, t: StudioTranslation): SaidFault {
  if ('nameTaken' in fault) return { words: t.fault.nameTaken({ name: fault.nameTaken }), wayOut: null }
  const words = wayOutWords(fault, t)
  return {
    words: faultWords(fault, t),
    wayOut: words === null || fault.wayOut === null ? null : { words, change: fault.wayOut },
  }
}

/** Returns the first error of a field or its children. */
export const faultAt = (faults: readonly StudioFault[], path: string): StudioFault | undefined =>
  faults.find((fault) => fault.path === path || fault.path.startsWith(`${path}.`))
