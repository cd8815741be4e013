import { useApp, useSettingsTranslation } from '../store/app.ts'
import { Icon } from '../ui/icon.tsx'
import type { Folder } from './drive-folder-list.tsx'

/** Maximum number of folders shown. In a longer path, a collapsed list hides those between the topmost one and the last two. */
const MOST_SHOWN = 4
const MOST_SHOWN_NARROW = 3
const SHOWN_AT_END = 2

/** The open folder's path. Each folder above it can be opened. */
export function FolderPath(props: {
  readonly path: readonly Folder[]
  readonly onGo: (index: number) => void
}) {
  const { path, onGo } = props
  const { narrow } = useApp().route
  const t = useSettingsTranslation()
  const places = path.map((folder, index) => ({ folder, index }))
  const isLong = path.length > (narrow.value ? MOST_SHOWN_NARROW : MOST_SHOWN)
  const folded = isLong ? places.slice(1, -SHOWN_AT_END) : []
  const shown = isLong ? places.slice(-SHOWN_AT_END) : places.slice(1)
  const [top] = places
  return (
    <nav class="folder-path" aria-label={t.driveDialog.path}>
      <ol>
        {top !== undefined && <Place {...top} last={path.length - 1} onGo={onGo} />}
        {folded.length > 0 && (
          <li>
            <Icon name="forward" class="small" />
            <details
              onKeyDown={(event) => {
                const { currentTarget } = event
                if (event.key !== 'Escape' || !currentTarget.open) return
                // Escape closes this list, not the dialog.
                event.preventDefault()
                currentTarget.open = false
                currentTarget.querySelector('summary')?.focus()
              }}
              onFocusOut={({ currentTarget, relatedTarget }) => {
                if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget)))
                  currentTarget.open = false
              }}
            >
              <summary aria-label={t.driveDialog.more({ count: folded.length })}>…</summary>
              <ul>
                {folded.map(({ folder, index }) => (
                  <li key={folder.id}>
                    <button type="button" onClick={() => onGo(index)}>
                      <bdi>{folder.name}</bdi>
                    </button>
                  </li>
                ))}
              </ul>
            </details>
          </li>
        )}
        {shown.map((place) => (
          <Place key={place.folder.id} {...place} last={path.length - 1} onGo={onGo} />
        ))}
      </ol>
    </nav>
  )
}

function Place(props: {
  readonly folder: Folder
  readonly index: number
  readonly last: number
  readonly onGo: (index: number) => void
}) {
  const { folder, index, last, onGo } = props
  return (
    <li>
      {index > 0 && <Icon name="forward" class="small" />}
      <button
        type="button"
        class="truncate"
        aria-current={index === last ? 'location' : undefined}
        onClick={() => onGo(index)}
      >
        <bdi>{folder.name}</bdi>
      </button>
    </li>
  )
}
