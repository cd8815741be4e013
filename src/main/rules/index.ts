export { createRuleMatcher, type RuleMatcher } from './match-rule.ts'
export { matchFile, type FileMatch } from './match-file.ts'
