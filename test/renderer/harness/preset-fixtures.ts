/** Presets of the built-in service, as the list and the preset editor show them. */
import type {
  PresetDocument,
  PresetImport,
  PresetOverview,
} from '../../../src/shared/model/built-in-service.ts'
import { setInJson } from '../../../src/shared/preset/json-text.ts'
import { checkPresetText } from '../../../src/shared/preset/preset-faults.ts'
import { readPreset } from '../../../src/shared/preset/read-preset.ts'

function documentOf(
  document: {
    readonly name: string
    readonly image?: object
    readonly video?: object
    readonly variations?: object
  },
  origin: PresetDocument['origin'] = 'own',
  unsaved?: (text: string) => string,
): PresetDocument {
  const text = `${JSON.stringify(document, null, 2)}\n`
  const { preset = null, problems = [] } = readPreset(text)
  const checked = checkPresetText(text)
  const [first] = checked.readable ? checked.faults : []
  return {
    name: document.name,
    text,
    preset,
    problems,
    fault: first === undefined ? null : { field: first },
    origin,
    unsaved: unsaved?.(text) ?? null,
  }
}

const box = (side: number) => ({ width: side, height: side })

export const presetOverview: PresetOverview = {
  documents: [
    documentOf({ name: 'Chat', video: { height: 720, bitrate: 1_500_000 } }),
    documentOf({ name: 'Clean metadata', image: { lossless: true }, video: { codec: 'copy' } }, 'default'),
    documentOf({
      name: 'Family archive',
      image: { format: 'avif' },
      video: { codec: 'av1', look: 'high' },
    }),
    documentOf({ name: 'H.264 1080p', video: { height: 1_080, crf: 23 } }, 'default'),
    documentOf({ name: 'Mail', image: { format: 'jpeg', size: box(1_600) } }, 'own', (text) =>
      setInJson(setInJson(text, 'image.quality', 70), 'image.format', 'webp'),
    ),
    documentOf({ name: 'Old phone', video: { codec: 'copy', height: 720 } }),
    documentOf(
      { name: 'Print A4 300 dpi', image: { format: 'tiff', size: { width: 3_508, height: 2_480 } } },
      'default',
    ),
    documentOf(
      { name: 'Web 2048', image: { format: 'jpeg', quality: 82, size: box(2_048) } },
      'changedDefault',
    ),
    documentOf(
      { name: 'Web ready', image: { format: 'webp', size: box(1_600) }, video: { height: 720, crf: 24 } },
      'default',
    ),
  ],
  unsavedNew: null,
  deletedDefaults: 2,
}

/** The presets, and one that makes variations. */
export const withVariations: PresetOverview = {
  ...presetOverview,
  documents: [
    ...presetOverview.documents,
    documentOf({
      name: 'Dataset variations',
      image: { format: 'jpeg', size: box(512) },
      variations: { brightness: 0.12, hue: 6 },
    }),
  ],
}

export const presetImport: PresetImport = {
  taken: [
    { name: 'Mail 2', was: 'Mail' },
    { name: 'Scans', was: null },
  ],
  leftOut: [
    {
      name: 'Old scans',
      line: 38,
      reason: {
        field: {
          path: 'image.quality',
          line: 4,
          reason: { kind: 'range', min: 1, max: 100 },
          wayOut: null,
        },
      },
    },
  ],
}
