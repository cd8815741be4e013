import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Draft } from '../../shared/model/draft.ts'
import { taskOf } from '../../shared/preset/task-names.ts'
import { SizeRow } from '../pickers/size-row.tsx'
import { TileFace, tilesClass, useTileName, useTilePresets } from '../pickers/tile-face.tsx'
import { chosenTile, type Tile } from '../pickers/tiles.ts'
import { useWindow } from '../store/app.ts'
import { isTypedIn } from '../store/focus.ts'
import { isOverlayOpen } from '../store/overlays.ts'
import { pressStart } from '../store/start-status.ts'
import './draft-tiles.css'

/** The tiles that choose what the job does, as one radio group. Enter starts the job. */
export function DraftTiles({ draft, tiles }: { readonly draft: Draft; readonly tiles: readonly Tile[] }) {
  const { app, t } = useWindow()
  const nameOf = useTileName(tiles)
  useTilePresets(tiles)
  const group = useRef<HTMLDivElement>(null)
  const chosen = chosenTile(draft, tiles)
  useLayoutEffect(() => {
    // Don't interrupt typing, for example in the search field. Don't interrupt the choice of another option either, because its list would
    // close.
    const { activeElement } = document
    const isOption = activeElement?.matches('.draft-options :not(#preset)') === true
    if (isTypedIn(activeElement) || isOption || isOverlayOpen(app.overlays)) return
    group.current?.querySelector<HTMLElement>('input:checked')?.focus()
  }, [])
  const megabytes = taskOf(draft.presets[0])?.megabytes
  return (
    <>
      <div class={tilesClass(tiles.length)} role="radiogroup" aria-label={t.tasks.whatToDo} ref={group}>
        {tiles.map((tile, index) => (
          <label key={tile.preset} class="tile">
            <input
              type="radio"
              name="tile"
              aria-label={nameOf(tile)}
              aria-keyshortcuts={String(index + 1)}
              checked={tile === chosen}
              disabled={tile.disabled}
              onChange={() => void app.attempt(app.bridge.draft.update({ presets: [tile.preset] }))}
              onKeyDown={(event) => {
                if (event.key !== 'Enter' || event.ctrlKey || event.metaKey) return
                event.preventDefault()
                if (!event.repeat) void pressStart(app)
              }}
            />
            <TileFace tile={tile} number={index + 1} />
          </label>
        ))}
      </div>
      {chosen !== undefined && (
        <p class="tile-line hint" aria-hidden="true">
          {chosen.line}
        </p>
      )}
      {megabytes !== undefined && (
        <SizeRow
          id="under-size"
          megabytes={megabytes}
          typed={app.typedSize}
          onPreset={(preset) => void app.attempt(app.bridge.draft.update({ presets: [preset] }))}
          onEnter={() => void pressStart(app)}
        />
      )}
    </>
  )
}
