/** Suggests the next word of a command line, from the definitions that the help uses. */
import type { Argument, Command, Option } from 'commander'
import { t } from '../output/language.ts'

export type Suggestion = { readonly value: string; readonly description: string }

export type Suggestions = {
  readonly values: readonly Suggestion[]
  /** Whether the shell should complete file names. */
  readonly files: boolean
  /** The part of the last word before the value, such as `--preset=`. */
  readonly prefix: string
}

/** Values from the data folder. Each function is called only if the last word may be one of its values. */
export type Sources = {
  readonly presets: () => readonly Suggestion[]
  readonly records: () => readonly Suggestion[]
}

type Place = {
  readonly command: Command
  readonly operands: readonly string[]
  /** The option whose value follows. */
  readonly option: Option | undefined
  /** Whether `--` came before, so that only operands can follow. */
  readonly isPlain: boolean
}

/** @param words the words after the program's name; the last one may be incomplete or empty */
export function suggest(program: Command, words: readonly string[], sources: Sources): Suggestions {
  const current = words.at(-1) ?? ''
  const place = placeAfter(program, words.slice(0, -1))
  const [, flag, value] = /^(--[a-z-]+)=(.*)$/s.exec(current) ?? []
  if (!place.isPlain && flag !== undefined && value !== undefined) {
    const option = optionOf(place.command, flag)
    const found = option === undefined ? NOTHING : valuesOf(option, sources)
    return { ...starting(found, value), prefix: `${flag}=` }
  }
  if (place.option !== undefined && !current.startsWith('-'))
    return starting(valuesOf(place.option, sources), current)
  if (!place.isPlain && current.startsWith('-')) return starting(flagsOf(place.command), current)
  const commands = place.operands.length > 0 ? [] : subcommands(place.command)
  const operand = operandAt(place.command, place.operands.length)
  const found = operand === undefined ? NOTHING : operandValues(operand, place, sources)
  return starting({ values: [...commands, ...found.values], files: found.files }, current)
}

type Found = Omit<Suggestions, 'prefix'>

const NOTHING: Found = { values: [], files: false }

const starting = ({ values, files }: Found, current: string): Suggestions => ({
  values: values.filter(({ value }) => value.startsWith(current)),
  files,
  prefix: '',
})

function placeAfter(program: Command, words: readonly string[]): Place {
  let command = program
  let option: Option | undefined
  let isPlain = false
  const operands: string[] = []
  for (const word of words) {
    if (isPlain) operands.push(word)
    else if (word === '--') {
      isPlain = true
      option = undefined
    } else if (word.startsWith('-') && word !== '-') {
      const found = optionOf(command, word.split('=', 1)[0] ?? '')
      option = found !== undefined && takesValue(found) && !word.includes('=') ? found : undefined
    } else if (option !== undefined) option = option.variadic ? option : undefined
    else {
      const next = operands.length > 0 ? undefined : command.commands.find((one) => one.name() === word)
      if (next === undefined) operands.push(word)
      else command = next
    }
  }
  return { command, operands, option, isPlain }
}

const takesValue = (option: Option): boolean => option.required || option.optional

/** Returns the options of a command and of its parent commands, except hidden ones. */
function optionsOf(command: Command): readonly Option[] {
  const above = command.parent === null ? [] : optionsOf(command.parent)
  return [...command.options, ...above].filter(({ hidden }) => !hidden)
}

const optionOf = (command: Command, flag: string): Option | undefined =>
  optionsOf(command).find(({ long, short }) => long === flag || short === flag)

function flagsOf(command: Command): Found {
  const values = optionsOf(command).flatMap(({ long, description }) =>
    long === undefined || long === null ? [] : [{ value: long, description }],
  )
  return { values: [...values, { value: '--help', description: t().usage.help }], files: false }
}

const subcommands = (command: Command): readonly Suggestion[] =>
  command
    .createHelp()
    .visibleCommands(command)
    .map((one) => ({ value: one.name(), description: one.description() }))

/** Options whose values are paths. */
const PATHS: readonly string[] = ['--output', '--to']

function valuesOf(option: Option, { presets }: Sources): Found {
  const { long } = option
  if (long === '--preset') return { values: presets(), files: false }
  if (PATHS.includes(long ?? '')) return { values: [], files: true }
  return { values: listed(option.argChoices ?? []), files: false }
}

const listed = (values: readonly string[]): readonly Suggestion[] =>
  values.map((value) => ({ value, description: '' }))

function operandAt(command: Command, index: number): Argument | undefined {
  const operands = command.registeredArguments
  const last = operands.at(-1)
  return operands[index] ?? (last?.variadic === true ? last : undefined)
}

const DECISIONS = ['adopt', 'send', 'remove']
/** Commands whose `id` is the ID of a record. */
const OF_RECORDS: readonly string[] = ['retry', 'undo', 'redo', 'cancel', 'resolve']
/** Commands whose `id` may also be a folder. */
const OF_FOLDERS: readonly string[] = ['undo', 'redo']

function operandValues(operand: Argument, { command }: Place, sources: Sources): Found {
  const name = operand.name()
  if (name === 'files') return { values: [], files: true }
  if (name === 'id') {
    const isRecord = OF_RECORDS.includes(command.name())
    return { values: isRecord ? sources.records() : [], files: OF_FOLDERS.includes(command.name()) }
  }
  if (name === 'name' && command.name() === 'presets') return { values: sources.presets(), files: false }
  if (name === 'decision') return { values: listed(DECISIONS), files: false }
  return { values: listed(operand.argChoices ?? []), files: false }
}
