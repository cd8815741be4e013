import type { Signal } from '@preact/signals'
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { StudioTranslation } from '../../shared/i18n/studio.ts'
import { faultWords, wayOutWords } from '../../shared/preset/fault-words.ts'
import type { PresetPart } from '../../shared/preset/read-field.ts'
import type { LeastSize } from '../../shared/model/preview.ts'
import type { FieldChange } from '../../shared/preset/preset-goal.ts'
import type { OpenPreset } from './open-preset.ts'
import type { StudioFault } from './studio-document.ts'

/** What the parts of the studio share. */
export type Studio = OpenPreset & {
  readonly t: StudioTranslation
  /** The part whose controls and preview are on show. */
  readonly part: Signal<PresetPart>
  readonly view: Signal<'form' | 'json'>
  /** How small the file of the preview can be, where it can't be as small as is wished. */
  readonly least: Signal<LeastSize | null>
  /** The preview shows a film with a high dynamic range. */
  readonly filmIsHdr: Signal<boolean>
  /** The name is being typed. */
  readonly naming: Signal<boolean>
}

export const StudioContext = createContext<Studio | null>(null)

export function useStudio(): Studio {
  const studio = useContext(StudioContext)
  if (studio === null) throw new Error('A component stands outside the studio')
  return studio
}

/** Ids and names of a field's elements. */
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

/** The first that is wrong at a field, or in what it consists of. */
export const faultAt = (faults: readonly StudioFault[], path: string): StudioFault | undefined =>
  faults.find((fault) => fault.path === path || fault.path.startsWith(`${path}.`))
