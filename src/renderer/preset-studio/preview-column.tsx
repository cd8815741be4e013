import { useRef } from 'preact/hooks'
import { isRecord } from '../../shared/is-record.ts'
import { valueAt } from '../../shared/preset/json-text.ts'
import { chooseLook, goalOf, noGoalOf, visualQualityOf } from '../../shared/preset/preset-goal.ts'
import { StudioPreview } from '../preview/studio-preview.tsx'
import { useApp } from '../store/app.ts'
import { usesBuiltIn } from '../store/services.ts'
import { useStudio } from './studio-context.ts'

/** The preview, rendered with the last valid text. */
export function PreviewColumn() {
  const app = useApp()
  const { part, document, least, videoIsHdr } = useStudio()
  const last = useRef<Readonly<Record<string, unknown>> | null>(null)
  const checked = document.checked.value
  if (checked.readable && checked.faults.length === 0) {
    const value = valueAt(checked.root, '')
    if (isRecord(value)) last.current = value
  }
  const { stands, read } = document.form.value
  return (
    <StudioPreview
      document={last.current}
      part={part.value}
      isBuiltIn={usesBuiltIn(app)}
      goal={noGoalOf(part.value, read) === null ? goalOf(part.value, stands) : null}
      look={visualQualityOf(stands(`${part.value}.look`))}
      onLook={(look) => document.change(chooseLook(part.value, look))}
      onLeast={(found) => (least.value = found)}
      onVideo={(video) => (videoIsHdr.value = video?.isHdr ?? false)}
    />
  )
}
