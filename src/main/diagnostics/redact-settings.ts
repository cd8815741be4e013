/**
 * Replaces all text in the settings that a user may have written. The settings' schema identifies it: all text that doesn't come from a
 * fixed list. A new setting is therefore redacted without being listed here.
 */
import * as z from 'zod'
import { isRecord } from '../../shared/is-record.ts'
import { isLossCode } from '../../shared/loss/loss.ts'
import { Settings } from '../../shared/model/settings.ts'
import { DEFAULT_PRESETS } from '../../shared/preset/default-presets.ts'
import { TASK_NAMES } from '../../shared/preset/task-names.ts'
import type { Redactor } from './redact.ts'

/** Settings that can't identify a user, although their values don't come from a fixed list. */
const IMPERSONAL = new Set([
  'language',
  'from',
  'until',
  'clipboardShortcut',
  'globalShortcut',
  'acceptedVersions',
])
/** Names that every installation has. */
const COMMON = new Set<string>(['', 'builtIn', ...TASK_NAMES, ...DEFAULT_PRESETS.map(({ name }) => name)])
const ADDRESS_OR_PATH = /^(?:[a-z][a-z0-9+.-]+:\/\/|~?[\\/]|[a-z]:[\\/])/i

export function redactSettings(settings: Settings, redactor: Redactor): unknown {
  const shown = (text: string): string => {
    if (COMMON.has(text) || isLossCode(text)) return text
    return ADDRESS_OR_PATH.test(text) ? redactor.text(text) : redactor.name(text)
  }

  function redact(value: unknown, wrapped: z.core.$ZodType | undefined): unknown {
    const schema = wrapped && unwrapped(wrapped, value)
    if (typeof value === 'string') return isChoice(schema) ? value : shown(value)
    if (Array.isArray(value)) {
      const element = schema instanceof z.ZodArray ? schema.element : undefined
      return value.map((one) => redact(one, element))
    }
    if (!isRecord(value)) return value
    const fields: Readonly<Record<string, z.core.$ZodType>> =
      schema instanceof z.ZodObject ? schema.shape : {}
    const ofValues = schema instanceof z.ZodRecord ? schema.valueType : undefined
    return Object.fromEntries(
      Object.entries(value).map(([name, part]) => {
        if (name === 'folderId') return [name, '[hidden]']
        if (!Object.hasOwn(fields, name)) return [shown(name), redact(part, ofValues)]
        return [name, IMPERSONAL.has(name) ? redactor.value(part) : redact(part, fields[name])]
      }),
    )
  }

  return redact(settings, Settings)
}

const isChoice = (schema: z.core.$ZodType | undefined): boolean =>
  schema instanceof z.ZodEnum || schema instanceof z.ZodLiteral

/** Returns the part of a schema that describes a value, without its alternatives such as null or undefined. */
function unwrapped(schema: z.core.$ZodType, value: unknown): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodUnion) {
    const option = schema.options.find((one) => z.safeParse(one, value).success)
    return option && unwrapped(option, value)
  }
  return schema instanceof z.ZodCatch || schema instanceof z.ZodNullable || schema instanceof z.ZodOptional
    ? unwrapped(schema.unwrap(), value)
    : schema
}
