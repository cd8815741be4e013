import { join } from 'node:path'
import { defaultDocuments } from '../../../shared/preset/default-presets.ts'
import type { Preset } from '../../../shared/preset/preset.ts'
import { readPreset } from '../../../shared/preset/read-preset.ts'
import { type SchemaField, schemaFields } from '../../../shared/preset/schema-fields.ts'
import { createPresetFiles } from '../../presets/presets.ts'
import type { CliCommand, Context } from '../context.ts'
import { builtInServiceFolder, type Environment } from '../environment.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import type { DescribedField } from '../output/event.ts'
import { damagedPresetWords } from '../output/words.ts'
import { ask } from './service.ts'

export type PresetsOptions = {
  /** Of the one whose document is wanted. */
  readonly name?: string
  /** What a document may hold is wanted. */
  readonly fields: boolean
}

/** The names of the service's presets; of the built-in service also what one of them does, and what any could. */
export const presets: CliCommand<PresetsOptions> = (context, { name, fields }) => {
  if (fields) return Promise.resolve(sayFields(context))
  return name === undefined ? listPresets(context) : sayPreset(context, name)
}

async function listPresets(context: Context): Promise<ExitCode> {
  const code = await ask(
    context,
    (api) => api.presets({ signal: context.environment.interrupted }),
    (listed) => [{ event: 'presets', presets: listed }],
  )
  if (context.service.kind !== 'builtIn' || code !== EXIT.done) return code
  return (await saysDamagedPresets(context)) ? EXIT.damaged : code
}

/** The service lists only what it understands. @returns whether there is something that it does not */
async function saysDamagedPresets({ environment, report }: Context): Promise<boolean> {
  const folder = presetFolder(environment)
  const { documents } = await createPresetFiles({ folder }).list()
  const damaged = documents.filter(({ problems }) => problems.length > 0)
  for (const { name, problems } of damaged) {
    report.say({ event: 'notice', message: damagedPresetWords(folder, name, problems) })
  }
  return damaged.length > 0
}

async function sayPreset({ service, environment, report }: Context, name: string): Promise<ExitCode> {
  if (service.kind !== 'builtIn') {
    report.say({ event: 'notice', message: 'Only of the built-in service can be read what a preset does.' })
    return EXIT.usage
  }
  const found = (await presetDocuments(environment)).find((document) => document.name === name)
  if (found === undefined) {
    report.say({ event: 'notice', message: `There is no preset “${name}”. Type: presets` })
    return EXIT.failed
  }
  report.say({ event: 'preset', name, text: found.text })
  return EXIT.done
}

function sayFields({ report }: Context): ExitCode {
  const fields = [...schemaFields().values()].map(describedField)
  report.say({ event: 'presetFields', fields })
  return EXIT.done
}

const describedField = ({ path, types, choices, min, max, default: usual }: SchemaField): DescribedField => ({
  path,
  types: [...types],
  choices,
  min,
  max,
  default: usual ?? null,
})

const presetFolder = (environment: Environment): string => join(builtInServiceFolder(environment), 'presets')

export type PresetText = {
  readonly name: string
  /** As it stands in its file. */
  readonly text: string
  /** null where the text does not fit. */
  readonly preset: Preset | null
}

/** Before the service has ever run its folder is empty: the defaults are what it would begin with. */
export async function presetDocuments(environment: Environment): Promise<readonly PresetText[]> {
  const { documents } = await createPresetFiles({ folder: presetFolder(environment) }).list()
  if (documents.length > 0) return documents.map(({ name, text, preset }) => ({ name, text, preset }))
  return defaultDocuments().map(({ name, text }) => ({ name, text, preset: readPreset(text).preset ?? null }))
}
