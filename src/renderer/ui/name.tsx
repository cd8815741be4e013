import { splitName } from '../../shared/i18n/names.ts'

type NameProps = {
  readonly name: string
  /** Such as "+ 23 more". */
  readonly more?: string | null
  /** Words that were searched for, marked where they occur. */
  readonly marked?: readonly string[]
}

/** A file's name: only its head is cut, its ending and "+ 23 more" never are. */
export function Name({ name, more = null, marked = [] }: NameProps) {
  const { head, tail } = splitName(name)
  const found = rangeOf(name, marked)
  return (
    <span class="name" title={name}>
      {/* The two parts would be read as two words. */}
      <span class="sr">{name}</span>
      {/* The name runs in the direction of its own script, whichever way the window does. */}
      <span class="whole" dir="auto" aria-hidden="true">
        <span class="head">
          <Part text={head} from={found.from} to={found.to} />
        </span>
        <span class="tail">
          <Part text={tail} from={found.from - head.length} to={found.to - head.length} />
        </span>
      </span>
      {more && <span class="more">&nbsp;{more}</span>}
    </span>
  )
}

type MarkedProps = { readonly text: string; readonly words: readonly string[] }

/** Text with the first occurrence of one of the words marked. Compared without regard to case. */
export function Marked({ text, words }: MarkedProps) {
  return <Part text={text} {...rangeOf(text, words)} />
}

type Range = { readonly from: number; readonly to: number }

/** Where the first of the words that occurs stands; empty where none does. */
function rangeOf(text: string, words: readonly string[]): Range {
  if (words.length === 0) return { from: 0, to: 0 }
  const lower = text.toLocaleLowerCase()
  const word = words.find((candidate) => candidate !== '' && lower.includes(candidate))
  // Some letters change their length with their case; then the places found would be wrong.
  if (word === undefined || lower.length !== text.length) return { from: 0, to: 0 }
  const from = lower.indexOf(word)
  return { from, to: from + word.length }
}

/** Text with as much of the range marked as lies in it. */
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
