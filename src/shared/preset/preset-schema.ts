import * as z from 'zod'
import { Preset } from './preset.ts'

/** Returns the JSON Schema (2020-12) of a preset document, for use in editors. Fields with a default are optional. */
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
