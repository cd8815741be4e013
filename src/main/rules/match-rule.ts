/**
 * Finds the first rule that matches a file. Pure: facts that need the file's content are requested from the caller, and only when
 * no other condition of a rule rules the file out.
 */
import { posix } from 'node:path'
import type { FileFacts } from '../../shared/model/file-facts.ts'
import {
  AGE_UNITS,
  DURATION_UNITS,
  type FolderRule,
  type RuleCondition,
  SIZE_UNITS,
} from '../../shared/model/folder-rules.ts'
import { createNamePattern } from './name-pattern.ts'

export type RuleMatch =
  /** The decision depends on a fact that is missing. */
  | { readonly kind: 'needs'; readonly fact: 'kind' | 'header' }
  | {
      readonly kind: 'matched'
      /** Index of the rule; equal to the number of rules if none matches. */
      readonly rule: number
      /** The first time in ms since 1970 at which another rule may match, because the file gets older; null if there is none. */
      readonly until: number | null
    }

/** @param now in milliseconds since 1970 */
export type RuleMatcher = (facts: FileFacts, now: number) => RuleMatch

/** Whether a condition holds. `needs…`: the fact hasn't been read. */
type Answer = boolean | 'needsKind' | 'needsHeader'
type Check = (facts: FileFacts) => Answer
/** The age in ms at which the condition changes, and whether it holds before or after that. */
type AgeCheck = { readonly at: number; readonly holds: 'from' | 'until' }
type CompiledRule = { readonly ages: readonly AgeCheck[]; readonly checks: readonly Check[] }

export function createRuleMatcher(rules: readonly Pick<FolderRule, 'when'>[]): RuleMatcher {
  const compiled = rules.map(compile)
  return (facts, now) => {
    const age = now - facts.modified
    let until = Number.POSITIVE_INFINITY
    for (const [rule, { ages, checks }] of compiled.entries()) {
      const answers = checks.map((check) => check(facts))
      if (answers.includes(false)) continue
      const later = ages.filter(({ at }) => at > age).map(({ at }) => facts.modified + at)
      const isOldEnough = ages.every(({ at, holds }) => age >= at === (holds === 'from'))
      if (isOldEnough) {
        if (answers.includes('needsKind')) return { kind: 'needs', fact: 'kind' }
        if (answers.includes('needsHeader')) return { kind: 'needs', fact: 'header' }
      }
      until = Math.min(until, ...later)
      if (isOldEnough) return matched(rule, until)
    }
    return matched(rules.length, until)
  }
}

const matched = (rule: number, until: number): RuleMatch => ({
  kind: 'matched',
  rule,
  until: until === Number.POSITIVE_INFINITY ? null : until,
})

const compile = ({ when }: Pick<FolderRule, 'when'>): CompiledRule => ({
  ages: when.flatMap((one) =>
    one.about === 'age'
      ? [{ at: one.amount * AGE_UNITS[one.unit], holds: one.compare === 'more' ? 'from' : 'until' }]
      : [],
  ),
  checks: when.flatMap((one) => (one.about === 'age' ? [] : [checkOf(one)])),
})

function checkOf(condition: Exclude<RuleCondition, { readonly about: 'age' }>): Check {
  switch (condition.about) {
    case 'kind':
      return ({ kind }) => (kind === undefined ? 'needsKind' : kind === condition.is)
    case 'name': {
      const fits = createNamePattern(condition.pattern)
      return ({ path }) => fits(posix.basename(path)) === condition.matches
    }
    case 'size':
      return ({ size }) => compare(condition, size, condition.amount * SIZE_UNITS[condition.unit])
    case 'dimensions':
      return ({ header }) =>
        header === undefined ? 'needsHeader' : compare(condition, header[condition.side], condition.pixels)
    case 'duration':
      return ({ header }) =>
        header === undefined
          ? 'needsHeader'
          : compare(condition, header.duration, condition.amount * DURATION_UNITS[condition.unit])
    case 'subfolder': {
      const wanted = foldersIn(condition.path)
      return ({ path }) => {
        const folders = foldersIn(posix.dirname(path))
        return wanted.every((name, index) => folders[index] === name)
      }
    }
    case 'depth':
      return ({ path }) => compare(condition, foldersIn(posix.dirname(path)).length, condition.levels)
  }
}

/** An unknown value matches neither comparison. */
const compare = (
  { compare: how }: { readonly compare: 'more' | 'less' },
  value: number | null,
  limit: number,
): boolean => value !== null && (how === 'more' ? value > limit : value < limit)

/** Case is ignored, as it is by most file systems of desktop computers. */
const foldersIn = (path: string): readonly string[] =>
  path
    .normalize()
    .toLowerCase()
    .split(/[/\\]/)
    .filter((name) => name !== '' && name !== '.')
