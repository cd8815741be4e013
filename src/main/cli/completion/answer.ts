/** Suggests completions to a shell. Doesn't start a service or write anything. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { readRegular } from '../../../node/open-regular.ts'
import { parseJson } from '../../../shared/parse-json.ts'
import { defaultDocuments } from '../../../shared/preset/default-presets.ts'
import { shownText } from '../../../shared/paths.ts'
import { builtInServiceFolder, type Environment } from '../environment.ts'
import { FILES_LINE, isShell, type Shell } from './scripts.ts'
import { quotedForBash, splitLine } from './shell-words.ts'
import { type Sources, suggest, type Suggestion, type Suggestions } from './suggest.ts'

/** Maximum number of ids. More would only hide the newest ones. */
const MOST_RECORDS = 50

/** @returns the shell and its words if the arguments are a request of a completion script */
export function completionRequest(
  argv: readonly string[],
): { readonly shell: Shell; readonly words: readonly string[] } | undefined {
  const [command, flag, shell = '', dashes, ...words] = argv
  const isRequest = command === 'complete' && flag === '--shell' && dashes === '--'
  return isRequest && isShell(shell) ? { shell, words } : undefined
}

export function answerShell(
  program: Command,
  { shell, words }: { readonly shell: Shell; readonly words: readonly string[] },
  environment: Environment,
): string {
  const sources = sourcesOf(environment)
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

/** The value of one word as typed, whose quote may still be open. */
const unquoted = (word: string): string => splitLine(word).words.at(-1) ?? ''

/** Replaces the typographic quote that a word begins with. PowerShell treats it like a plain one. */
const asPlainQuote = (word: string): string =>
  word.replace(/^[\u2018-\u201b]/u, "'").replace(/^[\u201c-\u201e]/u, '"')

const described = ({ value, description }: Suggestion): string => `${value}\t${description}`

const text = (lines: readonly string[], { files }: Pick<Suggestions, 'files'>): string =>
  [...lines, ...(files ? [FILES_LINE] : [])].map((line) => `${line}\n`).join('')

/** Names with invisible characters are left out, because a shell can't show and quote them. */
const isPlain = ({ value }: Suggestion): boolean => shownText(value) === value

const sourcesOf = (environment: Environment): Sources => ({
  presets: () =>
    presetNames(join(builtInServiceFolder(environment), 'presets'))
      .map((value) => ({ value, description: '' }))
      .filter(isPlain),
  records: () =>
    environment.owner.core.history
      .page({}, { offset: 0, limit: MOST_RECORDS })
      .records.map(({ id, name }) => ({ value: id, description: shownText(name) }))
      .filter(isPlain),
})

function presetNames(folder: string): readonly string[] {
  const texts = filesIn(folder)
  const documents = texts.length > 0 ? texts : defaultDocuments().map((document) => document.text)
  return documents.flatMap(nameIn).toSorted((a, b) => a.localeCompare(b, 'en'))
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^[^.].*\.json$/.test(name))
      .map((name) => readRegular(join(folder, name)))
  } catch {
    return []
  }
}

function nameIn(document: string): readonly string[] {
  try {
    const parsed = parseJson(document)
    const name = typeof parsed === 'object' && parsed !== null ? Reflect.get(parsed, 'name') : undefined
    return typeof name === 'string' && name !== '' ? [name] : []
  } catch {
    return []
  }
}
