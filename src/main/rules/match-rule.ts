/**
 * Finds the first rule that matches a file. Has no side effects: facts that need the file's content are requested from the caller, and only
 * when no other condition of a rule excludes the file.
 */
import type { FileFacts } from '../../shared/model/file-facts.ts'
import type { FolderRule } from '../../shared/model/folder-rules.ts'
import { type AgeCheck, type Check, testOf } from '../../shared/model/rule-conditions.ts'

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

function compile({ when }: Pick<FolderRule, 'when'>): CompiledRule {
  const tests = when.map(testOf)
  return {
    ages: tests.filter((test) => typeof test !== 'function'),
    checks: tests.filter((test) => typeof test === 'function'),
  }
}
