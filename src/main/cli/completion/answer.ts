/** Suggests completions to a shell. Doesn't start a service or write anything. */
import type { Command } from 'commander'
import { presetName } from '../../../shared/i18n/sentences.ts'
import { shownText } from '../../../shared/paths.ts'
import { presetsToOffer } from '../../presets/presets.ts'
import { type Environment, presetFolder } from '../environment.ts'
import { t } from '../output/language.ts'
import type { Owner } from '../owner-types.ts'
import { FILES_LINE, isShell, type Shell } from './scripts.ts'
import { quotedForBash, splitLine } from './shell-words.ts'
import { type Sources, suggest, type Suggestion, type Suggestions } from './suggest.ts'

/** Maximum number of record IDs. More would only hide the newest ones. */
const MOST_RECORDS = 50

/** Parses the request of a completion script. @returns the shell and its words; undefined for any other arguments */
export function completionRequest(
  argv: readonly string[],
): { readonly shell: Shell; readonly words: readonly string[] } | undefined {
  const [command, flag, shell = '', dashes, ...words] = argv
  const isRequest = command === 'complete' && flag === '--shell' && dashes === '--'
  return isRequest && isShell(shell) ? { shell, words } : undefined
}

export async function answerShell(
  program: Command,
  { shell, words }: { readonly shell: Shell; readonly words: readonly string[] },
  environment: Pick<Environment, 'env' | 'cwd' | 'home' | 'platform'>,
  owner: Owner | undefined,
): Promise<string> {
  const sources = await sourcesOf(environment, owner)
  switch (shell) {
    case 'bash': {
      const { words: all, quote, kept } = splitLine(words.join(' '))
      const found = suggest(program, all.slice(1), sources)
      const lines = found.values.flatMap(({ value }) => {
        const whole = `${found.prefix}${value}`.slice(quote === '' ? kept : 0)
        return quotedForBash(whole, quote) ?? []
      })
      return text(lines, found)
    }
    case 'zsh': {
      const found = suggest(program, words.map(unquoted), sources)
      return text(found.values.map(described), found)
    }
    case 'fish': {
      const found = suggest(program, [...words.slice(0, -1), unquoted(words.at(-1) ?? '')], sources)
      return text(
        found.values.map((one) => `${found.prefix}${described(one)}`),
        found,
      )
    }
    case 'powershell': {
      // The script puts “=” before the last word, because Windows drops empty arguments.
      const last = unquoted(asPlainQuote(words.at(-1)?.slice(1) ?? ''))
      const found = suggest(program, [...words.slice(0, -1), last], sources)
      return text(
        found.values.map((one) => `${found.prefix}${described(one)}`),
        { files: false },
      )
    }
  }
}

/** Removes the quotes from a word as the user typed it. A quote may still be open. */
const unquoted = (word: string): string => splitLine(word).words.at(-1) ?? ''

/** Replaces the typographic quote that a word begins with. PowerShell treats it like a plain one. */
const asPlainQuote = (word: string): string =>
  word.replace(/^[\u2018-\u201b]/u, "'").replace(/^[\u201c-\u201e]/u, '"')

const described = ({ value, description }: Suggestion): string => `${value}\t${description}`

const text = (lines: readonly string[], { files }: Pick<Suggestions, 'files'>): string =>
  [...lines, ...(files ? [FILES_LINE] : [])].map((line) => `${line}\n`).join('')

/** Whether all characters of a value are visible. A shell can't show and quote invisible ones. */
const isPlain = ({ value }: Suggestion): boolean => shownText(value) === value

async function sourcesOf(
  environment: Parameters<typeof answerShell>[2],
  owner: Owner | undefined,
): Promise<Sources> {
  const presets = (await presetsToOffer(presetFolder(environment)))
    .filter(({ preset }) => preset !== null)
    .map(({ file, name }) => ({ value: file === '' ? presetName(name, t()) : name, description: '' }))
    .toSorted((a, b) => a.value.localeCompare(b.value, 'en'))
    .filter(isPlain)
  return {
    presets: () => presets,
    records: () =>
      (owner?.core.history.page({}, { offset: 0, limit: MOST_RECORDS }).records ?? [])
        .map(({ id, name }) => ({ value: id, description: shownText(name) }))
        .filter(isPlain),
  }
}
