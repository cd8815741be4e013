import type { ComponentChildren } from 'preact'

const PLACE = '\u0000'

/** A translated sentence with an element in it. The position of the element depends on the language. */
export function TextAround(props: {
  /** Returns the text with a placeholder where the element goes. */
  readonly text: (placeholder: string) => string
  readonly children: ComponentChildren
}) {
  const [before = '', after = ''] = props.text(PLACE).split(PLACE)
  return (
    <>
      {before}
      {props.children}
      {after}
    </>
  )
}
