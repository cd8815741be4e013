import { useRef } from 'preact/hooks'
import { isRecord } from '../../shared/is-record.ts'
import { valueAt } from '../../shared/preset/json-text.ts'
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
  return (
    <StudioPreview
      document={last.current}
      part={part.value}
      isBuiltIn={usesBuiltIn(app)}
      onLeast={(found) => {
        least.value = found
      }}
      onVideo={(video) => {
        videoIsHdr.value = video?.isHdr ?? false
      }}
    />
  )
}
