/**
 * Finds misspelled words in texts, comments and names, split at capital letters. Words of four letters and more must be American
 * English, a common term of programming, or in scripts/spelling-words.txt. Prints each unknown word with where it is first used, and exits
 * with 1 if there are any.
 */
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { decodeTrie } from 'cspell-trie-lib'

const TEXT = /\.(?:md|tsx?|cjs|css|html|ya?ml)$|\/locales\/en\.json$/
const NOT_ENGLISH = /^(?:THIRD-PARTY-NOTICES\.txt|docs\/translating\.md)$/
/** Addresses, escapes, words with a choice of letters as in `[Mm]edia`, and hexadecimal numbers. */
const NOT_WORDS =
  /https?:\/\/\S+|%[\dA-F]{2}|\\u[\dA-Fa-f]{4}|\\x[\dA-Fa-f]{2}|\\[a-z]|\[[A-Z][a-z]\][a-z]*|(?:#|\b0x|\b)[\dA-Fa-f_]{4,}n?\b/g

const read = (file: string) => {
  const bytes = readFileSync(join(import.meta.dirname, file))
  return file.endsWith('.gz') ? gunzipSync(bytes) : bytes
}

const english = decodeTrie(read('../node_modules/@cspell/dict-en_us/en_US.trie.gz'))
const terms = globSync('../node_modules/@cspell/dict-software-terms/dict/*.{txt,gz}', {
  cwd: import.meta.dirname,
})
const listed = new Set(
  // Lines that start with # are comments, and those that start with ! are words to avoid.
  ['spelling-words.txt', ...terms].flatMap((file) =>
    wordsIn(
      read(file)
        .toString()
        .replaceAll(/^[#!].*$/gm, ''),
    ),
  ),
)

function wordsIn(text: string): string[] {
  const joined = text.replaceAll(NOT_WORDS, ' ').match(/[\p{L}\p{M}]+(?:['’]\p{L}+)?/gu) ?? []
  return joined
    .flatMap((name) => name.split(/(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u))
    .map((word) => word.replace('’', "'").replace(/'s$/, ''))
}

const isKnown = (word: string): boolean =>
  word.length < 4 ||
  // Names and samples contain words of other languages.
  !/^[a-z']+$/i.test(word) ||
  listed.has(word) ||
  listed.has(word.toLowerCase()) ||
  english.hasWord(word.toLowerCase(), false) ||
  english.hasWord(`${word.charAt(0)}${word.slice(1).toLowerCase()}`, false)

const places = new Map<string, string>()
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => TEXT.test(file) && !NOT_ENGLISH.test(file))
for (const file of files) {
  for (const [index, line] of readFileSync(file, 'utf8').split('\n').entries()) {
    for (const word of wordsIn(line)) if (!places.has(word)) places.set(word, `${file}:${index + 1}`)
  }
}
const unknown = [...places].filter(([word]) => !isKnown(word))
for (const [word, place] of unknown) console.log(`${place}  ${word}`)
if (unknown.length > 0) process.exitCode = 1
