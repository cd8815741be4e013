import { useSignal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'
import { Icon } from '../ui/icon.tsx'
import { useApp, useTranslation } from '../store/app.ts'
import { takeDrop } from '../store/add-files.ts'
import '../ui/tray-shape.css'
import './drop-overlay.css'

/** Passes dropped files to the element under the pointer that accepts them. Returns false if no element does. */
function passToDropTarget({ clientX, clientY }: DragEvent, files: readonly File[]): boolean {
  const place = document
    .elementsFromPoint(clientX, clientY)
    .map((element) => element.closest('[data-takes-files]'))
    .find((element) => element !== null)
  place?.dispatchEvent(new CustomEvent('filesdropped', { detail: files }))
  return place !== undefined
}

/** Covers the window while files are dragged over it. */
export function DropOverlay() {
  const app = useApp()
  const t = useTranslation()
  const count = useSignal<number | null>(null)

  useLayoutEffect(() => {
    // Entering a child fires before leaving its parent, so count the nesting depth.
    let depth = 0
    const carriesFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false
    const onEnter = (event: DragEvent): void => {
      if (!carriesFiles(event)) return
      if (depth === 0) void app.bridge.draft.expectFiles()
      depth += 1
      count.value = [...(event.dataTransfer?.items ?? [])].filter(({ kind }) => kind === 'file').length
    }
    const onLeave = (event: DragEvent): void => {
      if (!carriesFiles(event)) return
      depth = Math.max(0, depth - 1)
      if (depth === 0) count.value = null
    }
    const onOver = (event: DragEvent): void => {
      // Prevents the browser from opening a dropped file in place of the page. Other drags are refused.
      event.preventDefault()
      if (event.dataTransfer) event.dataTransfer.dropEffect = carriesFiles(event) ? 'copy' : 'none'
    }
    const onDrop = (event: DragEvent): void => {
      event.preventDefault()
      depth = 0
      count.value = null
      if (
        event.dataTransfer &&
        carriesFiles(event) &&
        !passToDropTarget(event, [...event.dataTransfer.files])
      ) {
        void takeDrop(app, [...event.dataTransfer.files], event.shiftKey)
      }
    }
    addEventListener('dragenter', onEnter)
    addEventListener('dragleave', onLeave)
    addEventListener('dragover', onOver)
    addEventListener('drop', onDrop)
    return () => {
      removeEventListener('dragenter', onEnter)
      removeEventListener('dragleave', onLeave)
      removeEventListener('dragover', onOver)
      removeEventListener('drop', onDrop)
    }
  }, [])

  if (count.value === null) return null
  const { draft } = app.state
  const { presets, source } = draft.value
  const joins = source.kind === 'files' && source.items.length > 0
  return (
    <div class="drop-overlay" role="status">
      <div class="tray-shape">
        <Icon name="falling" class="drop-icon" />
        <h2>{count.value === 0 ? t.drop.addSome : t.drop.add({ count: count.value })}</h2>
        <p>
          {joins ? (
            t.drop.joins
          ) : (
            <>
              {t.drop.opens} {t.drop.hold} <kbd>{t.drop.shift}</kbd>{' '}
              {t.drop.toStart({ preset: presets.join(', ') || t.phrases.basicDefaults })}
            </>
          )}
        </p>
      </div>
    </div>
  )
}
