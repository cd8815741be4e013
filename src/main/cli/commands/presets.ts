import { EXIT, type ExitCode } from '../../../shared/command-end.ts'
import { type SchemaField, schemaFields } from '../../../shared/preset/schema-fields.ts'
import { tasks } from '../../../shared/preset/tasks.ts'
import { presetsToOffer } from '../../presets/presets.ts'
import type { CliCommand, Context } from '../context.ts'
import { presetFolder } from '../environment.ts'
import { createDamagedPresets } from '../follow-presets.ts'
import { t } from '../output/language.ts'
import { presetsMeant } from '../preset-names.ts'
import { endWith, type EventOf } from '../output/events.ts'
import { ask } from './service.ts'

/** Lists the service's presets. Can also print one of the built-in service's presets, or all fields that a preset can contain. */
export const presets: CliCommand<{ readonly name: string | undefined; readonly fields?: boolean }> = (
  context,
  { name, fields },
) => {
  if (fields === true) return Promise.resolve(sayFields(context))
  return name === undefined ? listPresets(context) : sayPreset(context, name)
}

async function listPresets(context: Context): Promise<ExitCode> {
  const isOurs = context.service.kind === 'builtIn'
  const code = await ask(
    context,
    (api) => api.presets({ signal: context.environment.interrupted }),
    (listed) => [
      { event: 'presets', presets: listed, ...(isOurs ? { tasks: tasks().map(({ name }) => name) } : {}) },
    ],
  )
  if (!isOurs || code !== EXIT.done) return code
  return (await createDamagedPresets(context).check()) ? EXIT.damaged : code
}

async function sayPreset({ service, environment, report }: Context, name: string): Promise<ExitCode> {
  if (service.kind !== 'builtIn') return endWith(report, t().answers.onlyOwnPresets, EXIT.usage)
  const [meant] = await presetsMeant({ service, environment }, [name])
  const found = (await presetsToOffer(presetFolder(environment))).find((one) => one.name === meant)
  if (found === undefined) return endWith(report, t().answers.noPreset({ name }))
  report.say({ event: 'preset', name: found.name, text: found.text })
  return EXIT.done
}

function sayFields({ report }: Context): ExitCode {
  const fields = [...schemaFields().values()].map(describedField)
  report.say({ event: 'presetFields', fields })
  return EXIT.done
}

type DescribedField = EventOf<'presetFields'>['fields'][number]

const describedField = ({ path, types, choices, min, max, default: usual }: SchemaField): DescribedField => ({
  path,
  types: [...types],
  choices,
  min,
  max,
  default: usual ?? null,
})
