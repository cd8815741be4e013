import { useLayoutEffect, useRef } from 'preact/hooks'
import { jsonFaultWords } from '../../shared/preset/fault-words.ts'
import { useTranslation } from '../store/app.ts'
import { LinkButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { sayFault, useStudio } from './studio-context.ts'
import './json-view.css'

/** The preset as JSON. The first error is shown below, and its line is marked. */
export function JsonView() {
  const { document, t } = useStudio()
  const { punctuation } = useTranslation()
  const field = useRef<HTMLTextAreaElement>(null)
  const gutter = useRef<HTMLDivElement>(null)
  const text = document.text.value
  const fault = useTextFault()
  const lines = text.split('\n').length

  const follow = (): void => {
    if (gutter.current && field.current) gutter.current.scrollTop = field.current.scrollTop
  }
  useLayoutEffect(follow, [text])

  return (
    <div class="studio-form json-view" data-region="side">
      <div class="code-editor">
        <div ref={gutter} class="line-numbers" aria-hidden="true">
          {Array.from({ length: lines }, (_, index) => (
            <span key={index} class={index + 1 === fault?.line ? 'error' : undefined}>
              {index + 1}
            </span>
          ))}
        </div>
        <textarea
          ref={field}
          id="preset-json"
          class="mono"
          aria-label={t.studio.jsonLabel}
          aria-invalid={fault !== null}
          aria-describedby={fault === null ? undefined : 'preset-json-fault'}
          spellcheck={false}
          wrap="off"
          value={text}
          onInput={(event) => document.type(event.currentTarget.value)}
          onScroll={follow}
        />
      </div>
      {fault !== null && (
        <div class="callout error" id="preset-json-fault" role="alert">
          <Icon name="warn" />
          <span>
            <b>{fault.words}</b>
            {punctuation.betweenSentences}
            {fault.wayOut ?? t.fault.lastReadable}
          </span>
        </div>
      )}
    </div>
  )
}

/** Returns the first error with its line; null if there is none. */
function useTextFault() {
  const { document, t } = useStudio()
  const checked = document.checked.value
  if (!checked.readable) {
    return { line: checked.fault.line, words: jsonFaultWords(checked.fault, t), wayOut: null }
  }
  const [first] = document.faults.value
  if (first === undefined) return null
  const { words, wayOut } = sayFault(first, t)
  return {
    line: first.line,
    words: t.fault.line({ line: String(first.line), words }),
    wayOut:
      wayOut === null ? (
        <></>
      ) : (
        <LinkButton label={wayOut.words} onPress={() => document.change([wayOut.change])} />
      ),
  }
}
