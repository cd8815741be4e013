import { splitName } from '../../shared/characters.ts'
import { shownText } from '../../shared/paths.ts'
import './name.css'

/** A file name. If it is too long, its start is truncated first. The extension stays visible. In a heading, "+ 23 more" may be hidden. */
export function Name(props: {
  readonly name: string
  /** Text after the name, such as "+ 23 more". */
  readonly more?: string | null
  /** Search words to highlight. */
  readonly marked?: readonly string[]
}) {
  const { name: given, more = null, marked = [] } = props
  const name = shownText(given)
  const { head, tail } = splitName(name)
  const found = rangeOf(name, marked)
  return (
    <span class="file-name" title={name}>
      {/* Screen readers would read the two visible parts as two words. */}
      <span class="visually-hidden">{name}</span>
      {/* The direction of the name depends on its script, not on the window. */}
      <span class={`file-name-text ${head.length > 4 ? 'long' : ''}`} dir="auto" aria-hidden="true">
        <span class="file-name-start">
          <Part text={head} from={found.from} to={found.to} />
        </span>
        <span class="file-name-end">
          <Part text={tail} from={found.from - head.length} to={found.to - head.length} />
        </span>
      </span>
      {more && <span class="file-name-more">&nbsp;{more}</span>}
    </span>
  )
}

/** Highlights the first occurrence of the first word that the text contains, ignoring case. */
export function Marked({ text, words }: { readonly text: string; readonly words: readonly string[] }) {
  return <Part text={text} {...rangeOf(text, words)} />
}

type Range = { readonly from: number; readonly to: number }

/** Returns the range of the first word found; empty if there is none. */
function rangeOf(text: string, words: readonly string[]): Range {
  if (words.length === 0) return { from: 0, to: 0 }
  const lower = text.toLocaleLowerCase()
  const word = words.find((candidate) => candidate !== '' && lower.includes(candidate))
  // Some letters change their length when converted to lower case, which would shift the range.
  if (word === undefined || lower.length !== text.length) return { from: 0, to: 0 }
  const from = lower.indexOf(word)
  return { from, to: from + word.length }
}

/** Highlights the part of the range that lies within the text. */
function Part({ text, from, to }: Range & { readonly text: string }) {
  const [start, end] = [Math.max(0, from), Math.min(text.length, to)]
  if (start >= end) return <>{text}</>
  return (
    <>
      {text.slice(0, start)}
      <mark>{text.slice(start, end)}</mark>
      {text.slice(end)}
    </>
  )
}
