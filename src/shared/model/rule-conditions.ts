/**
 * The conditions that a rule can have. A new condition needs an entry in `CONDITIONS`, one in each table of the window's `conditions.ts`,
 * and texts.
 */
import * as z from 'zod'
import { createNamePattern } from '../name-pattern.ts'
import type { FileFacts } from './file-facts.ts'
import { AGE_UNITS, DURATION_UNITS, SIZE_UNITS } from './rule-units.ts'

const MAX_TEXT = 255

/** `more` includes the value itself for ages and excludes it for everything else; `less` never includes it. */
const compare = z.enum(['more', 'less'])
const amount = z.number().positive().max(1e9)
const unitOf = <Unit extends string>(units: Readonly<Record<Unit, number>>) =>
  z.enum(Object.keys(units) as [Unit, ...Unit[]])

/** Returns whether a condition holds. `needs…`: the condition needs a fact that hasn't been read. */
export type Check = (facts: FileFacts) => boolean | 'needsKind' | 'needsHeader'
/** The age in ms at which a condition changes, and whether it holds before or after that. */
export type AgeCheck = { readonly at: number; readonly holds: 'from' | 'until' }

const condition = <Schema extends z.ZodType>(
  schema: Schema,
  test: (condition: z.infer<Schema>) => Check | AgeCheck,
) => ({ schema, test })

/** Amounts keep the unit that the user chose. */
const CONDITIONS = {
  kind: condition(
    z.strictObject({ about: z.literal('kind'), is: z.enum(['image', 'video']) }),
    ({ is }) =>
      ({ kind }) =>
        kind === undefined ? 'needsKind' : kind === is,
  ),
  /** A glob pattern for the file's name without its folder, regardless of case. */
  name: condition(
    z.strictObject({
      about: z.literal('name'),
      matches: z.boolean(),
      pattern: z.string().trim().min(1).max(MAX_TEXT),
    }),
    ({ pattern, matches }) => {
      const fits = createNamePattern(pattern)
      return ({ path }) => fits(path.slice(path.lastIndexOf('/') + 1)) === matches
    },
  ),
  size: condition(
    z.strictObject({ about: z.literal('size'), compare, amount, unit: unitOf(SIZE_UNITS) }),
    (wanted) =>
      ({ size }) =>
        isWithin(wanted, size, wanted.amount * SIZE_UNITS[wanted.unit]),
  ),
  /** As displayed: after the rotation that the file asks for. */
  dimensions: condition(
    z.strictObject({
      about: z.literal('dimensions'),
      side: z.enum(['width', 'height']),
      compare,
      pixels: z.int().positive().max(1e9),
    }),
    (wanted) =>
      ({ header }) =>
        header === undefined ? 'needsHeader' : isWithin(wanted, header[wanted.side], wanted.pixels),
  ),
  duration: condition(
    z.strictObject({ about: z.literal('duration'), compare, amount, unit: unitOf(DURATION_UNITS) }),
    (wanted) =>
      ({ header }) =>
        header === undefined
          ? 'needsHeader'
          : isWithin(wanted, header.duration, wanted.amount * DURATION_UNITS[wanted.unit]),
  ),
  /** Time since the file was last modified. */
  age: condition(
    z.strictObject({ about: z.literal('age'), compare, amount, unit: unitOf(AGE_UNITS) }),
    ({ compare: how, amount: time, unit }) => ({
      at: time * AGE_UNITS[unit],
      holds: how === 'more' ? 'from' : 'until',
    }),
  ),
  /** The file is in this folder of the watched folder, or deeper. */
  subfolder: condition(
    z.strictObject({ about: z.literal('subfolder'), path: z.string().trim().min(1).max(1_024) }),
    ({ path: wanted }) => {
      const names = foldersIn(wanted)
      return ({ path }) => {
        const folders = foldersOf(path)
        return names.every((name, index) => folders[index] === name)
      }
    },
  ),
  /** The number of folders between the watched folder and the file. */
  depth: condition(
    z.strictObject({ about: z.literal('depth'), compare, levels: z.int().min(0).max(1_000) }),
    (wanted) =>
      ({ path }) =>
        isWithin(wanted, foldersOf(path).length, wanted.levels),
  ),
}

type Schema = (typeof CONDITIONS)[keyof typeof CONDITIONS]['schema']
const schemas = Object.values(CONDITIONS).map(({ schema }) => schema)
export const RuleCondition = z.discriminatedUnion('about', schemas as [Schema, ...Schema[]])
export type RuleCondition = z.infer<typeof RuleCondition>

/** Compiles a condition to a function that tests many files, or to the age at which the condition changes. */
export function testOf(wanted: RuleCondition): Check | AgeCheck {
  const { test } = CONDITIONS[wanted.about]
  // The entry matches the condition's kind.
  return test(wanted as never)
}

/** Compares a value with a limit. An unknown value matches neither comparison. */
const isWithin = (
  { compare: how }: { readonly compare: 'more' | 'less' },
  value: number | null,
  limit: number,
): boolean => value !== null && (how === 'more' ? value > limit : value < limit)

/** Returns the names of the folders in a path, in lower case, because most desktop file systems ignore case. */
const foldersIn = (path: string): readonly string[] =>
  path
    .normalize()
    .toLowerCase()
    .split(/[/\\]/)
    .filter((name) => name !== '' && name !== '.')

const foldersOf = (path: string): readonly string[] => foldersIn(path.slice(0, path.lastIndexOf('/') + 1))
