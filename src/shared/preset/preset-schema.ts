import * as z from 'zod'
import { Preset } from './preset.ts'

/** The JSON Schema (2020-12) of a preset document, as editors understand it. Fields with a default may be left out. */
export function presetSchema(): object {
  const { $schema, ...rest } = z.toJSONSchema(Preset, { io: 'input' })
  return {
    $schema,
    title: 'Mediatray preset',
    description:
      'What happens to photos, to videos, or to both. At least one of "image" and "video" is needed.',
    ...rest,
    anyOf: [{ required: ['image'] }, { required: ['video'] }],
  }
}
