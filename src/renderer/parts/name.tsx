import { splitName } from '../../shared/wording/index.ts'

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
  const found = marked.some((word) => name.toLocaleLowerCase().includes(word))
  return (
    <span class="name" title={name}>
      {/* The two parts would be read as two words. */}
      <span class="sr">{name}</span>
      {/* The name runs in the direction of its own script, whichever way the window does. */}
      <span class="whole" dir="auto" aria-hidden="true">
        {found ? (
          <span class="head">
            <Marked text={name} words={marked} />
          </span>
        ) : (
          <>
            <span class="head">{head}</span>
            <span class="tail">{tail}</span>
          </>
        )}
      </span>
      {more && <span class="more">&nbsp;{more}</span>}
    </span>
  )
}

/** Text with the first occurrence of each word marked. Compared without regard to case. */
export function Marked({ text, words }: { readonly text: string; readonly words: readonly string[] }) {
  const lower = text.toLocaleLowerCase()
  const word = words.find((candidate) => candidate !== '' && lower.includes(candidate))
  // Some letters change their length with their case; then the places found would be wrong.
  if (word === undefined || lower.length !== text.length) return <>{text}</>
  const at = lower.indexOf(word)
  return (
    <>
      {text.slice(0, at)}
      <mark>{text.slice(at, at + word.length)}</mark>
      {text.slice(at + word.length)}
    </>
  )
}
